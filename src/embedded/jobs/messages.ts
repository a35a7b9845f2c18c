import type { Annotations } from '../promql/annotations.ts'
import type { MatchOperator } from '../../promql/syntax.ts'

/** A matcher as a message; `fitsEmpty`: it fits a label that is not there. */
export type PlainMatcher = { name: string; operator: MatchOperator; value: string; fitsEmpty: boolean }

/**
 * Some of the series that were requested: their ids, their keys as a list of JSON, and what their heads have in the time
 * that is requested, `counts` of each, one after the other.
 */
export type SeriesBatch = {
  ids: Float64Array
  keys: string
  counts: Uint32Array
  timesMs: Float64Array
  values: Float64Array
  isLast: boolean
}

/** A worker's wish for series, with their heads in [fromMs, toMs]. */
export type Find = { find: PlainMatcher[]; fromMs: number; toMs: number }

/** What a worker answers while its wish is fulfilled: which of some values fit, and that it wants the next batch. */
export type Finding = { fits: Uint8Array } | { more: true }

/** `values` asks which of them the matcher at a place fits: patterns take their time, and there may be many values. */
export type Found = { values: string[]; matcher: number } | { batch: SeriesBatch }

/** Points of some series: their labels as JSON in order of their names, `counts` of each, one after the other. */
export type PointBatch = { metrics: string[]; counts: Uint32Array; timesMs: Float64Array; values: Float64Array }

export type QueryQuestion = {
  file: string
  query: string
  at: { timeMs: number } | { startMs: number; endMs: number; stepMs: number }
  lookbackMs: number | null
  leftMs: number
  maxSeries: number
  maxPoints: number
  /** The second once `granted`. */
  maxSamples: [ordinary: number, large: number]
}

/** The end of an answer, after its points. */
export type QueryEnd = (
  | { type: 'scalar'; timeMs: number; value: number }
  | { type: 'string'; timeMs: number; text: string }
  | { type: 'vector' | 'matrix' }
) & { annotations?: Annotations }

export type FromQuery =
  Find | Finding | { large: true } | { points: PointBatch } | { damaged: number[] } | { end: QueryEnd }
export type ToQuery = QueryQuestion | Found | { granted: true }

/** `selectors`: none stands for all series; `limit`: 0 is none. */
export type ListQuestion = {
  list: 'series' | 'names' | 'values'
  name: string
  selectors: string[]
  limit: number
  leftMs: number
  maxCharacters: number
}
export type FromList = Find | Finding | { all: true } | { piece: string } | { end: true }
export type ToList = ListQuestion | Found | { texts: string[]; isLast: boolean }
