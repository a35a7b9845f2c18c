import type { CooperativeTask } from '../../../concurrency/cooperative.ts'
import { AppError } from '../../../errors.ts'
import type { Family } from '../../collection/families.ts'
import type { Label } from '../../exposition/sample.ts'
import { columns, push, type SampleValue } from '../../store/columns.ts'
import { ProtobufReader } from '../protobuf.ts'
import { collectRefused } from '../refused-samples.ts'
import { type Counts, maxFamilies, maxSeries, tooMuch, type WriteBatch } from '../write-batch.ts'
import { attributeLabels, type ResourceLabels, resourceLabels } from './attributes.ts'
import { createDecoder, type Span } from './decode.ts'
import { malformedMetrics } from './malformed.ts'
import { metricName } from './names.ts'
import { pointSamples } from './points.ts'
import type { SeenMetrics } from './seen-metrics.ts'
import type { AnyPoint, KeyValue, MessageName } from './schema.ts'

type Deps = {
  /** Keys of attributes of a resource that become labels of its series. */
  promoted: readonly string[]
  seen: Pick<SeenMetrics, 'lastOf'>
}

/** `newestMs`: time of the newest point of each metric of each resource, by its key in `SeenMetrics`. */
export type OtlpBatch = WriteBatch & { newestMs: Map<string, number> }

/** Metric of one resource. `key`: for `SeenMetrics`; `isDelta`: undefined if it counts nothing. */
type Metric = {
  name: string
  key: string
  kind: 'gauge' | 'counter' | 'histogram' | 'summary'
  isDelta: boolean | undefined
  resource: ResourceLabels
}

/** Series of one point: `labels` without name and `extra`. `point`: number of its point, from 1; 0: `target_info`, which has none. */
type Entry = { name: string; labels: Map<string, string>; extra: Label | undefined; point: number; counts?: Counts }

const pointsPerYield = 50
/** True for a point with the flag `DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK`, bit 0: a stale marker. */
const isNoValue = (flags = 0) => flags % 2 === 1

/**
 * Reads an `ExportMetricsServiceRequest` into the series that Prometheus makes of it. Points that have no such series are refused. Throws
 * `invalid` for anything else, and `too_large` for too many points or series.
 */
