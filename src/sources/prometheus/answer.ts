import { maxNesting, nestsDeeperThan } from '../../http/bodies/json.ts'
import type { Labels } from '../../promql/labels.ts'
import {
  type Answer,
  type InstantData,
  type Point,
  type RangeSeries,
  sampleNumber,
  type VectorSample,
} from '../source.ts'

/** Answer as read from its text; the caller adds the duration. */
export type ParsedAnswer<T> = Omit<Answer<T>, 'durationMs'>

/** Error for a successful response whose text is no valid answer; `message` describes the text. */
export class InvalidAnswer extends Error {}

/** Bounds of an answer: as many series as the embedded source reads for a query, and the samples of 50 series of 10,000 points. */
export const maxSeries = 100_000
export const maxSamples = 500_000

/** Maximum number of warnings, or of infos, that are kept of an answer, and characters of each. */
const maxAnnotations = 100
const maxAnnotationLength = 1000

/** Reads the body of `/api/v1/query` (https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries). */
export function readInstant(text: string): ParsedAnswer<InstantData> {
  const { data, ...annotations } = readObject(text)
  return { data: toInstant(data['resultType'], data['result'] ?? []), ...annotations }
}

/** Reads the body of `/api/v1/query_range` (https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries). */
export function readRange(text: string): ParsedAnswer<RangeSeries[]> {
  const { data, ...annotations } = readObject(text)
  if (data['resultType'] !== 'matrix') throw new InvalidAnswer('answered a range query without a matrix')
  return { data: toMatrix(data['result'] ?? []), ...annotations }
}

/** Reads the types of a metric, each once, from the body of `/api/v1/metadata`. */
export function readTypes(text: string): ParsedAnswer<string[]> {
  const { data, ...annotations } = readObject(text)
  const families = Object.values(data).flatMap((entries): unknown[] => (Array.isArray(entries) ? entries : []))
  const types = strings(families.map((entry) => (isRecord(entry) ? entry['type'] : null)))
  return { data: [...new Set(types)], ...annotations }
}

/** Reads the version from the body of `/api/v1/status/buildinfo`; null if there is none. */
export function readVersion(text: string): ParsedAnswer<string | null> {
  const { data, ...annotations } = readObject(text)
  const { version } = data
  return { data: typeof version === 'string' ? version.slice(0, 100) : null, ...annotations }
}

/** Reads label names or label values from the body of `/api/v1/labels` or `/api/v1/label/…/values`. */
export function readLabelTexts(text: string): ParsedAnswer<string[]> {
  const { data, ...annotations } = readSuccess(text)
  return {
    data: listOf(data ?? [], (item) => (typeof item === 'string' ? item : unknownForm('a text'))),
    ...annotations,
  }
}

/** Reads the labels of each series from the body of `/api/v1/series`. */
export function readSeries(text: string): ParsedAnswer<Labels[]> {
  const { data, ...annotations } = readSuccess(text)
  return { data: listOf(data ?? [], (item) => (isLabels(item) ? item : unknownForm('a series'))), ...annotations }
}

/** Metadata of a metric from one target. */
type MetricMetadata = { type: string; help: string; unit: string }

/** Reads the metadata of each metric from the body of `/api/v1/metadata`. */
export function readMetadata(text: string): ParsedAnswer<[metric: string, metadata: MetricMetadata[]][]> {
  const { data, ...annotations } = readObject(text)
  const field = (entry: unknown, name: keyof MetricMetadata) => {
    const value = isRecord(entry) ? (entry[name] ?? '') : undefined
    return typeof value === 'string' ? value : unknownForm('a metric')
  }
  const metadataOf = (entry: unknown): MetricMetadata => ({
    type: field(entry, 'type'),
    help: field(entry, 'help'),
    unit: field(entry, 'unit'),
  })
  const metrics = listOf(Object.keys(data), (metric): [string, MetricMetadata[]] => [
    String(metric),
    listOf(data[String(metric)], metadataOf),
  ])
  return { data: metrics, ...annotations }
}

function unknownForm(expected: string): never {
  throw new InvalidAnswer(`answered with ${expected} in an unknown form`)
}

/** The `error` and `errorType` of an error body; undefined for any other text. */
export function readError(text: string): { error: string; errorType: string } | undefined {
  const body = parse(text)
  if (!isRecord(body) || typeof body['error'] !== 'string') return undefined
  const errorType = body['errorType']
  return { error: body['error'], errorType: typeof errorType === 'string' ? errorType : '' }
}

export function isHtml(text: string): boolean {
  return text.trimStart().startsWith('<')
}

