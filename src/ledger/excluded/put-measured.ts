import type { Db } from '../../db/open.ts'
import { secondsOf } from '../../slos/corrections/spans.ts'
import { minute } from '../bucket.ts'
import { type LedgerBucket, putBuckets } from '../ledger-store.ts'
import { type ExcludedBucket, type ExcludedSum, putExcluded, sumExcluded } from './excluded-store.ts'
import type { Masks } from './masks.ts'

/**
 * Returns buckets less what is excluded of their time, and stores the measured values of those that this changes. An excluded minute keeps
 * its covered seconds, but has no events. From an hour or a day, it subtracts what the shorter buckets exclude, or the share of the excluded
 * time if none is known. To be called in the transaction that writes the returned buckets.
 */
export async function exclude(
  trx: Db,
  buckets: LedgerBucket[],
  masks: Pick<Masks, 'isEmpty' | 'spansOf'>,
): Promise<LedgerBucket[]> {
  if (masks.isEmpty) return buckets
  const masked = buckets.flatMap((bucket) => {
    const { sloId, startSeconds, resolution } = bucket
    const spans = masks.spansOf(sloId, { startSeconds, endSeconds: startSeconds + resolution })
    const isBeginExcluded = spans[0]?.startSeconds === startSeconds
    return spans.length > 0 ? [{ bucket, seconds: secondsOf(spans), isBeginExcluded }] : []
  })
  if (masked.length === 0) return buckets
  const counted = new Map<LedgerBucket, LedgerBucket>()
  for (const [, some] of [...Map.groupBy(masked, ({ bucket }) => bucket.resolution)].toSorted(([a], [b]) => a - b)) {
    const isMinutes = some[0]?.bucket.resolution === minute
    const finer = isMinutes
      ? []
      : await sumFiner(
          trx,
          some.map(({ bucket }) => bucket),
        )
    const rows = some.map(({ bucket, seconds }, at) => excludedOf(bucket, seconds, finer[at]))
    await putExcluded(trx, rows)
    some.forEach(({ bucket, isBeginExcluded }, at) => {
      const row = rows[at]
      if (row) counted.set(bucket, subtractExcluded(row, isBeginExcluded))
    })
  }
  return buckets.map((bucket) => counted.get(bucket) ?? bucket)
}

/** Writes buckets as they were measured, less what is excluded; stored ones are replaced. */
export async function putMeasured(trx: Db, buckets: LedgerBucket[], masks: Masks): Promise<void> {
  await putBuckets(trx, await exclude(trx, buckets, masks))
}

/** Sums what shorter buckets exclude; those of the same length, which are about to be replaced, are left out. */
async function sumFiner(trx: Db, buckets: LedgerBucket[]): Promise<ExcludedSum[]> {
  await putExcluded(trx, buckets.map(withoutExclusion))
  return sumExcluded(
    trx,
    buckets.map(({ sloId, revision, startSeconds, resolution }) => {
      return { sloId, revision, startSeconds, endSeconds: startSeconds + resolution }
    }),
  )
}

function withoutExclusion(bucket: LedgerBucket): ExcludedBucket {
  return { ...bucket, excludedGood: 0, excludedTotal: 0, excludedSeconds: 0, isFinest: false, isEstimated: false }
}

function excludedOf(bucket: LedgerBucket, seconds: number, finer: ExcludedSum | undefined): ExcludedBucket {
  const { good, total, resolution } = bucket
  const isWhole = seconds >= resolution
  const share = seconds / resolution
  const isKnown = finer !== undefined && finer.buckets > 0
  const part = isWhole ? { good, total } : isKnown ? finer : { good: good * share, total: total * share }
  return {
    ...bucket,
    excludedGood: Math.min(good, Math.max(0, part.good)),
    excludedTotal: Math.min(total, Math.max(0, part.total)),
    excludedSeconds: seconds,
    isFinest: !isKnown,
    isEstimated: !isWhole && !isKnown,
  }
}

/** `isBeginExcluded`: its lead is of a time that does not count. */
function subtractExcluded(row: ExcludedBucket, isBeginExcluded: boolean): LedgerBucket {
  const { sloId, revision, resolution, startSeconds, coveredSeconds } = row
  const total = row.total - row.excludedTotal
  const good = Math.min(total, Math.max(0, row.good - row.excludedGood))
  return {
    sloId,
    revision,
    resolution,
    startSeconds,
    coveredSeconds,
    good,
    total,
    leadGood: isBeginExcluded ? 0 : Math.min(row.leadGood, good),
    leadTotal: isBeginExcluded ? 0 : Math.min(row.leadTotal, total),
  }
}
