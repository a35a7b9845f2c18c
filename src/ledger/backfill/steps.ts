import type { Database, Db } from '../../db/open.ts'
import { type BackfillToDo, getBackfill, updateBackfill } from '../../slos/backfills/store.ts'
import {
  type Bucket,
  ceilTo,
  day,
  dayOf,
  floorTo,
  hour,
  hoursKeptSeconds,
  type MeasuredBuckets,
  minute,
  type Resolution,
  type Span,
  sumBuckets,
} from '../bucket.ts'
import { maxCommonGapSeconds } from '../counters/quantities.ts'
import { listMeasured, sumMeasured } from '../excluded/excluded-store.ts'
import { type Masks, masksOf } from '../excluded/masks.ts'
import { putMeasured } from '../excluded/put-measured.ts'
import { sumRanges } from '../ledger-store.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'

/** Next query of a backfill; `previousSpan` is the span that it queried last. */
export type Step = { slo: BackfillToDo; chunks: number; done: number; span: Span; previousSpan: Span | undefined }

/** A step whose buckets are events (`countsEvents`) or seconds. */
export type MeasuredStep = Step & { countsEvents: boolean }

/** A step and the answer of its source. */
export type StepResult = { step: MeasuredStep; measured: MeasuredBuckets }

const minutesBackSeconds = 72 * hour // the longest burn rate window
const coverageToleranceSeconds = 600 // coverage of an hour or a day is only exact to some minutes

/** Next query of a backfill, from the number of chunks that it has done. */
export function stepOf(slo: BackfillToDo, retentionDays: number): Step {
  const chunks = backfillChunks(slo.ends_at, retentionDays)
  const done = Math.min(slo.chunks_done, chunks.length - 1) // fewer if the retention has been shortened since
  const span = chunks[done]
  if (!span) throw new Error('a backfill has at least one chunk')
  return { slo, chunks: chunks.length, done, span, previousSpan: chunks[done - 1] }
}

const minuteChunkSeconds = 12 * hour

/** Time from which everything is filled in after `chunksDone` chunks of minutes; at most three days before the backfill's end. */
export function filledFrom(endsAtSeconds: number, chunksDone: number): number {
  const filledSeconds = Math.min(minutesBackSeconds, chunksDone * minuteChunkSeconds)
  return chunksDone === 0 ? endsAtSeconds : floorTo(endsAtSeconds, hour) - filledSeconds
}

/**
 * Spans that a backfill queries, newest first: minutes of three days, hours of 35, days of the whole retention. The same end
 * always gives the same chunks, and backfills that end in the same hour share all but the first.
 */
export function backfillChunks(endsAtSeconds: number, retentionDays: number): Span[] {
  const retention = retentionDays * day
  const chunksOf = (resolution: Resolution, backSeconds: number, chunkSeconds: number): Span[] => {
    const wholeEnd = floorTo(endsAtSeconds, Math.max(resolution, hour))
    const first = wholeEnd - Math.min(backSeconds, retention)
    const count = Math.ceil((wholeEnd - first) / chunkSeconds)
    return Array.from({ length: count }, (_, at) => ({
      resolution,
      startSeconds: Math.max(first, wholeEnd - (at + 1) * chunkSeconds),
      endSeconds: at === 0 ? floorTo(endsAtSeconds, resolution) : wholeEnd - at * chunkSeconds,
    }))
  }
  return [
    ...chunksOf(minute, minutesBackSeconds, minuteChunkSeconds),
    ...chunksOf(hour, hoursKeptSeconds, 5 * day),
    ...chunksOf(day, retention, 50 * day),
  ]
}

/** Writes the measured buckets of SLOs and the progress of their backfills in one transaction; an error ends a backfill. */
export async function recordSteps(db: Database, steps: readonly StepResult[], nowMs: number): Promise<void> {
  const masks = await masksOf(db)
  const written = db.write.transaction().execute(async (trx) => {
    for (const { step, measured } of steps) await recordStep({ trx, masks }, step, measured, nowMs)
  })
  await written.finally(() => ledgerCacheOf(db).invalidate(steps.map(({ step }) => step.slo.id)))
}

type Writing = { trx: Db; masks: Masks }

