import { stopwatch } from '../clock.ts'
import { runCooperatively, type CooperativeTask } from '../concurrency/cooperative.ts'
import type { CpuBudget } from '../embedded/query-limits.ts'
import { AppError } from '../errors.ts'
import type { EndpointAuth } from '../http/endpoint-auth.ts'
import { type Labels, labelsKey } from '../promql/labels.ts'

/** Sample as in the API: `value` is text, such as "0.5", "NaN" or "+Inf"; `sampleNumber` parses it. */
export type Point = [timestampSeconds: number, value: string]

/** Series of an answer. Native histograms are in `histogram` or `histograms`, with or without float samples. */
export type VectorSample = { metric: Labels; value?: Point; histogram?: unknown }
export type RangeSeries = { metric: Labels; values: Point[]; histograms?: unknown[] }

/** The `data` of `/api/v1/query` (https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats). */
export type InstantData =
  | { resultType: 'vector'; result: VectorSample[] }
  | { resultType: 'scalar' | 'string'; result: Point }
  | { resultType: 'matrix'; result: RangeSeries[] }

/**
 * Answer of a source. `warnings` and `infos` are messages for people. `isPartial`: part of the data was out of reach, so the
 * answer must not count as complete. `durationMs`: how long the caller waited.
 */
export type Answer<T> = { data: T; warnings: string[]; infos: string[]; isPartial: boolean; durationMs: number }

/** Points of a range query, both ends included: start, start + step, … up to the last one not after end. */
export type Grid = { startSeconds: number; endSeconds: number; stepSeconds: number }

/**
 * Options of a query. `urgent`: does not wait for a free slot (health checks). `timeoutMs`: replaces the source's timeout.
 * `elapsedMs`: part of the timeout that has passed already, if several queries share a timeout. `signal`: aborts when nobody waits for
 * the answer any more. `isShort`: the answer has few series, which a source would compress in more time than it takes to send
 * them.
 */
export type QueryOptions = {
  urgent?: boolean
  timeoutMs?: number
  elapsedMs?: number
  signal?: AbortSignal
  isShort?: boolean
}

/**
 * Request of the HTTP API whose answer is forwarded. `limit`: maximum number of series, texts or metrics that are returned;
 * Infinity: all.
 */
export type SourceApiRequest = {
  path: 'query' | 'query_range' | 'series' | 'labels' | 'metadata' | `label/${string}/values`
  parameters: [name: string, value: string][]
  limit: number
}

/**
 * Data source that answers PromQL queries. Throws `AppError` `source_refused` (the source rejects the query) or
 * `source_unavailable` (any other failure), both with `details` that contain no credentials.
 */
export type Source = {
  name: string
  /** Key for what is learned about the source, shared by sources opened under one id. If absent, the `Source` itself is the key. */
  identity?: object
  instant(expression: string, atSeconds: number, options?: QueryOptions): Promise<Answer<InstantData>>
  range(expression: string, grid: Grid, options?: QueryOptions): Promise<Answer<RangeSeries[]>>
  /** Types of a metric in the metadata of its targets (`counter`, `gauge` …); empty without metadata. */
  types?(metric: string, options?: QueryOptions): Promise<Answer<string[]>>
  /** Version that the source reports; null if there is none. */
  version?(options?: QueryOptions): Promise<Answer<string | null>>
  /** Validated `data` of an answer as JSON in pieces; reading it counts against `budget`. Also throws `rate_limited`. */
  forward?(request: SourceApiRequest, options: QueryOptions & { budget: CpuBudget }): Promise<Answer<string[]>>
}

/** Address and credentials of a source. `apiUrl` is the URL before `/api/v1`, which may have a query string, or `embedded`. */
export type SourceAccess = {
  id: number
  organizationId: number
  name: string
  apiUrl: string
  auth: EndpointAuth | null
}

/** Opens sources; sources opened under one id share their state. */
export type SourceOpener = { open(access: SourceAccess): Source }

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Number in a sample's text; NaN for "NaN", and for text that is no number. */
export function sampleNumber(value: string): number {
  if (value === '+Inf' || value === 'Inf') return Infinity
  if (value === '-Inf') return -Infinity
  return decimal.test(value) ? Number(value) : NaN
}

/** Wraps a source so that all its queries from now on share the timeout of a single query. */
export function withSharedDeadline(source: Source): Source {
  const { name, identity = source, instant, range, types } = source
  const beganMs = stopwatch.now()
  const sinceThen = (options: QueryOptions = {}) => ({
    ...options,
    elapsedMs: (options.elapsedMs ?? 0) + stopwatch.now() - beganMs,
  })
  return {
    name,
    identity,
    instant: (expression, atSeconds, options) => instant(expression, atSeconds, sinceThen(options)),
    range: (expression, grid, options) => range(expression, grid, sinceThen(options)),
    ...(types && { types: (metric, options) => types(metric, sinceThen(options)) }),
  }
}

