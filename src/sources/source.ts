import type { EndpointAuth } from '../http/endpoint-auth.ts'

export type Labels = Record<string, string>

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
export type RangeWindow = { startSeconds: number; endSeconds: number; stepSeconds: number }

/**
 * `urgent` does not wait for a free slot (health checks); `timeoutMs` replaces the source's own; `elapsedMs` of it is gone
 * already, where several questions share their time.
 */
export type AskOptions = { urgent?: boolean; timeoutMs?: number; elapsedMs?: number }

/**
 * A place to ask PromQL questions. Throws `AppError` `source_refused` (the source says the query is wrong) or
 * `source_unavailable` (anything else that is not an answer), both with `details` that hold no credentials.
 */
export type Source = {
  name: string
  instant(expression: string, atSeconds: number, options?: AskOptions): Promise<Answer<InstantData>>
  range(expression: string, window: RangeWindow, options?: AskOptions): Promise<Answer<RangeSeries[]>>
  /** The types that its targets give a metric (`counter`, `gauge` …); none where they say nothing. */
  types?(metric: string, options?: AskOptions): Promise<Answer<string[]>>
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

/** The same source, all of whose questions from now on share the time of one. */
export function sharingTime({ name, instant, range, types }: Source): Source {
  const began = performance.now()
  const sinceThen = (options: AskOptions = {}) => ({
    ...options,
    elapsedMs: (options.elapsedMs ?? 0) + performance.now() - began,
  })
  return {
    name,
    instant: (expression, atSeconds, options) => instant(expression, atSeconds, sinceThen(options)),
    range: (expression, window, options) => range(expression, window, sinceThen(options)),
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
