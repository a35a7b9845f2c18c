import { type Clock, minuteMs } from '../../../clock.ts'
import { hasRoomFor } from '../../../concurrency/memory.ts'
import { createSemaphore } from '../../../concurrency/semaphore.ts'
import { runSync, runCooperatively, type CooperativeTask } from '../../../concurrency/cooperative.ts'
import { AppError } from '../../../errors.ts'
import type { Label } from '../../exposition/sample.ts'
import type { SeriesRef, SampleStore } from '../../store/sample-store.ts'
import { createSeriesEntries, type ResolvedSamples, newSeries, type CollectedSeries } from './series-entries.ts'
import type { CollectedSample } from '../target.ts'

/**
 * Counts of one write. `samples`: samples given. `added`: label sets that the previous write did not have. `dropped`: samples
 * refused because of their timestamps.
 */
type WriteResult = { samples: number; added: number; dropped: number }

/** Writes the samples of one target or probe after each run, and a stale marker, as Prometheus does, to series that disappear. */
type SeriesWriter = {
  /**
   * Writes the samples of a run at `timeMs`; an empty list after a failed run. If several samples without a timestamp belong to
   * the same series, only the first is written. A sample with its own timestamp is written at that time, and its series gets no
   * stale marker. It is dropped if the timestamp is more than 10 minutes ahead, older than the retention, or before the newest
   * sample of the series. Throws `invalid` beyond the limits of the store; nothing is written then.
   */
  write(samples: readonly CollectedSample[], timeMs: number): WriteResult
  /**
   * Like `write`, but yields to the event loop if there is much to write. Samples at `timeMs` and later become visible together.
   * If aborted before anything was written, it writes nothing and rejects; a later abort has no effect.
   */
  writeCooperatively(samples: readonly CollectedSample[], timeMs: number, signal: AbortSignal): Promise<WriteResult>
  /** Writes a value for each name in `reports`, after a `write`; replaces exposed samples with the same labels. */
  report(values: readonly number[], timeMs: number): void
  /** Ends all series with a stale marker. Returns a promise if there are many series, or if a write is under way. */
  end(timeMs: number): void | Promise<void>
}

type Options = {
  store: Pick<SampleStore, 'refOf' | 'appendTo' | 'declare' | 'raisingBarrier' | 'oldestMs'>
  clock: Clock
  organizationId: number
  /** Labels added to every series. */
  labels: readonly Label[]
  honorLabels?: boolean
  /** Names of the series with which nines reports on the target itself. */
  reports?: readonly string[]
}

/** Up to this number of samples and series, a write is synchronous: it takes a few milliseconds. */
const maxSynchronous = 2000
/** Samples or series that a longer write handles between two yields. */
const samplesPerYield = 500
const bytesPerSeries = 2000

/** Maximum lead of a timestamp over the clock, as in Prometheus. */
export const maxLeadMs = 10 * minuteMs

