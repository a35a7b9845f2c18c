import type { SampleValue } from '../store/columns.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { Counts } from './write-batch.ts'
import type { WrittenSeries } from './written-series.ts'

/** Longest time that a counter is taken to have begun before a sample of it. */
const maxBegunMs = 60 * 60 * 1000

type CountSample = {
  store: Pick<SampleStore, 'appendTo' | 'newestOf' | 'oldestMs'>
  series: WrittenSeries
  timeMs: number
  value: SampleValue
  counts: Counts
  /** Request that the sample is of. */
  request: object
}

/**
 * Appends a sample of a counter of OTLP. What it counts since the sample before is added to that one, which is in the store: so the sum
 * survives a restart, and a sample that is sent again is left out, with false. Where nothing was counted yet, and after a pause,
 * the count before it is appended at the time at which counting began; otherwise the first events would be lost.
 */
export function appendCount({ store, series, timeMs, value, counts, request }: CountSample): boolean {
  const last = lastCount(store, series)
  const isAgain = last !== undefined && timeMs <= last.timeMs
  if (counts.isDelta && isAgain && (timeMs < last.timeMs || series.count?.request !== request)) return false
  if (value === 'stale') {
    store.appendTo(series.ref, timeMs, value)
    return true
  }
  const before = counts.isDelta ? (last?.value ?? 0) : 0
  const beganMs = beginning(counts, timeMs, last === undefined)
  const isKnown = beganMs > Math.max(timeMs - maxBegunMs, store.oldestMs())
  if (isKnown && beganMs > (last?.timeMs ?? -Infinity)) store.appendTo(series.ref, beganMs, before)
  const count = counts.isDelta ? before + value : value
  store.appendTo(series.ref, timeMs, count)
  if (!isAgain || counts.isDelta) series.count = { timeMs, value: count, request }
  return true
}

/** Newest sample of a series; the store has it if something else wrote to the series. */
function lastCount(store: CountSample['store'], { ref, newestMs, count }: WrittenSeries) {
  return count && count.timeMs >= newestMs ? count : store.newestOf(ref)
}

/** Time at which counting began; before `timeMs`, or 0 if it is not known. */
function beginning({ startMs, absentMs, isDelta }: Counts, timeMs: number, isFirst: boolean): number {
  const fromMs = absentMs < timeMs && isFirst && !isDelta ? Math.max(startMs, startMs > 0 ? absentMs : 0) : startMs
  if (fromMs > 0 && fromMs < timeMs) return fromMs
  return isDelta && isFirst ? timeMs - 1 : 0
}