function readObject(text: string): ParsedAnswer<Record<string, unknown>> {
  const { data, ...annotations } = readSuccess(text)
  if (!isRecord(data)) throw new InvalidAnswer('answered with JSON that is not a query result')
  return { data, ...annotations }
}

function readSuccess(text: string): ParsedAnswer<unknown> {
  const body = parse(text)
  if (body === undefined) throw new InvalidAnswer(describeText(text))
  if (!isRecord(body)) throw new InvalidAnswer('answered with JSON that is not a query result')
  const { status, data, warnings: bodyWarnings, isPartial, infos } = body
  if (status !== 'success') {
    const message = typeof body['error'] === 'string' ? `: ${body['error']}` : ''
    throw new InvalidAnswer(`answered with a status that is not success${message}`)
  }
  const warnings = strings(bodyWarnings)
  return {
    data,
    warnings: shortened(warnings.filter((annotation) => !isInfo(annotation))),
    infos: shortened([...warnings.filter(isInfo), ...strings(infos)]),
    isPartial: isPartial === true || warnings.some(isAboutStorage),
  }
}

/** Prometheus 2.53 puts infos among the warnings; Prometheus 3 has `infos`. */
const isInfo = (annotation: string) => /^PromQL info:|^\d+ more info annotations omitted$/.test(annotation)

/**
 * True for a warning about missing data. Warnings of the PromQL engine about the query start with the same words in Prometheus,
 * Mimir and Thanos. Any other warning comes from storage: a Thanos store or a remote-read endpoint that failed, a truncated
 * result. Their wording varies ("partial response" need not occur in it), so every warning that is not the engine's counts as
 * missing data. A VictoriaMetrics cluster sets `isPartial` instead.
 */
const isAboutStorage = (annotation: string) =>
  !/^PromQL (info|warning):|^\d+ more (info|warning) annotations omitted$/.test(annotation)

function toInstant(resultType: unknown, result: unknown): InstantData {
  if (resultType === 'vector') return { resultType, result: listOf(result, toVectorSample) }
  if (resultType === 'matrix') return { resultType, result: toMatrix(result) }
  if (resultType === 'scalar' && isSample(result)) return { resultType, result }
  if (resultType === 'string' && isPoint(result)) return { resultType, result }
  throw new InvalidAnswer('answered with JSON that is not a query result')
}

function toMatrix(result: unknown): RangeSeries[] {
  let samples = 0
  return listOf(result, (item) => {
    if (isRecord(item)) samples += lengthOf(item['values']) + lengthOf(item['histograms'])
    if (samples > maxSamples) throw new InvalidAnswer(`answered with more than ${formatCount(maxSamples)} samples`)
    return toSeries(item)
  })
}

function toVectorSample(item: unknown): VectorSample {
  if (isRecord(item) && isLabels(item['metric'])) {
    const { metric, value, histogram } = item
    if (isSample(value)) return histogram === undefined ? { metric, value } : { metric, value, histogram }
    if (value === undefined && histogram !== undefined) return { metric, histogram }
  }
  return unknownForm('a sample')
}

function toSeries(item: unknown): RangeSeries {
  if (isRecord(item) && isLabels(item['metric'])) {
    const { metric, values = [], histograms } = item
    const isKnownForm = histograms === undefined || Array.isArray(histograms)
    if (isKnownForm && isSamples(values)) return { metric, values, ...(histograms && { histograms }) }
  }
  return unknownForm('a series')
}

function describeText(text: string): string {
  if (text.trim() === '') return 'answered with an empty body'
  if (nestsDeeperThan(text, maxNesting)) return `answered with JSON that nests deeper than ${maxNesting} levels`
  return isHtml(text) ? 'answered with HTML, not JSON' : 'answered with broken JSON'
}

function parse(text: string): unknown {
  try {
    return nestsDeeperThan(text, maxNesting) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function listOf<T>(value: unknown, read: (item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw new InvalidAnswer('answered with JSON that is not a query result')
  if (value.length > maxSeries) throw new InvalidAnswer(`answered with more than ${formatCount(maxSeries)} series`)
  return value.map(read)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLabels(value: unknown): value is Labels {
  return isRecord(value) && Object.values(value).every((label) => typeof label === 'string')
}

function isPoint(value: unknown): value is Point {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [time, text]: unknown[] = value
  return typeof time === 'number' && typeof text === 'string'
}

function isSample(value: unknown): value is Point {
  return isPoint(value) && (value[1] === 'NaN' || !Number.isNaN(sampleNumber(value[1])))
}

function isSamples(value: unknown): value is Point[] {
  return Array.isArray(value) && value.every(isSample)
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}

function shortened(annotations: string[]): string[] {
  return annotations.slice(0, maxAnnotations).map((annotation) => annotation.slice(0, maxAnnotationLength))
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
