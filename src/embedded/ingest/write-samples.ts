import type { Clock } from '../../clock.ts'
import { type AsyncCooperativeTask, awaitStep } from '../../concurrency/cooperative.ts'
import { hasRoomFor } from '../../concurrency/memory.ts'
import { AppError } from '../../errors.ts'
import { maxLeadMs } from '../collection/series/series-writer.ts'
import { isStale } from '../promql/reader.ts'
import { spanOf } from '../store/heads.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { appendCount } from './append-count.ts'
import { collectRefused, type RefusedSamples } from './refused-samples.ts'
import { badLabels, type WriteBatch } from './write-batch.ts'
import type { Sender } from './senders.ts'
import type { SeriesCache, WrittenSeries } from './written-series.ts'
import type { WrittenFamilies } from './written-families.ts'

/** Longest time by which a sample may be behind the newest one of its series. */
const maxLateMs = 60 * 60 * 1000

type Deps = {
  store: Pick<SampleStore, 'refOf' | 'appendTo' | 'newestOf' | 'assertRoom' | 'oldestMs'>
  clock: Clock
  series: SeriesCache
  families: WrittenFamilies
  sender: Pick<Sender, 'count'>
}

/**
 * `oldestMs`: time of the oldest sample that was written; Infinity if there is none. `isCommitDue`: samples were written, or left out
 * because they had been written before, and may not be on disk.
 */
type Written = { samples: number; oldestMs: number; refused: RefusedSamples; isCommitDue: boolean }

const samplesPerYield = 250
const createdPerYield = 25
const createdPerCheck = 1000
const bytesPerSeries = 2000

/**
 * Appends the samples of a request. Yields after `samplesPerYield` steps: a sample is one, a series that is created ten. Samples
 * that cannot be kept are refused one by one, native histograms among them. Throws `unavailable` if the disk or the memory takes no more;
 * what was appended before stays, and may be sent again.
 */
export function* writingSamples(
  batch: WriteBatch,
  organizationId: number,
  { store, clock, series: cache, families, sender }: Deps,
): AsyncCooperativeTask<Written> {
  const { samples, firstSamples, histograms } = batch
  const refused = batch.refused ?? collectRefused()
  const written: Written = { samples: 0, oldestMs: Infinity, refused, isCommitDue: false }
  const [oldestMs, newestMs] = [store.oldestMs(), clock.now() + maxLeadMs]
  let [steps, created] = [0, 0]

  function seriesOf(index: number): WrittenSeries {
    const key = batch.keyOf(index)
    const known = cache.find(organizationId, key)
    if (known) return known
    const labels = batch.labelsOf(index)
    if (!labels.some(([name, value]) => name === '__name__' && value !== '')) throw badLabels('must have __name__')
    const ref = store.refOf(organizationId, labels)
    const found = { ref, newestMs: ref.head ? spanOf(ref.head).toMs : -Infinity }
    cache.add(organizationId, key, found)
    created += 1
    steps += samplesPerYield / createdPerYield
    const family = batch.familyOf(index)
    if (family) families.add(organizationId, family)
    return found
  }

  /** Reason why a sample at this time is refused. */
  function problemOf(timeMs: number, series: WrittenSeries): string | undefined {
    if (timeMs < oldestMs) return 'older than the samples that are kept (SAMPLES_RETENTION_DAYS)'
    if (timeMs > newestMs) return `more than ${maxLeadMs / 60_000} minutes in the future`
    if (timeMs < series.newestMs - maxLateMs) return 'more than an hour behind the newest sample of the series'
    return undefined
  }

  function refuse(index: number, count: number, why: string): void {
    refused.add(batch.refusedBy?.(index) ?? count, why, () => batch.labelsOf(index))
  }

  function append(index: number, series: WrittenSeries): void {
    sender.count(series)
    const counts = batch.countsOf?.(index)
    for (let at = firstSamples[index] ?? 0; at < (firstSamples[index + 1] ?? 0); at += 1) {
      const timeMs = samples.timesMs[at] ?? 0
      const problem = problemOf(timeMs, series)
      steps += 1
      if (problem !== undefined) {
        refuse(index, 1, problem)
        continue
      }
      const value = isStale(samples.values, at) ? 'stale' : (samples.values[at] ?? 0)
      written.isCommitDue = true
      if (!counts) store.appendTo(series.ref, timeMs, value)
      else if (!appendCount({ store, series, timeMs, value, counts, request: batch })) continue
      written.samples += 1
      if (timeMs > series.newestMs) series.newestMs = timeMs
      if (timeMs < written.oldestMs) written.oldestMs = timeMs
    }
  }

  for (const [index, count] of histograms.entries()) {
    const sampleCount = (firstSamples[index + 1] ?? 0) - (firstSamples[index] ?? 0)
    if (count > 0) refuse(index, count, 'native histograms are not supported')
    if (sampleCount === 0) continue
    try {
      append(index, seriesOf(index))
    } catch (error) {
      if (!(error instanceof AppError) || (error.kind !== 'invalid' && error.kind !== 'conflict')) throw error
      refuse(index, sampleCount, error.details ?? error.message)
    }
    if (created >= createdPerCheck) {
      created = 0
      if (!(yield* awaitStep(hasRoomFor(createdPerCheck * bytesPerSeries)))) throw noMemory()
    }
    if (steps < samplesPerYield) continue
    steps = 0
    store.assertRoom()
    yield
  }
  for (const family of batch.families) families.add(organizationId, family)
  return written
}

function noMemory(): AppError {
  return new AppError('unavailable', 'nines has no memory for so many new series at the moment')
}