/** Measured buckets of a step. `exact`: minutes, and days that were summed from exact hours; the coverage of others is off by minutes. */
type StepBuckets = { buckets: Bucket[]; exact: ReadonlySet<Bucket> }

async function recordStep(
  { trx, masks }: Writing,
  step: MeasuredStep,
  measured: MeasuredBuckets,
  nowMs: number,
): Promise<void> {
  const { slo, chunks } = step
  if (!(await isAsListed(trx, slo))) return
  if ('error' in measured) {
    const error = measured.error.details ?? measured.error.message
    await updateBackfill(trx, slo.id, slo.revision, { status: 'failed', error, updated_at: nowMs })
    return
  }
  const { added, changed } = await addBuckets({ trx, masks }, step, await withHours(trx, step, measured.buckets))
  const buckets = slo.buckets + added + (await addHours({ trx, masks }, slo, step.span, changed))
  const done = (await isBeyondData(trx, step)) ? chunks : step.done + 1
  const status = done === chunks ? 'done' : 'running'
  await updateBackfill(trx, slo.id, slo.revision, { status, chunks, chunks_done: done, buckets, updated_at: nowMs })
}

/** True if the backfill was not cancelled, restarted or replaced by another revision while the source was queried. */
async function isAsListed(trx: Db, slo: BackfillToDo): Promise<boolean> {
  const present = await getBackfill(trx, slo.organization_id, slo.id)
  const isSame =
    present.revision === slo.revision && present.created_at === slo.begun_at && present.chunks_done === slo.chunks_done
  return isSame && (present.status === 'waiting' || present.status === 'running')
}

/**
 * Writes buckets that are not stored yet. A stored bucket is replaced only after late samples: if the new one has more, or if a
 * gap before it has data now, which the lead of the stored bucket already counts: what its first sample brings from the time
 * before the bucket. Returns the written buckets, and the number of new ones.
 */
async function addBuckets(
  { trx, masks }: Writing,
  { slo, span }: MeasuredStep,
  { buckets, exact }: StepBuckets,
): Promise<{ added: number; changed: Bucket[] }> {
  if (buckets.length === 0) return { added: 0, changed: [] }
  const key = { sloId: slo.id, revision: slo.revision, resolution: span.resolution }
  const rangeWithLeads = { ...key, startSeconds: span.startSeconds, endSeconds: span.endSeconds + maxCommonGapSeconds }
  const stored = (await listMeasured(trx, rangeWithLeads)).filter(isCovered)
  const storedByStart = new Map(stored.map((bucket) => [bucket.startSeconds, bucket]))
  const measured = new Map(buckets.filter(isCovered).map((bucket) => [bucket.startSeconds, bucket]))
  const changed: Bucket[] = []
  let added = 0
  let addedEvents = 0
  for (const start of [...new Set([...storedByStart.keys(), ...measured.keys()])].toSorted((a, b) => a - b)) {
    const [old, fresh] = [storedByStart.get(start), measured.get(start)]
    const isMore = fresh !== undefined && (!old || hasMore(old, fresh, exact.has(fresh)))
    const corrected = isMore ? fresh : old && withoutCounted(span, old, fresh, addedEvents)
    if (corrected) changed.push(corrected)
    if (isMore && !old) added += 1
    addedEvents = isMore ? addedEvents + fresh.total - (old?.total ?? 0) : 0
    if (start >= span.endSeconds) break // only the first stored bucket after the span has a lead from within it
  }
  await putMeasured(
    trx,
    changed.map((bucket) => ({ ...bucket, ...key })),
    masks,
  )
  return { added, changed }
}

/** True if late samples have arrived in a bucket: an exact one has more of anything, another covers more time. */
function hasMore(old: Bucket, fresh: Bucket, isExact: boolean): boolean {
  const longerSeconds = fresh.coveredSeconds - old.coveredSeconds
  if (!isExact) return longerSeconds > coverageToleranceSeconds
  return longerSeconds > 0 || (longerSeconds === 0 && fresh.total - old.total > 1e-9 * old.total)
}

const isCovered = ({ coveredSeconds }: Bucket) => coveredSeconds > 0

