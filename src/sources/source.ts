import { inTurns, type Steps } from '../concurrency/steps.ts'
import type { CpuBudget } from '../embedded/query-limits.ts'
import { AppError } from '../errors.ts'
import type { EndpointAuth } from '../http/endpoint-auth.ts'
import type { Labels } from '../promql/labels.ts'

/** A sample as the wire has it: `value` is text, such as "0.5", "NaN" or "+Inf"; `sampleNumber` reads it. */
export type Point = [timestampSeconds: number, value: string]

/** Native histograms come as `histogram` or `histograms` beside, or instead of, float samples. */
export type VectorSample = { metric: Labels; value?: Point; histogram?: unknown }
export type RangeSeries = { metric: Labels; values: Point[]; histograms?: unknown[] }

/** The `data` of `/api/v1/query` (https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats). */
export type InstantData =
  | { resultType: 'vector'; result: VectorSample[] }
  | { resultType: 'scalar' | 'string'; result: Point }
  | { resultType: 'matrix'; result: RangeSeries[] }

/**
 * What a source said. `warnings` and `infos` are its remarks, for people. `partial`: part of the data could not be
 * reached, so the answer must not be booked as a full one. `durationMs` is how long the asker waited.
 */
export type Answer<T> = { data: T; warnings: string[]; infos: string[]; partial: boolean; durationMs: number }

/** Both ends are included: the points are start, start + step, … up to the last one not after end. */
export type Grid = { startSeconds: number; endSeconds: number; stepSeconds: number }

/**
 * `urgent` does not wait for a free slot (health checks); `timeoutMs` replaces the source's own; `elapsedMs` of it has
 * passed already, where several queries share their time. `signal`: nobody waits for the answer any more. `isShort`: the answer
 * is a few series, which a source compresses in more time than it takes to send them.
 */
export type AskOptions = {
  urgent?: boolean
  timeoutMs?: number
  elapsedMs?: number
  signal?: AbortSignal
  isShort?: boolean
}

/**
 * A question in the API's own words, for somebody who reads the answer as it is. `limit`: at most so many series, texts or
 * metrics are returned; Infinity: all.
 */
export type ApiQuestion = {
  path: 'query' | 'query_range' | 'series' | 'labels' | 'metadata' | `label/${string}/values`
  parameters: [name: string, value: string][]
  limit: number
}

/**
 * A place to send PromQL queries to. Throws `AppError` `source_refused` (the source says the query is wrong) or
 * `source_unavailable` (anything else that is not an answer), both with `details` that hold no credentials.
 */
export type Source = {
  name: string
  /** Shared by all that are opened under one id: what is learned of the source is kept under it. None: this object is it. */
  identity?: object
  instant(expression: string, atSeconds: number, options?: AskOptions): Promise<Answer<InstantData>>
  range(expression: string, grid: Grid, options?: AskOptions): Promise<Answer<RangeSeries[]>>
  /** The types that its targets give a metric (`counter`, `gauge` …); none where they say nothing. */
  types?(metric: string, options?: AskOptions): Promise<Answer<string[]>>
  /** The version that it gives itself; null where it gives none. */
  version?(options?: AskOptions): Promise<Answer<string | null>>
  /** The `data` of an answer as JSON in pieces, checked; `budget` pays for reading it. Throws `rate_limited` besides. */
  forward?(question: ApiQuestion, options: AskOptions & { budget: CpuBudget }): Promise<Answer<string[]>>
}

/**
 * Where a source is and how to be let in. `apiUrl` is what stands before `/api/v1`, and may have a query of its own, or
 * `embedded`.
 */
export type SourceAccess = {
  id: number
  organizationId: number
  name: string
  apiUrl: string
  auth: EndpointAuth | null
}

/** Opens sources; all that are opened under one id share what is theirs. */
export type SourceOpener = { open(access: SourceAccess): Source }

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** The number a sample's text stands for; NaN for "NaN", and for text that is no number. */
export function sampleNumber(value: string): number {
  if (value === '+Inf' || value === 'Inf') return Infinity
  if (value === '-Inf') return -Infinity
  return decimal.test(value) ? Number(value) : NaN
}

