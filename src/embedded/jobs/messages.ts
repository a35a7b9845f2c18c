import type { Annotations } from '../promql/annotations.ts'
import type { MatchOperator } from '../../promql/syntax.ts'

/** A matcher as a message; `fitsEmpty`: it matches a missing label. */
export type PlainMatcher = { name: string; operator: MatchOperator; value: string; fitsEmpty: boolean }

/**
 * Batch of requested series: ids, keys (their labels) as a JSON list, and the samples of their heads in the requested time. `counts`: samples
 * of each series, which follow each other in `timesMs` and `values`.
 */
export type SeriesBatch = {
  ids: Float64Array
  keys: string
  counts: Uint32Array
  timesMs: Float64Array
  values: Float64Array
  isLast: boolean
}

/** Request of a worker for series, with their heads in [fromMs, toMs]. */
export type SelectRequest = { matchers: PlainMatcher[]; fromMs: number; toMs: number }

/** Message of a worker during a `SelectRequest`: which of some values match, or a request for the next batch. */
export type SelectProgress = { fits: Uint8Array } | { more: true }

/**
 * Reply to a `SelectRequest`. `values`: the worker tests them with the matcher at index `matcher`, because regexes take time and there
 * may be many values.
 */
export type SelectReply = { values: string[]; matcher: number } | { batch: SeriesBatch }

/**
 * Points of some series, whose labels are JSON sorted by name. `counts`: points of each series, which follow each other in
 * `timesMs` and `values`.
 */
export type PointBatch = { metrics: string[]; counts: Uint32Array; timesMs: Float64Array; values: Float64Array }

/** Query for a worker; `leftMs`: time until its deadline; `answeredSeries`: maximum series of the answer, whose others are left out. */
export type QueryJob = {
  file: string
  query: string
  at: { timeMs: number } | { startMs: number; endMs: number; stepMs: number }
  lookbackMs: number | null
  leftMs: number
  maxSeries: number
  maxPoints: number
  answeredSeries: number
  /** The second bound applies once `granted`. */
  maxSamples: [ordinary: number, large: number]
}

/** End of an answer, after its points. */
export type QueryEnd = (
  | { type: 'scalar'; timeMs: number; value: number }
  | { type: 'string'; timeMs: number; text: string }
  | { type: 'vector' | 'matrix' }
) & { annotations?: Annotations }

/** `damaged`: ids of series with samples that cannot be read. */
export type FromQuery =
  SelectRequest | SelectProgress | { large: true } | { points: PointBatch } | { damaged: number[] } | { end: QueryEnd }
export type ToQuery = QueryJob | SelectReply | { granted: true }

/** List for a worker. `selectors` empty: all series; `limit` 0: no limit; `leftMs`: time until its deadline. */
export type ListJob = {
  list: 'series' | 'names' | 'values'
  name: string
  selectors: string[]
  limit: number
  leftMs: number
  maxCharacters: number
}
/** Messages of a worker during a list; `all` requests the next batch of all label names or values if there are no selectors. */
export type FromList = SelectRequest | SelectProgress | { all: true } | { piece: string } | { end: true }
export type ToList = ListJob | SelectReply | { texts: string[]; isLast: boolean }
