import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { AppError } from '../../errors.ts'
import type { Family } from '../collection/families.ts'
import type { Label } from '../exposition/sample.ts'
import { lengthType, ProtobufReader, textOf, varintType } from './protobuf.ts'
import { badLabels, collectSeries, maxLabels, metricTypes, skipField, tagOf, type WriteBatch } from './write-batch.ts'

const [symbolTag, seriesTag] = [tagOf(4, lengthType), tagOf(5, lengthType)]
const [refsTag, refTag, sampleTag] = [tagOf(1, lengthType), tagOf(1, varintType), tagOf(2, lengthType)]
const [histogramTag, metadataTag] = [tagOf(3, lengthType), tagOf(5, lengthType)]
const [typeTag, helpTag, unitTag] = [tagOf(1, varintType), tagOf(3, varintType), tagOf(4, varintType)]

const seriesPerYield = 200
const maxSymbols = 1_000_000

/** Metadata of a series; `help` and `unit` are symbols. */
type Metadata = { type: number; help: number; unit: number }

/**
 * Reads an `io.prometheus.write.v2.Request` of remote write 2.0. Throws `invalid` for anything else, and `too_large` for too many
 * series, samples or symbols.
 */
export function* readingVersion2(body: Uint8Array): CooperativeTask<WriteBatch> {
  const reader = new ProtobufReader(body)
  const { batch, add, readSample } = collectSeries(reader)
  const symbols: (string | number | undefined)[] = [] // position of each in the body, replaced by its text once that was read
  const refs: number[] = [] // indexes in `symbols` of names and values of the labels of all series
  const firstRefs = [0] // index of the first of each series in `refs`, and the number of all
  const metadata: (Metadata | undefined)[] = []

  function addRef(ref: number): void {
    const refsOfSeries = refs.length - (firstRefs.at(-1) ?? 0)
    if (refsOfSeries <= 2 * maxLabels) refs.push(ref) // one too many is kept, to be refused
  }

  function readSeries(end: number): void {
    let histograms = 0
    let described: Metadata | undefined
    while (reader.at < end) {
      const tag = reader.varint(end)
      if (tag === refsTag) {
        for (const refsEnd = reader.lengthEnd(end); reader.at < refsEnd;) addRef(reader.varint(refsEnd))
      } else if (tag === refTag) addRef(reader.varint(end))
      else if (tag === sampleTag) readSample(reader.lengthEnd(end))
      else if (tag === metadataTag) described = readMetadata(reader.lengthEnd(end))
      else {
        if (tag === histogramTag) histograms += 1
        skipField(reader, tag, end)
      }
    }
    firstRefs.push(refs.length)
    metadata.push(described)
    add(histograms)
  }

  function readMetadata(end: number): Metadata {
    const described = { type: 0, help: 0, unit: 0 }
    while (reader.at < end) {
      const tag = reader.varint(end)
      if (tag === typeTag) described.type = reader.varint(end)
      else if (tag === helpTag) described.help = reader.varint(end)
      else if (tag === unitTag) described.unit = reader.varint(end)
      else skipField(reader, tag, end)
    }
    return described
  }

  function symbol(ref: number): string {
    const known = symbols[ref]
    if (typeof known === 'string') return known
    if (known === undefined) throw badLabels(`must refer to symbols, not to number ${ref} of ${symbols.length}`)
    reader.at = known
    const end = reader.lengthEnd(body.length)
    const text = textOf(reader.bytes, reader.at, end)
    if (text === undefined) throw badLabels('must be UTF-8')
    return (symbols[ref] = text)
  }

  function labelsOf(series: number): Label[] {
    const [from = 0, to = 0] = [firstRefs[series], firstRefs[series + 1]]
    if (to - from > 2 * maxLabels) throw badLabels(`must be at most ${maxLabels}`)
    if ((to - from) % 2 === 1) throw badLabels('must be pairs')
    const labels: Label[] = []
    for (let at = from; at < to; at += 2) labels.push([symbol(refs[at] ?? -1), symbol(refs[at + 1] ?? -1)])
    return labels
  }

  let steps = 0
  while (reader.at < body.length) {
    const tag = reader.varint(body.length)
    if (tag === seriesTag) readSeries(reader.lengthEnd(body.length))
    else if (tag === symbolTag) {
      if (symbols.push(reader.at) > maxSymbols) throw tooManySymbols()
      reader.skip(lengthType, body.length)
    } else skipField(reader, tag, body.length)
    steps += 1
    if (steps % seriesPerYield === 0) yield
  }
  return {
    ...batch,
    families: [],
    keyOf: (series) => JSON.stringify(labelsOf(series)),
    labelsOf,
    familyOf(series) {
      const described = metadata[series]
      const name = labelsOf(series).find(([label]) => label === '__name__')?.[1]
      if (!described || name === undefined) return undefined
      const type = metricTypes[described.type] ?? 'unknown'
      return {
        metric: familyName(name, type),
        type,
        help: symbolOrEmpty(described.help),
        unit: symbolOrEmpty(described.unit),
      }
    },
  }

  function symbolOrEmpty(ref: number): Family['help'] {
    return ref < symbols.length ? symbol(ref) : ''
  }
}

/** Name of the family of a series: without the suffix that its type adds. */
function familyName(name: string, type: string): string {
  if (type === 'histogram' || type === 'gaugehistogram') return name.replace(/_(?:bucket|sum|count)$/, '')
  return type === 'summary' ? name.replace(/_(?:sum|count)$/, '') : name
}

function tooManySymbols(): AppError {
  return new AppError('too_large', 'Request body too large', {
    details: `body: must have at most ${maxSymbols} symbols`,
  })
}
