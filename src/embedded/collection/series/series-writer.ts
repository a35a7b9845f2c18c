import type { Clock } from '../../../clock.ts'
import { hasRoomFor } from '../../../concurrency/memory.ts'
import { createSemaphore } from '../../../concurrency/semaphore.ts'
import { atOnce, inTurns, type Steps } from '../../../concurrency/steps.ts'
import { AppError } from '../../../errors.ts'
import type { Label } from '../../exposition/sample.ts'
import type { Place, SampleStore } from '../../store/sample-store.ts'
import { createGivenSeries, type Found, newSeries, type Series } from './given-series.ts'
import type { Reading } from '../target.ts'

/** `samples`: how many readings. `added`: those whose labels the write before did not have. `dropped`: for their times. */
type Written = { samples: number; added: number; dropped: number }

/** Writes what one target or probe gives, time after time, and ends what it no longer gives by Prometheus' stale markers. */
type SeriesWriter = {
  /**
   * What it gave at `timeMs`; nothing, where it failed. Of a series that comes twice the first counts, but for times of their own. A reading with a time
   * of its own goes there, its series has no end, and it is dropped where that time is further ahead than 10 minutes, older
   * than what is kept, or before what the series has. Throws `invalid` beyond the limits of the store, having written nothing.
   */
  write(readings: readonly Reading[], timeMs: number): Written
  /**
   * `write`, in turns with everything else where it is much. What is at `timeMs` and later is seen once all of it is there.
   * Aborted before anything was written, it writes nothing, and rejects; later it goes on to its end.
   */
  writeInTurns(readings: readonly Reading[], timeMs: number, signal: AbortSignal): Promise<Written>
  /** What nines says of it, a value for each of `reports`, after a `write`: it replaces what came under the same labels. */
  report(values: readonly number[], timeMs: number): void
  /** Ends everything: there will be no more of it. A promise where it is much, or where a write goes on. */
  end(timeMs: number): void | Promise<void>
}

type Options = {
  store: Pick<SampleStore, 'placeOf' | 'appendAt' | 'declare' | 'holding' | 'oldestMs'>
  clock: Clock
  organizationId: number
  /** Added to every series. */
  labels: readonly Label[]
  honorLabels?: boolean
  /** The names of what nines says of it itself. */
  reports?: readonly string[]
}

/** What is written in a few milliseconds. */
const maxAtOnce = 2000
const quickAtOnce = 500
const bytesOfSeries = 2000

/** Prometheus drops what is further in the future. */
export const furthestAheadMs = 10 * 60_000