/** Source that answers every query with this error. */
export function failingSource(name: string, error: unknown): Source {
  const refuse = async () => {
    throw error
  }
  return { name, instant: refuse, range: refuse }
}

/** Number of samples of all series. */
export function countSamples(series: readonly RangeSeries[]): number {
  return series.reduce((count, { values }) => count + values.length, 0)
}

/** Prometheus rejects more than 11,000 points per series in one answer. */
const maxPoints = 10_000

/** Maximum of samples in all pieces: about 40 series over 90 days in steps of five minutes. */
const maxSamples = 1_000_000

/** Two pieces at a time use both cores of a small source and leave the rest of its slots to others. */
const concurrentPieces = 2

/**
 * Queries a range of any length in pieces of at most 10,000 points and joins the series by their labels. The pieces share the
 * timeout of a single query. Throws the errors of the source, and `source_unavailable` for too many samples; a grid that ends
 * before it starts has no series.
 */
export async function queryRange(
  source: Source,
  expression: string,
  grid: Grid,
  options: QueryOptions = {},
): Promise<Answer<RangeSeries[]>> {
  const answers: Answer<RangeSeries[]>[] = []
  const pieces = piecesOf(grid)
  const beganMs = stopwatch.now()
  let durationMs = 0
  for (let next = 0; next < pieces.length; next += concurrentPieces) {
    const elapsedMs = (options.elapsedMs ?? 0) + stopwatch.now() - beganMs
    const done = await Promise.all(
      pieces
        .slice(next, next + concurrentPieces)
        .map((piece) => source.range(expression, piece, { ...options, elapsedMs })),
    )
    durationMs += Math.max(...done.map((answer) => answer.durationMs))
    answers.push(...done)
    assertRoom(answers)
  }
  return {
    data:
      answers.length === 1
        ? answers.flatMap(({ data }) => data)
        : await runCooperatively('measurements', joining(answers)),
    warnings: unique(answers.flatMap((answer) => answer.warnings)),
    infos: unique(answers.flatMap((answer) => answer.infos)),
    isPartial: answers.some((answer) => answer.isPartial),
    durationMs,
  }
}

/**
 * Pieces of equal length that cover every point of the window once. They are equal because VictoriaMetrics moves the points of
 * an answer with 50 or more back to multiples of the step; a short last piece would not be moved.
 */
function piecesOf({ startSeconds, endSeconds, stepSeconds }: Grid): Grid[] {
  const startMs = Math.round(startSeconds * 1000)
  const stepMs = Math.round(stepSeconds * 1000)
  const points = Math.floor((Math.round(endSeconds * 1000) - startMs) / stepMs) + 1
  if (!(stepMs > 0) || !Number.isFinite(points)) throw new RangeError('a range needs finite ends and a positive step')
  const pieces = Math.ceil(points / maxPoints)
  const atPoint = (index: number) => (startMs + index * stepMs) / 1000
  return Array.from({ length: Math.max(0, pieces) }, (_, piece) => ({
    startSeconds: atPoint(Math.floor((piece * points) / pieces)),
    endSeconds: atPoint(Math.floor(((piece + 1) * points) / pieces) - 1),
    stepSeconds: stepMs / 1000,
  }))
}

function assertRoom(answers: Answer<RangeSeries[]>[]): void {
  const samples = answers.reduce((sum, { data }) => sum + countSamples(data), 0)
  if (samples <= maxSamples) return
  throw new AppError('source_unavailable', 'metrics source gave no usable answer', {
    details: `answered with more than ${maxSamples.toLocaleString('en')} samples in all`,
  })
}

function* joining(answers: Answer<RangeSeries[]>[]): CooperativeTask<RangeSeries[]> {
  const joined = new Map<string, RangeSeries>()
  for (const part of answers.flatMap(({ data }) => data)) {
    const key = labelsKey(part.metric)
    const known = joined.get(key)
    joined.set(key, known ? joinSeries(known, part) : part)
    yield
  }
  return [...joined.values()]
}

/** Joins two parts of a series; points of the second that are not later than the first part are left out. */
function joinSeries(firstPart: RangeSeries, { values, histograms }: RangeSeries): RangeSeries {
  const last = firstPart.values.at(-1)?.[0] ?? -Infinity
  const isLater = (point: Point) => point[0] > last
  const series = { metric: firstPart.metric, values: firstPart.values.concat(values.filter(isLater)) }
  const all = [...(firstPart.histograms ?? []), ...(histograms ?? [])]
  return all.length > 0 ? { ...series, histograms: all } : series
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}
