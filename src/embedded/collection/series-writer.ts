import type { Clock } from '../../clock.ts'
import type { Label } from '../exposition/sample.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { mergedLabels } from './target-labels.ts'
import type { Reading } from './target.ts'

/** `samples`: how many readings. `added`: those whose labels the write before did not have. `dropped`: for their times. */
export type Written = { samples: number; added: number; dropped: number }

/** Writes what one target or probe gives, time after time, and ends what it no longer gives by Prometheus' stale markers. */
export type SeriesWriter = {
  /**
   * What it gave at `timeMs`; nothing, where it failed. Of a series that comes twice the first counts. A reading with a time
   * of its own goes there, its series has no end, and it is dropped where that time is further ahead than 10 minutes, older
   * than what is kept, or before what the series has. Throws `invalid` beyond the limits of the store, having written nothing.
   */
  write(readings: Iterable<Reading>, timeMs: number): Written
  /** What nines says of it, a value for each of `reports`, after a `write`: it replaces what came under the same labels. */
  report(values: readonly number[], timeMs: number): void
  /** Ends everything: there will be no more of it. */
  end(timeMs: number): void
}

type Options = {
  store: Pick<SampleStore, 'append' | 'declare' | 'oldestMs'>
  clock: Clock
  organizationId: number
  /** Added to every series. */
  labels: readonly Label[]
  honorLabels?: boolean
  /** The names of what nines says of it itself. */
  reports?: readonly string[]
}

/** `lastMs`: of its newest sample. `seenIn`, `aliveIn`: the newest write with it, and with it at the time of the write. */
type Series = { labels: readonly Label[]; lastMs: number; seenIn: number; aliveIn: number }

/** Some labels as they are given; two of them may come to the same series. */
type Given = { series: Series; seenIn: number }

/** Prometheus drops what is further in the future. */
export const furthestAheadMs = 10 * 60_000

export function createSeriesWriter(options: Options): SeriesWriter {
  const { store, clock, organizationId, labels: ofTarget, honorLabels = false } = options
  const reports = (options.reports ?? []).map((name) => newSeries([['__name__', name], ...ofTarget]))
  const byGiven = new Map<string, Given>()
  const byLabels = new Map<string, Series>()
  let writes = 0

  /** Labels of its own, for those of a reading keep the whole body alive that they are slices of. */
  function seriesOf(labels: readonly Label[], fresh: Map<string, Series>): Series {
    const key = JSON.stringify(labels)
    const before = byLabels.get(key) ?? fresh.get(key)
    if (before) return before
    const series = newSeries(JSON.parse(key))
    fresh.set(key, series)
    return series
  }

  /** Finds the series of readings; makes those that are missing, all or none. */
  function find(readings: Reading[]): { found: Given[]; added: number } {
    const freshGiven = new Map<string, Given>()
    const fresh = new Map<string, Series>()
    const found = readings.map(({ labels }) => {
      const key = JSON.stringify(labels)
      const before = byGiven.get(key) ?? freshGiven.get(key)
      if (before) return before
      const given = { series: seriesOf(mergedLabels(labels, ofTarget, honorLabels), fresh), seenIn: -1 }
      freshGiven.set(key, given)
      return given
    })
    const missing = [...fresh.values(), ...(writes === 0 ? reports : [])]
    store.declare(
      organizationId,
      missing.map(({ labels }) => labels),
    )
    for (const [key, series] of fresh) byLabels.set(key, series)
    for (const [key, given] of freshGiven) byGiven.set(key, given)
    return { found, added: freshGiven.size }
  }

  function append(series: Series, timeMs: number, value: number | 'stale'): void {
    store.append(organizationId, series.labels, timeMs, value)
    series.lastMs = timeMs
  }

  /** Whether it was written. */
  function put(series: Series, { value, timestampMs }: Reading, timeMs: number): boolean {
    series.seenIn = writes
    if (timestampMs === undefined) series.aliveIn = writes
    const atMs = timestampMs ?? timeMs
    if (atMs === series.lastMs || (timestampMs !== undefined && atMs < series.lastMs)) return false
    append(series, atMs, value)
    return true
  }

  function forgetUnseen(): void {
    for (const [key, { series, seenIn }] of byGiven) {
      if (seenIn === writes) continue
      byGiven.delete(key)
      if (series.seenIn !== writes) byLabels.delete(JSON.stringify(series.labels))
    }
  }

  return {
    write(readings, timeMs) {
      const [oldestMs, newestMs] = [store.oldestMs(), clock.now() + furthestAheadMs]
      const all = [...readings]
      const possible = all.filter(
        ({ timestampMs }) => timestampMs === undefined || (timestampMs >= oldestMs && timestampMs <= newestMs),
      )
      const { found, added } = find(possible)
      writes += 1
      let dropped = all.length - possible.length
      for (const [index, reading] of possible.entries()) {
        const given = found[index]
        if (!given) continue
        given.seenIn = writes
        const isNewer = put(given.series, reading, timeMs)
        if (!isNewer && reading.timestampMs !== undefined && reading.timestampMs < given.series.lastMs) dropped += 1
      }
      for (const series of byLabels.values()) {
        if (series.aliveIn === writes - 1 && series.lastMs !== timeMs) append(series, timeMs, 'stale')
      }
      if (all.length > 0) forgetUnseen() // else they may be back next time
      return { samples: all.length, added, dropped }
    },
    report(values, timeMs) {
      for (const [index, series] of reports.entries()) append(series, timeMs, values[index] ?? NaN)
    },
    end(timeMs) {
      const alive = [...byLabels.values()].filter(({ aliveIn }) => aliveIn === writes)
      const reported = reports.filter(({ lastMs }) => lastMs > -Infinity)
      for (const series of [...alive, ...reported]) {
        append(series, series.lastMs === timeMs ? timeMs + 1 : timeMs, 'stale')
      }
      byGiven.clear()
      byLabels.clear()
    },
  }
}

function newSeries(labels: readonly Label[]): Series {
  return { labels, lastMs: -Infinity, seenIn: -1, aliveIn: -1 }
}