export function createSeriesWriter(options: Options): SeriesWriter {
  const { store, clock, organizationId, labels: ofTarget, honorLabels = false } = options
  const reports = (options.reports ?? []).map((name) => newSeries(JSON.stringify([['__name__', name], ...ofTarget])))
  const all = createGivenSeries({ labels: ofTarget, honorLabels })
  let writes = 0
  let alive = 0 // series with the newest write at its time
  let missing = 0 // of those of the write before, how many are not there again
  const largeWrites = createSemaphore()

  function finding(readings: readonly Reading[]): Steps<Found> {
    return all.finding(readings, store.declare(organizationId), writes === 0 ? reports : [])
  }

  function placeOf(series: Series): Place {
    if (!series.place || series.place.removed) series.place = store.placeOf(organizationId, JSON.parse(series.key))
    return series.place
  }

  function append(series: Series, timeMs: number, value: number | 'stale'): void {
    store.appendAt(placeOf(series), timeMs, value)
    series.lastMs = timeMs
  }

  /** Whether it was written. */
  function put(series: Series, { value, timestampMs }: Reading, timeMs: number): boolean {
    series.seenIn = writes
    if (timestampMs === undefined && series.aliveIn !== writes) {
      if (series.aliveIn === writes - 1) missing -= 1
      series.aliveIn = writes
      alive += 1
    }
    const atMs = timestampMs ?? timeMs
    if (atMs === series.lastMs || (timestampMs !== undefined && atMs < series.lastMs)) return false
    append(series, atMs, value)
    return true
  }

  function* putting(
    { given, freshPlain, freshGiven }: Found,
    readings: readonly Reading[],
    timeMs: number,
  ): Steps<Written> {
    writes += 1
    missing = alive
    alive = 0
    let [dropped, distinct, seen] = [0, 0, 0]
    for (const reading of readings) {
      const found = given[seen]
      seen += 1
      if (seen % quickAtOnce === 0) yield
      if (!found || (found.seenIn === writes && reading.timestampMs === undefined)) continue
      if (found.seenIn !== writes) distinct += 1
      found.seenIn = writes
      const isNewer = put(found.series, reading, timeMs)
      if (!isNewer && reading.timestampMs !== undefined && reading.timestampMs < found.series.lastMs) dropped += 1
    }
    seen = 0
    for (const series of missing > 0 ? all.series() : []) {
      seen += 1
      if (seen % quickAtOnce === 0) yield
      if (series.aliveIn === writes - 1 && series.lastMs !== timeMs) append(series, timeMs, 'stale')
    }
    if (readings.length > 0 && distinct < all.count()) yield* all.forgettingUnseen(writes) // else they may be back
    return { samples: readings.length, added: freshPlain.size + freshGiven.size, dropped }
  }

  function* ending(alive: readonly Series[], timeMs: number): Steps<void> {
    for (const [index, series] of alive.entries()) {
      append(series, series.lastMs === timeMs ? timeMs + 1 : timeMs, 'stale')
      if (index % quickAtOnce === 0) yield
    }
  }

  function* places(some: Iterable<Series>): Generator<Place> {
    for (const series of some) yield placeOf(series)
  }

  /** Readers see it all once it is over. */
  async function unseen<T>(some: Iterable<Series>, timeMs: number, work: () => Steps<T>): Promise<T> {
    const hold = await inTurns(organizationId, store.holding(places(some), timeMs))
    try {
      return await inTurns(organizationId, work())
    } finally {
      hold.release()
    }
  }

  /** Those whose time the store takes. */
  function possible(readings: readonly Reading[]): readonly Reading[] {
    const [oldestMs, newestMs] = [store.oldestMs(), clock.now() + furthestAheadMs]
    const isPossible = ({ timestampMs }: Reading) =>
      timestampMs === undefined || (timestampMs >= oldestMs && timestampMs <= newestMs)
    return readings.every(isPossible) ? readings : readings.filter(isPossible)
  }

  function write(readings: readonly Reading[], timeMs: number): Written {
    const taken = possible(readings)
    const found = atOnce(finding(taken))
    atOnce(all.making(found))
    const { dropped, added } = atOnce(putting(found, taken, timeMs))
    return { samples: readings.length, added, dropped: dropped + readings.length - taken.length }
  }

  async function writeMuch(readings: readonly Reading[], timeMs: number, signal: AbortSignal): Promise<Written> {
    const taken = possible(readings)
    const found = await inTurns(organizationId, finding(taken), signal)
    if (!(await hasRoomFor(found.fresh.size * bytesOfSeries))) {
      throw new AppError('unavailable', 'nines has no memory for so many new series at the moment')
    }
    signal.throwIfAborted()
    await inTurns(organizationId, all.making(found))
    const { dropped, added } = await unseen(all.series(), timeMs, () => putting(found, taken, timeMs))
    return { samples: readings.length, added, dropped: dropped + readings.length - taken.length }
  }

  return {
    write,
    async writeInTurns(readings, timeMs, signal) {
      if (Math.max(readings.length, all.seriesCount()) <= maxAtOnce) return write(readings, timeMs)
      return largeWrites.run(() => writeMuch(readings, timeMs, signal))
    },
    report(values, timeMs) {
      for (const [index, series] of reports.entries()) append(series, timeMs, values[index] ?? NaN)
    },
    end(timeMs) {
      if (largeWrites.size > 0) return largeWrites.drain().then(() => endAll(timeMs))
      return endAll(timeMs)
    },
  }

  function endAll(timeMs: number): void | Promise<void> {
    const alive = [...all.series()].filter(({ aliveIn }) => aliveIn === writes)
    const ended = [...alive, ...reports.filter(({ lastMs }) => lastMs > -Infinity)]
    all.clear()
    if (ended.length <= maxAtOnce) return atOnce(ending(ended, timeMs))
    return unseen(ended, timeMs, () => ending(ended, timeMs))
  }
}
