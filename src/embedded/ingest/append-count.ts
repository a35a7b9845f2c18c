import type { SampleValue } from '../store/columns.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { Counts } from './write-batch.ts'
import type { WrittenSeries } from './written-series.ts'

/** Maximum time between the start of counting and a sample, for the start to get a sample of its own. */
const maxBegunMs = 60 * 60 * 1000

type CountSample = {
  store: Pick<SampleStore, 'appendTo' | 'newestOf' | 'oldestMs'>
  series: WrittenSeries
  timeMs: number
  value: SampleValue
  counts: Counts
  /** Request that the sample came with, compared by identity. */
  request: object
}

/**
 * Appends a sample of an OTLP counter; false if it was left out. A delta is added to the newest sample in the store, so that the sum
 * survives a restart; a delta that is sent again is left out. At the start of a series and after a pause, the count before the sample
 * is also appended, at the time at which counting began; otherwise `rate` and `increase` would miss the events of the sample.
 */
export function appendCount({ store, series, timeMs, value, counts, request }: CountSample): boolean {
  const last = lastCount(store, series)
  const isNewer = last === undefined || timeMs > last.timeMs
  // several points of one request may belong to the same series and time: their deltas add up
  if (counts.isDelta && !isNewer && (timeMs < last.timeMs || series.count?.request !== request)) return false
  if (value === 'stale') {
    store.appendTo(series.ref, timeMs, value)
    return true
  }
  const countBefore = counts.isDelta ? (last?.value ?? 0) : 0
  const beganMs = countingStart(counts, timeMs, last === undefined)
  const isStartRecent = beganMs > Math.max(timeMs - maxBegunMs, store.oldestMs())
  if (isStartRecent && beganMs > (last?.timeMs ?? -Infinity)) store.appendTo(series.ref, beganMs, countBefore)
  const count = counts.isDelta ? countBefore + value : value
  store.appendTo(series.ref, timeMs, count)
  if (isNewer || counts.isDelta) series.count = { timeMs, value: count, request }
  return true
}

/** Newest sample of a series; the store has it if something else wrote to the series. */
function lastCount(store: CountSample['store'], { ref, newestMs, count }: WrittenSeries) {
  return count && count.timeMs >= newestMs ? count : store.newestOf(ref)
}

/**
 * Time before `timeMs` at which counting began; 0: not known. The first sample of a cumulative counter counts from `absentMs` at the
 * earliest. The first delta without a start counts from just before its time.
 */
function countingStart({ startMs, absentMs, isDelta }: Counts, timeMs: number, isFirst: boolean): number {
  const isAbsenceKnown = isFirst && !isDelta && startMs > 0 && absentMs < timeMs
  const fromMs = isAbsenceKnown ? Math.max(startMs, absentMs) : startMs
  if (fromMs > 0 && fromMs < timeMs) return fromMs
  return isDelta && isFirst ? timeMs - 1 : 0
}