/** The same source, all of whose queries from now on share the time of one. */
export function sharingTime(source: Source): Source {
  const { name, identity = source, instant, range, types } = source
  const began = performance.now()
  const sinceThen = (options: AskOptions = {}) => ({
    ...options,
    elapsedMs: (options.elapsedMs ?? 0) + performance.now() - began,
  })
  return {
    name,
    identity,
    instant: (expression, atSeconds, options) => instant(expression, atSeconds, sinceThen(options)),
    range: (expression, grid, options) => range(expression, grid, sinceThen(options)),
    ...(types && { types: (metric, options) => types(metric, sinceThen(options)) }),
  }
}

/** A source that gives this error for an answer. */
export function silentSource(name: string, error: unknown): Source {
  const refuse = async () => {
    throw error
  }
  return { name, instant: refuse, range: refuse }
}

/** How many samples all series have. */
export function countSamples(series: readonly RangeSeries[]): number {
  return series.reduce((count, { values }) => count + values.length, 0)
}

/** Prometheus refuses more than 11,000 points per series in one answer. */
const maxPoints = 10_000

/** Some 40 series over 90 days in steps of five minutes. */
const maxSamples = 1_000_000

/** Two pieces at a time use both cores of a small source and leave the rest of its slots to others. */
const piecesAtOnce = 2

/**
 * Asks for a range of any length in pieces of at most 10,000 points and joins the series by their labels. All of them
 * share the time of one query. Throws what the source throws; a grid that ends before it starts has no points, no series.
 */
export async function askRange(
  source: Source,
  expression: string,
  grid: Grid,
  options: AskOptions = {},
): Promise<Answer<RangeSeries[]>> {
  const answers: Answer<RangeSeries[]>[] = []
  const pieces = piecesOf(grid)
  const began = performance.now()
  let durationMs = 0
  for (let next = 0; next < pieces.length; next += piecesAtOnce) {
    const elapsedMs = (options.elapsedMs ?? 0) + performance.now() - began
    const done = await Promise.all(
      pieces
        .slice(next, next + piecesAtOnce)
        .map((piece) => source.range(expression, piece, { ...options, elapsedMs })),
    )
    durationMs += Math.max(...done.map((answer) => answer.durationMs))
    answers.push(...done)
    assertRoom(answers)
  }
  return {
    data: answers.length === 1 ? answers.flatMap(({ data }) => data) : await inTurns('measurements', joining(answers)),
    warnings: unique(answers.flatMap((answer) => answer.warnings)),
    infos: unique(answers.flatMap((answer) => answer.infos)),
    partial: answers.some((answer) => answer.partial),
    durationMs,
  }
}

/**
 * Pieces of equal length that cover every point of the window once. Equal, because VictoriaMetrics moves
 * the points of an answer of 50 and more back to multiples of the step: a short last piece would not move along.
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

function* joining(answers: Answer<RangeSeries[]>[]): Steps<RangeSeries[]> {
  const joined = new Map<string, RangeSeries>()
  for (const part of answers.flatMap(({ data }) => data)) {
    const key = labelKey(part.metric)
    const before = joined.get(key)
    joined.set(key, before ? continued(before, part) : part)
    yield
  }
  return [...joined.values()]
}

function continued(before: RangeSeries, { values, histograms }: RangeSeries): RangeSeries {
  const last = before.values.at(-1)?.[0] ?? -Infinity
  const later = (point: Point) => point[0] > last
  const series = { metric: before.metric, values: before.values.concat(values.filter(later)) }
  const all = [...(before.histograms ?? []), ...(histograms ?? [])]
  return all.length > 0 ? { ...series, histograms: all } : series
}

function labelKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function unique(remarks: string[]): string[] {
  return [...new Set(remarks)]
}
