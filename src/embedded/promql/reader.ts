import type { Labels } from '../../promql/labels.ts'
import type { Matcher } from '../../promql/matchers.ts'

/**
 * Samples sorted by time, one per time. A series that ended has the stale marker of Prometheus: a NaN with the bits
 * `0x7ff0000000000002`, which survive only as bytes (`markStale`, `isStale`), never as a JavaScript number.
 */
export type Series = { labels: Labels; timesMs: Float64Array; values: Float64Array }

/** Reads the series that match all matchers, in any order, with their samples in `[fromMs, toMs]`. */
export type SampleReader = { select(matchers: readonly Matcher[], fromMs: number, toMs: number): Series[] }

const staleHigh = 0x7ff00000
const staleLow = 2

/** View of doubles as pairs of words, the low word first. */
export function wordsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
}

/** Writes a stale marker at an index. */
export function markStale(values: Float64Array, index: number) {
  const words = wordsOf(values)
  words[index * 2] = staleLow
  words[index * 2 + 1] = staleHigh
}

/** True if the value at an index is a stale marker. */
export function isStale(values: Float64Array, index: number): boolean {
  if (!Number.isNaN(values[index])) return false
  const words = wordsOf(values)
  return words[index * 2] === staleLow && words[index * 2 + 1] === staleHigh
}

/** Series without its stale markers; the same object if it has none. */
export function withoutStale(series: Series): Series {
  const { timesMs, values } = series
  let fresh = 0
  while (fresh < values.length && !isStale(values, fresh)) fresh += 1
  if (fresh === values.length) return series
  const indexes = [...values.keys()].filter((index) => !isStale(values, index))
  const pick = (from: Float64Array) => Float64Array.from(indexes, (index) => from[index] ?? NaN)
  return { labels: series.labels, timesMs: pick(timesMs), values: pick(values) }
}