export function createSeriesWriter(options: Options): SeriesWriter {
  const { store, clock, organizationId, labels: targetLabels, honorLabels = false } = options
  const reports = (options.reports ?? []).map((name) =>
    newSeries(JSON.stringify([['__name__', name], ...targetLabels])),
  )
  const seriesEntries = createSeriesEntries({ labels: targetLabels, honorLabels })
  let writes = 0 // number of writes so far, which also identifies the newest one
  let aliveCount = 0 // series with a sample at the time of the newest write
  let missing = 0 // series alive in the previous write that are not back yet
  const largeWrites = createSemaphore()

  function finding(samples: readonly CollectedSample[]): CooperativeTask<ResolvedSamples> {
    return seriesEntries.finding(samples, store.declare(organizationId), writes === 0 ? reports : [])
  }

  function refOf(series: CollectedSeries): SeriesRef {
    if (!series.ref || series.ref.isRemoved) series.ref = store.refOf(organizationId, JSON.parse(series.key))
    return series.ref
  }

  function append(series: CollectedSeries, timeMs: number, value: number | 'stale'): void {
    store.appendTo(refOf(series), timeMs, value)
    series.lastMs = timeMs
  }

  /** Returns true if the sample was written. */
  function put(series: CollectedSeries, { value, timestampMs }: CollectedSample, timeMs: number): boolean {
    series.seenIn = writes
    if (timestampMs === undefined && series.aliveIn !== writes) {
      if (series.aliveIn === writes - 1) missing -= 1
      series.aliveIn = writes
      aliveCount += 1
    }
    const atMs = timestampMs ?? timeMs
    if (atMs === series.lastMs || (timestampMs !== undefined && atMs < series.lastMs)) return false
    append(series, atMs, value)
    return true
  }

  function* putting(
    { entries, newPlainEntries, newOtherEntries }: ResolvedSamples,
    samples: readonly CollectedSample[],
    timeMs: number,
  ): CooperativeTask<WriteResult> {
    writes += 1
    missing = aliveCount
    aliveCount = 0
    let [dropped, distinct, visited] = [0, 0, 0]
    for (const sample of samples) {
      const entry = entries[visited]
      visited += 1
      if (visited % samplesPerYield === 0) yield
      if (!entry || (entry.seenIn === writes && sample.timestampMs === undefined)) continue
      if (entry.seenIn !== writes) distinct += 1
      entry.seenIn = writes
      const isWritten = put(entry.series, sample, timeMs)
      if (!isWritten && sample.timestampMs !== undefined && sample.timestampMs < entry.series.lastMs) dropped += 1
    }
    visited = 0
    for (const series of missing > 0 ? seriesEntries.series() : []) {
      visited += 1
      if (visited % samplesPerYield === 0) yield
      if (series.aliveIn === writes - 1 && series.lastMs !== timeMs) append(series, timeMs, 'stale')
    }
    if (samples.length > 0 && distinct < seriesEntries.count()) yield* seriesEntries.droppingUnseen(writes) // after a failed scrape, entries are kept
    return { samples: samples.length, added: newPlainEntries.size + newOtherEntries.size, dropped }
  }

  function* ending(alive: readonly CollectedSeries[], timeMs: number): CooperativeTask<void> {
    for (const [index, series] of alive.entries()) {
      append(series, series.lastMs === timeMs ? timeMs + 1 : timeMs, 'stale')
      if (index % samplesPerYield === 0) yield
    }
  }

  function* refsOf(list: Iterable<CollectedSeries>): Generator<SeriesRef> {
    for (const series of list) yield refOf(series)
  }

  /** Hides samples from `timeMs` on from readers until the work is done. */
  async function withBarrier<T>(
    list: Iterable<CollectedSeries>,
    timeMs: number,
    work: () => CooperativeTask<T>,
  ): Promise<T> {
    const barrier = await runCooperatively(organizationId, store.raisingBarrier(refsOf(list), timeMs))
    try {
      return await runCooperatively(organizationId, work())
    } finally {
      barrier.release()
    }
  }

  /** Samples whose timestamps the store accepts. */
  function acceptedSamples(samples: readonly CollectedSample[]): readonly CollectedSample[] {
    const [oldestMs, newestMs] = [store.oldestMs(), clock.now() + maxLeadMs]
    const isPossible = ({ timestampMs }: CollectedSample) =>
      timestampMs === undefined || (timestampMs >= oldestMs && timestampMs <= newestMs)
    return samples.every(isPossible) ? samples : samples.filter(isPossible)
  }

  function write(samples: readonly CollectedSample[], timeMs: number): WriteResult {
    const accepted = acceptedSamples(samples)
    const resolved = runSync(finding(accepted))
    runSync(seriesEntries.creating(resolved))
    const { dropped, added } = runSync(putting(resolved, accepted, timeMs))
    return { samples: samples.length, added, dropped: dropped + samples.length - accepted.length }
  }

  async function writeLarge(
    samples: readonly CollectedSample[],
    timeMs: number,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const accepted = acceptedSamples(samples)
    const resolved = await runCooperatively(organizationId, finding(accepted), signal)
    if (!(await hasRoomFor(resolved.createdSeries.size * bytesPerSeries))) {
      throw new AppError('unavailable', 'nines has no memory for so many new series at the moment')
    }
    signal.throwIfAborted()
    await runCooperatively(organizationId, seriesEntries.creating(resolved))
    const { dropped, added } = await withBarrier(seriesEntries.series(), timeMs, () =>
      putting(resolved, accepted, timeMs),
    )
    return { samples: samples.length, added, dropped: dropped + samples.length - accepted.length }
  }

  return {
    write,
    async writeCooperatively(samples, timeMs, signal) {
      if (Math.max(samples.length, seriesEntries.seriesCount()) <= maxSynchronous) return write(samples, timeMs)
      return largeWrites.run(() => writeLarge(samples, timeMs, signal))
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
    const alive = [...seriesEntries.series()].filter(({ aliveIn }) => aliveIn === writes)
    const ended = [...alive, ...reports.filter(({ lastMs }) => lastMs > -Infinity)]
    seriesEntries.clear()
    if (ended.length <= maxSynchronous) return runSync(ending(ended, timeMs))
    return withBarrier(ended, timeMs, () => ending(ended, timeMs))
  }
}
