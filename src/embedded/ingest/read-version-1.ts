import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Family } from '../collection/families.ts'
import type { Label } from '../exposition/sample.ts'
import { malformed } from './malformed.ts'
import { lengthType, ProtobufReader, textOf, varintType } from './protobuf.ts'
import {
  badLabels,
  collectSeries,
  maxFamilies,
  maxLabels,
  metricTypes,
  skipField,
  tagOf,
  type WriteBatch,
} from './write-batch.ts'

const [seriesTag, metadataTag] = [tagOf(1, lengthType), tagOf(3, lengthType)]
const [labelTag, sampleTag, histogramTag] = [tagOf(1, lengthType), tagOf(2, lengthType), tagOf(4, lengthType)]
const [nameTag, valueTag] = [tagOf(1, lengthType), tagOf(2, lengthType)]
const [typeTag, familyTag, helpTag, unitTag] = [
  tagOf(1, varintType),
  tagOf(2, lengthType),
  tagOf(4, lengthType),
  tagOf(5, lengthType),
]

const seriesPerYield = 200
/** 64 labels of the longest names and values, whose characters take three bytes. */
const maxLabelBytes = 500_000

/**
 * Reads a `prometheus.WriteRequest` of remote write 1.0. Throws `invalid` for anything else, and `too_large` for too many series or
 * samples.
 */
export function* readingVersion1(body: Uint8Array): CooperativeTask<WriteBatch> {
  const reader = new ProtobufReader(body)
  const { batch, add, readSample } = collectSeries(reader)
  const [labelsFrom, labelsTo]: [number[], number[]] = [[], []]
  const families: Family[] = []

  /** Every known sender puts the labels of a series together, so that their bytes can be the key of the series. */
  function readSeries(end: number): void {
    let [from, to, histograms] = [reader.at, reader.at, 0]
    while (reader.at < end) {
      const start = reader.at
      const tag = reader.varint(end)
      if (tag === labelTag) {
        if (to === from) from = start
        else if (to !== start) throw malformed('body: must have the labels of a series together')
        reader.at = to = reader.lengthEnd(end)
      } else if (tag === sampleTag) readSample(reader.lengthEnd(end))
      else {
        if (tag === histogramTag) histograms += 1
        skipField(reader, tag, end)
      }
    }
    labelsFrom.push(from)
    labelsTo.push(to)
    add(histograms)
  }

  function readFamily(end: number): void {
    const family: Family = { metric: '', type: 'unknown', help: '', unit: '' }
    while (reader.at < end) {
      const tag = reader.varint(end)
      if (tag === typeTag) family.type = metricTypes[reader.varint(end)] ?? 'unknown'
      else if (tag === familyTag) family.metric = readText(end) ?? ''
      else if (tag === helpTag) family.help = readText(end) ?? ''
      else if (tag === unitTag) family.unit = readText(end) ?? ''
      else skipField(reader, tag, end)
    }
    if (families.length < maxFamilies && family.metric !== '') families.push(family)
  }

  function readText(end: number): string | undefined {
    const textEnd = reader.lengthEnd(end)
    const from = reader.at
    reader.at = textEnd
    return textOf(reader.bytes, from, textEnd)
  }

  function readLabel(end: number): Label {
    let [name, value]: (string | undefined)[] = ['', '']
    while (reader.at < end) {
      const tag = reader.varint(end)
      if (tag === nameTag) name = readText(end)
      else if (tag === valueTag) value = readText(end)
      else skipField(reader, tag, end)
    }
    if (name === undefined || value === undefined) throw badLabels('must be UTF-8')
    return [name, value]
  }

  let steps = 0
  while (reader.at < body.length) {
    const tag = reader.varint(body.length)
    if (tag === seriesTag) readSeries(reader.lengthEnd(body.length))
    else if (tag === metadataTag) readFamily(reader.lengthEnd(body.length))
    else skipField(reader, tag, body.length)
    steps += 1
    if (steps % seriesPerYield === 0) yield
  }
  return {
    ...batch,
    families,
    keyOf(series) {
      const [from = 0, to = 0] = [labelsFrom[series], labelsTo[series]]
      if (to - from > maxLabelBytes) throw badLabels(`must take at most ${maxLabelBytes} bytes`)
      return reader.bytes.toString('latin1', from, to)
    },
    labelsOf(series) {
      const end = labelsTo[series] ?? 0
      const labels: Label[] = []
      for (reader.at = labelsFrom[series] ?? 0; reader.at < end;) {
        reader.varint(end)
        labels.push(readLabel(reader.lengthEnd(end)))
        if (labels.length > maxLabels) throw badLabels(`must be at most ${maxLabels}`)
      }
      return labels
    },
    familyOf: () => undefined,
  }
}
