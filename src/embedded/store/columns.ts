import { markStale, wordsOf } from '../promql/reader.ts'

/** Value of a sample; `stale` is the marker of a series that ended. */
export type SampleValue = number | 'stale'

/**
 * Samples as parallel arrays: Unix milliseconds, and doubles with all their bits; the first `length` count. JavaScript turns
 * every NaN that it reads into the same one, so samples are copied as ranges or words, never as numbers.
 */
export type Columns = { timesMs: Float64Array; values: Float64Array; length: number }

export function columns(capacity: number): Columns {
  return { timesMs: new Float64Array(capacity), values: new Float64Array(capacity), length: 0 }
}

/** Makes room for `count` more samples. */
export function reserve(into: Columns, count: number): void {
  const needed = into.length + count
  if (needed <= into.timesMs.length) return
  const { timesMs, values } = columns(Math.max(needed, 2 * into.timesMs.length))
  timesMs.set(into.timesMs.subarray(0, into.length))
  values.set(into.values.subarray(0, into.length))
  into.timesMs = timesMs
  into.values = values
}

export function push(into: Columns, timeMs: number, value: SampleValue): void {
  reserve(into, 1)
  into.length += 1
  put(into, into.length - 1, timeMs, value)
}

/** Replaces the sample at an index. */
export function put(into: Columns, index: number, timeMs: number, value: SampleValue): void {
  into.timesMs[index] = timeMs
  if (value === 'stale') markStale(into.values, index)
  else into.values[index] = value
}

/** Appends the samples [from, to) of `other`. */
export function pushRange(into: Columns, other: Columns, from = 0, to = other.length): void {
  if (to <= from) return
  reserve(into, to - from)
  into.timesMs.set(other.timesMs.subarray(from, to), into.length)
  into.values.set(other.values.subarray(from, to), into.length)
  into.length += to - from
}

/** Copies the samples at these indexes. */
export function picked(samples: Columns, indexes: Uint32Array): Columns {
  const result = columns(indexes.length)
  const [to, from] = [wordsOf(result.values), wordsOf(samples.values)]
  for (let at = 0; at < indexes.length; at += 1) {
    const index = indexes[at] ?? 0
    result.timesMs[at] = samples.timesMs[index] ?? 0
    to[2 * at] = from[2 * index] ?? 0
    to[2 * at + 1] = from[2 * index + 1] ?? 0
  }
  result.length = indexes.length
  return result
}

/** Copies the samples [from, to) without spare room; none if `to` is before `from`. */
export function range(samples: Columns, from: number, to: number): Columns {
  return {
    timesMs: samples.timesMs.slice(from, to),
    values: samples.values.slice(from, to),
    length: Math.max(0, to - from),
  }
}

/** Samples without the spare room after them. */
export function withoutSpare({ timesMs, values, length }: Columns): Pick<Columns, 'timesMs' | 'values'> {
  if (timesMs.length === length) return { timesMs, values }
  return { timesMs: timesMs.subarray(0, length), values: values.subarray(0, length) }
}

/** First index whose time is not before `timeMs`, in sorted samples. */
export function lowerBound(samples: Columns, timeMs: number): number {
  let low = 0
  let high = samples.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((samples.timesMs[middle] ?? 0) < timeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Sorts samples by time; of several at one time, keeps the last. */
export function inOrder(samples: Columns): Columns {
  const time = (index: number) => samples.timesMs[index] ?? 0
  const indexes = Array.from({ length: samples.length }, (_, index) => index).toSorted(
    (a, b) => time(a) - time(b) || a - b,
  )
  const lastIndexes = indexes.filter((sampleIndex, index) => {
    const next = indexes[index + 1]
    return next === undefined || time(next) !== time(sampleIndex)
  })
  const sorted = columns(lastIndexes.length)
  for (const index of lastIndexes) pushRange(sorted, samples, index, index + 1)
  return sorted
}

/** Copies the samples of both in [fromMs, toMs], each sorted, into one; for equal times, `newer` wins. */
export function mergedWithin(older: Columns, newer: Columns, fromMs: number, toMs: number): Columns {
  const endMs = Math.floor(toMs) + 1 // times are whole milliseconds
  const [from, to] = [lowerBound(older, fromMs), lowerBound(older, endMs)]
  const [newerFrom, newerTo] = [lowerBound(newer, fromMs), lowerBound(newer, endMs)]
  if (newerTo <= newerFrom) return range(older, from, to)
  const isAfter = to <= from || (older.timesMs[to - 1] ?? 0) < (newer.timesMs[newerFrom] ?? 0)
  if (!isAfter) return merged(range(older, from, to), range(newer, newerFrom, newerTo))
  const both = columns(Math.max(0, to - from) + newerTo - newerFrom)
  pushRange(both, older, from, to)
  pushRange(both, newer, newerFrom, newerTo)
  return both
}

/** Merges both, each sorted, into one, which may be `older` extended; for equal times, `newer` wins. */
export function merged(older: Columns, newer: Columns): Columns {
  if (newer.length === 0) return older
  if ((older.timesMs[older.length - 1] ?? -Infinity) < (newer.timesMs[0] ?? 0)) {
    pushRange(older, newer)
    return older
  }
  const both = columns(older.length + newer.length)
  let at = 0
  for (let from = 0; from < newer.length;) {
    const end = lowerBound(older, newer.timesMs[from] ?? 0)
    pushRange(both, older, at, end)
    const isReplaced = older.timesMs[end] === newer.timesMs[from]
    at = isReplaced ? end + 1 : end
    const next = older.timesMs[at]
    const to = next === undefined ? newer.length : Math.max(from + 1, lowerBound(newer, next))
    pushRange(both, newer, from, to)
    from = to
  }
  pushRange(both, older, at)
  return both
}