export function* readingMetrics(body: Uint8Array, { promoted, seen }: Deps): CooperativeTask<OtlpBatch> {
  const reader = new ProtobufReader(body, malformedMetrics)
  const decoder = createDecoder(reader)
  const refused = collectRefused()
  const batch = { firstSamples: [0], histograms: [] as number[], samples: columns(256) }
  const entries: Entry[] = []
  const families = new Map<string, Family>()
  const newestMs = new Map<string, number>()
  const refusedPoints = new Set<number>()
  let points = 0

  const shallow = (message: MessageName, span: Span) => decoder.shallow(message, span) as Record<string, Span[]>

  function add(entry: Entry, timeMs: number, value: SampleValue): void {
    if (entries.push(entry) > maxSeries) throw tooMuch(`${maxSeries} series`)
    push(batch.samples, timeMs, value)
    batch.histograms.push(0)
    batch.firstSamples.push(batch.samples.length)
  }

  function addPoint({ name, key, kind, isDelta, resource }: Metric, sent: AnyPoint): number {
    const { attributes = [], flags } = sent
    const [timeMs, startMs] = [msOf(sent.timeUnixNano), msOf(sent.startTimeUnixNano)]
    const labels = new Map([...resource.promoted, ...attributeLabels(attributes), ...resource.identity])
    newestMs.set(key, Math.max(timeMs, newestMs.get(key) ?? 0))
    const counts = isDelta === undefined ? undefined : { startMs, absentMs: seen.lastOf(key), isDelta }
    const samples = pointSamples(kind, sent, isNoValue(flags))
    for (const { suffix, extra, value } of samples) {
      const isCounted = counts !== undefined && (kind !== 'summary' || suffix !== '')
      const entry = { name: name + suffix, labels, extra, point: points, ...(isCounted && { counts }) }
      add(entry, timeMs, isNoValue(flags) ? 'stale' : value)
    }
    return timeMs
  }

  function* readMetric(span: Span, resource: ResourceLabels, resourceKey: string): CooperativeTask<number> {
    const sent = decoder.shallow('Metric', span) as Record<string, unknown>
    const [sentName, unit] = [String(sent['name'] ?? ''), String(sent['unit'] ?? '')]
    const found = kinds.find(({ field }) => sent[field] !== undefined)
    if (!found) return 0
    const { container, point } = found
    const data = decoder.shallow(container, sent[found.field] as Span)
    const spans = (data['dataPoints'] ?? []) as Span[]
    const isMonotonic = data['isMonotonic'] === true
    const isCounter = found.field === 'sum' && isMonotonic
    const name = metricName(sentName, unit, isCounter ? 'counter' : found.field === 'gauge' ? 'gauge' : 'other')
    const temporality = Number(data['aggregationTemporality'] ?? 0)
    const problem = problemOf(found.field, name, temporality)
    if (problem !== undefined) {
      refused.add(spans.length, problem, () => [['__name__', name || sentName]])
      return 0
    }
    const kind = found.field === 'sum' ? (isCounter ? 'counter' : 'gauge') : (found.field as Metric['kind'])
    const isDelta = isDeltaOf(found.field, temporality, isMonotonic)
    const metric: Metric = { name, key: `${resourceKey} ${name}`, kind, isDelta, resource }
    if (families.size < maxFamilies) {
      families.set(name, { metric: name, type: kind, help: String(sent['description'] ?? ''), unit })
    }
    let latestMs = 0
    for (const one of spans) {
      points += 1
      if (points % pointsPerYield === 0) yield
      try {
        latestMs = Math.max(latestMs, addPoint(metric, decoder.deep<AnyPoint>(point, one)))
      } catch (error) {
        // without details, an error is about this point; with them, about the whole body
        if (!(error instanceof AppError) || error.details !== undefined || error.kind !== 'invalid') throw error
        refused.add(1, error.message, () => [['__name__', name]])
      }
    }
    return latestMs
  }

  function* readResource(span: Span): CooperativeTask<void> {
    const { resource: sent, scopeMetrics = [] } = shallow('ResourceMetrics', span)
    const { attributes = [] } = sent ? decoder.deep<{ attributes?: KeyValue[] }>('Resource', sent as never) : {}
    const resource = resourceLabels(attributes, promoted)
    const resourceKey = Bun.hash(JSON.stringify([...attributeLabels(attributes)])).toString(36)
    let latestMs = 0
    for (const scope of scopeMetrics) {
      for (const metric of shallow('ScopeMetrics', scope)['metrics'] ?? []) {
        latestMs = Math.max(latestMs, yield* readMetric(metric, resource, resourceKey))
      }
      yield
    }
    if (resource.target && latestMs > 0) {
      add({ name: '', labels: new Map(resource.target), extra: undefined, point: 0 }, latestMs, 1)
    }
  }

  function labelsOf(series: number): readonly Label[] {
    const { name, labels, extra } = entries[series] as Entry
    const all = new Map(labels)
    if (name !== '') all.set('__name__', name)
    if (extra) all.set(...extra)
    return [...all]
  }

  const request = shallow('Request', { from: 0, to: body.length })
  for (const span of request['resourceMetrics'] ?? []) {
    try {
      yield* readResource(span)
    } catch (error) {
      if (!(error instanceof AppError) || error.details !== undefined || error.kind !== 'invalid') throw error
      throw malformedMetrics(`resource: ${error.message}`)
    }
  }
  return {
    ...batch,
    newestMs,
    refused,
    families: [...families.values()],
    keyOf: (series) => JSON.stringify(labelsOf(series)),
    labelsOf,
    familyOf: () => undefined,
    countsOf: (series) => entries[series]?.counts,
    refusedBy(series) {
      const point = entries[series]?.point ?? 0
      if (point === 0 || refusedPoints.has(point)) return 0
      refusedPoints.add(point)
      return 1
    },
  }
}

type Kind = { field: string; container: MessageName; point: MessageName }
const kinds: Kind[] = [
  { field: 'gauge', container: 'Numbers', point: 'NumberPoint' },
  { field: 'sum', container: 'Numbers', point: 'NumberPoint' },
  { field: 'histogram', container: 'Histograms', point: 'HistogramPoint' },
  { field: 'exponentialHistogram', container: 'Exponentials', point: 'ExponentialPoint' },
  { field: 'summary', container: 'Summaries', point: 'SummaryPoint' },
]
const [delta, cumulative] = [1, 2] // of AggregationTemporality

/** Reason why no point of a metric can be stored. */
function problemOf(field: string, name: string, temporality: number): string | undefined {
  if (field === 'exponentialHistogram') return 'exponential histograms are not supported'
  if (/^_*$/.test(name)) return 'its name must have a letter or a digit'
  if (field === 'gauge' || field === 'summary') return undefined
  if (temporality === delta || temporality === cumulative) return undefined
  return 'its aggregationTemporality must be 1 (delta) or 2 (cumulative)'
}

/** True if points are added up, false if they count from their start; undefined for what counts nothing. */
function isDeltaOf(field: string, temporality: number, isMonotonic: boolean): boolean | undefined {
  if (field === 'gauge' || (field === 'sum' && temporality === cumulative && !isMonotonic)) return undefined
  return temporality === delta
}

/** Whole milliseconds of nanoseconds, which are exact only to some hundreds as a double. */
function msOf(nanoseconds = 0): number {
  return Math.floor(nanoseconds / 1e6 + 0.0005)
}