/**
 * Bucket without the part of its lead that earlier buckets count now; undefined: nothing to remove. A new measurement of a minute
 * includes its lead, one of an hour or a day does not.
 */
function withoutCounted(
  { resolution }: Span,
  old: Bucket,
  fresh: Bucket | undefined,
  addedEvents: number,
): Bucket | undefined {
  if (resolution === minute) {
    const isLess = fresh !== undefined && fresh.total < old.total && fresh.leadTotal < old.leadTotal
    return isLess && (addedEvents > 0 || fresh.leadTotal > 0) ? fresh : undefined // otherwise the source has dropped older samples
  }
  if (addedEvents <= 0 || old.leadTotal < addedEvents / 2) return undefined
  const { good, total, leadGood, leadTotal } = old
  return { ...old, good: good - leadGood, total: total - leadTotal, leadGood: 0, leadTotal: 0 }
}

/**
 * Computes hours as sums of their minutes, which include increases across gaps, unlike `increase` over an hour. Returns the number of
 * new hours.
 */
async function addHours({ trx, masks }: Writing, slo: BackfillToDo, span: Span, minutes: Bucket[]): Promise<number> {
  if (span.resolution !== minute) return 0
  const key = { sloId: slo.id, revision: slo.revision }
  const endSeconds = floorTo(span.endSeconds, hour)
  const range = { ...key, startSeconds: ceilTo(span.startSeconds, hour), endSeconds }
  const changed = new Set(minutes.map(({ startSeconds }) => floorTo(startSeconds, hour)))
  const coveredStarts = new Set(
    (await listMeasured(trx, { ...range, resolution: hour })).filter(isCovered).map(startOf),
  )
  const covered = (await listMeasured(trx, { ...range, resolution: minute })).filter(isCovered)
  const stored = Map.groupBy(covered, ({ startSeconds }) => floorTo(startSeconds, hour))
  // Evaluations that began exactly on the hour have stored all minutes of the previous hour, but not the hour itself.
  const starts = [...stored.keys()].filter((start) => changed.has(start) || !coveredStarts.has(start))
  const hours = starts.map((start) => ({
    ...sumBuckets(stored.get(start) ?? [], start, hour),
    ...key,
    resolution: hour,
  }))
  await putMeasured(trx, hours, masks)
  return starts.filter((start) => !coveredStarts.has(start)).length
}

const startOf = ({ startSeconds }: Bucket) => startSeconds

/**
 * Replaces days by the sums of their hours, as far back as the hours are exact: for events, as long as there are minutes, which include
 * increases across midnight, unlike `increase` over a day; for seconds, as long as there are hours.
 */
async function withHours(trx: Db, { slo, span, countsEvents }: MeasuredStep, measured: Bucket[]): Promise<StepBuckets> {
  if (span.resolution !== day) return { buckets: measured, exact: new Set(span.resolution === minute ? measured : []) }
  const hoursFrom = floorTo(slo.ends_at, hour) - (countsEvents ? minutesBackSeconds : hoursKeptSeconds)
  const key = { sloId: slo.id, revision: slo.revision, resolution: hour } as const
  const days = measured
    .filter(({ startSeconds }) => startSeconds >= hoursFrom)
    .map(({ startSeconds }) => ({ ...key, startSeconds, endSeconds: startSeconds + day }))
  const sums = await sumMeasured(trx, days)
  const sumByDay = new Map(days.map(({ startSeconds }, at) => [startSeconds, sums[at]]))
  const buckets = measured.map((bucket) => {
    const hours = sumByDay.get(bucket.startSeconds)
    return hours ? dayOf(bucket.startSeconds, hours, countsEvents ? bucket : undefined) : bucket
  })
  return { buckets, exact: new Set(buckets.filter((bucket, at) => bucket !== measured[at])) }
}

/** True after two chunks of days without any data, which means that the source has no older data. */
async function isBeyondData(trx: Db, { slo, span, previousSpan }: Step): Promise<boolean> {
  if (span.resolution !== day || previousSpan?.resolution !== span.resolution) return false
  const both = { ...span, endSeconds: previousSpan.endSeconds, sloId: slo.id, revision: slo.revision }
  const [sum] = await sumRanges(trx, [both])
  return sum?.coveredSeconds === 0
}
