import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { executeOverRows } from '../../db/statements/bulk-statement.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { Bucket } from '../bucket.ts'
import {
  type BucketRange,
  inRange,
  keysOfRanges,
  type LedgerBucket,
  type RangeSum,
  type SloRevision,
} from '../ledger-store.ts'
import type { Window } from '../window-spans.ts'

/** Bucket as measured, with the part of it that does not count. */
export type ExcludedBucket = LedgerBucket & {
  excludedGood: number
  excludedTotal: number
  excludedSeconds: number
  /** False: shorter buckets have what it excludes. */
  isFinest: boolean
  /** True: what is excluded is its share of the time, because shorter buckets are not known. */
  isEstimated: boolean
}

/** Writes excluded buckets, replacing stored ones. */
export async function putExcluded(trx: Db, buckets: readonly ExcludedBucket[]): Promise<void> {
  const rows = buckets.map((one) => [
    one.sloId,
    one.revision,
    one.resolution,
    one.startSeconds,
    one.good,
    one.total,
    one.coveredSeconds,
    one.leadGood,
    one.leadTotal,
    one.excludedGood,
    one.excludedTotal,
    one.excludedSeconds,
    Number(one.isFinest),
    Number(one.isEstimated),
  ])
  await executeOverRows(trx, rows, replaceExcluded)
}

const replaceExcluded = (values: string) => `
  insert or replace into excluded_buckets (slo_id, revision, resolution, start, good, total, covered_seconds, lead_good, lead_total,
    excluded_good, excluded_total, excluded_seconds, is_finest, is_estimated)
  values ${values}`

/** A bucket as measured; `isStored` false: the ledger no longer keeps it. */
type MeasuredBucket = LedgerBucket & { isStored: boolean }

/** Buckets of all revisions of an SLO that begin in a window, as measured: the shorter first, then the older. */
export async function listMeasuredOf(
  db: Db,
  sloId: number,
  { startSeconds, endSeconds }: Window,
): Promise<MeasuredBucket[]> {
  const columns = sql`revision, resolution, start, good, total, covered_seconds, lead_good, lead_total`
  const inWindow = sql`slo_id = ${sloId} and start >= ${startSeconds} and start < ${endSeconds}`
  const { rows } = await sql<LedgerBucket & { isStored: number }>`
    select ${sloId} as "sloId", revision, resolution, start as "startSeconds", good, total, covered_seconds as "coveredSeconds",
      lead_good as "leadGood", lead_total as "leadTotal", "isStored"
    from (
      select ${columns}, exists (
        select 1 from buckets as b where b.slo_id = e.slo_id and b.revision = e.revision and b.resolution = e.resolution and b.start = e.start
      ) as "isStored" from excluded_buckets as e where ${inWindow}
      union all
      select ${columns}, 1 from buckets as b where ${inWindow} and not exists (
        select 1 from excluded_buckets as e where e.slo_id = b.slo_id and e.revision = b.revision and e.resolution = b.resolution and e.start = b.start
      )
    ) order by resolution, revision, start`.execute(db)
  return rows.map((row) => ({ ...row, isStored: row.isStored === 1 }))
}

/** Deletes the excluded buckets of an SLO that begin in a window. */
export async function deleteExcluded(trx: Db, sloId: number, { startSeconds, endSeconds }: Window): Promise<void> {
  await trx
    .deleteFrom('excluded_buckets')
    .where('slo_id', '=', sloId)
    .where('start', '>=', startSeconds)
    .where('start', '<', endSeconds)
    .execute()
}

/** Sum of what is excluded; `buckets` 0: no shorter bucket is known. `coarsest`: seconds of the longest that is an estimate, at least 60. */
export type ExcludedSum = { good: number; total: number; seconds: number; buckets: number; coarsest: number }

/** Sums what is excluded of the buckets that begin in each window, by the shortest buckets that are known. */
export async function sumExcluded(db: Db, windows: readonly (SloRevision & Window)[]): Promise<ExcludedSum[]> {
  if (windows.length === 0) return []
  const keys = JSON.stringify(windows.map((one) => [one.sloId, one.revision, one.startSeconds, one.endSeconds]))
  return (await finestOf(db, { keys })).rows
}

/** The statement names all resolutions, so that SQLite searches by the whole key; without them it reads each bucket of the SLO. */
const finestOf = prepared<{ keys: string }, ExcludedSum>(
  ({ keys }) => sql`
    select coalesce(sum(excluded_good), 0) as good, coalesce(sum(excluded_total), 0) as total, coalesce(sum(excluded_seconds), 0) as seconds,
      count(start) as buckets, coalesce(max(iif(is_estimated, resolution, 60)), 60) as coarsest
    from json_each(${keys}) as key left join excluded_buckets as e on e.slo_id = key.value->>0 and e.revision = key.value->>1
      and e.resolution in (60, 3600, 86400) and e.start >= key.value->>2 and e.start < key.value->>3 and e.is_finest = 1
    group by key.key order by key.key`,
)

/** Buckets of a range as measured, oldest first. */
export async function listMeasured(db: Db, range: BucketRange): Promise<Bucket[]> {
  return (await measuredOfRange(db, range)).rows
}

const joined = sql`buckets left join excluded_buckets as e on e.slo_id = buckets.slo_id and e.revision = buckets.revision
  and e.resolution = buckets.resolution and e.start = buckets.start`

const measuredOfRange = prepared<BucketRange, Bucket>(
  ({ sloId, revision, resolution, startSeconds, endSeconds }) => sql`
    select buckets.start as startSeconds, coalesce(e.good, buckets.good) as good, coalesce(e.total, buckets.total) as total,
      buckets.covered_seconds as coveredSeconds, coalesce(e.lead_good, buckets.lead_good) as leadGood,
      coalesce(e.lead_total, buckets.lead_total) as leadTotal
    from ${joined}
    where buckets.slo_id = ${sloId} and buckets.revision = ${revision} and buckets.resolution = ${resolution}
      and buckets.start >= ${startSeconds} and buckets.start < ${endSeconds}
    order by buckets.start`,
)

/** Sums the buckets of each range as measured, in order. */
export async function sumMeasured(db: Db, ranges: BucketRange[]): Promise<RangeSum[]> {
  if (ranges.length === 0) return []
  // SQLite takes bare columns next to a single min() from the row with the minimum.
  const { rows } = await sql<RangeSum & { firstCovered: number | null }>`
    select
      coalesce(sum(coalesce(e.good, buckets.good)), 0) as good, coalesce(sum(coalesce(e.total, buckets.total)), 0) as total,
      coalesce(sum(buckets.covered_seconds), 0) as coveredSeconds,
      coalesce(e.lead_good, buckets.lead_good, 0) as leadGood, coalesce(e.lead_total, buckets.lead_total, 0) as leadTotal,
      min(iif(buckets.covered_seconds > 0, buckets.start, null)) as firstCovered
    from json_each(${keysOfRanges(ranges)}) as range
    left join buckets on ${inRange}
    left join excluded_buckets as e on e.slo_id = buckets.slo_id and e.revision = buckets.revision
      and e.resolution = buckets.resolution and e.start = buckets.start
    group by range.rowid`.execute(db)
  return rows
}

/** Start of the first and the last bucket that the ledger has, or had, of an SLO; null: there are none. */
export async function findBounds(db: Db, sloId: number): Promise<Record<'first' | 'last', number | null>> {
  const { rows } = await sql<Record<'first' | 'last', number | null>>`
    select min(start) as first, max(start) as last from (
      select min(start) as start from buckets where slo_id = ${sloId} group by revision, resolution
      union all select max(start) from buckets where slo_id = ${sloId} group by revision, resolution
      union all select min(start) from excluded_buckets where slo_id = ${sloId} group by revision, resolution
    )`.execute(db)
  return rows[0] ?? { first: null, last: null }
}

/** Hours and days of which no shorter buckets are known, oldest first. */
export async function listWithoutMinutes(
  db: Db,
  { sloId, revision }: SloRevision,
): Promise<{ resolution: number; start: number }[]> {
  const { rows } = await sql<{ resolution: number; start: number }>`
    select resolution, start from buckets as b
    where slo_id = ${sloId} and revision = ${revision} and resolution > 60 and covered_seconds > 0 and not exists (
      select 1 from buckets as finer
      where finer.slo_id = b.slo_id and finer.revision = b.revision and finer.resolution = iif(b.resolution = 86400, 3600, 60)
        and finer.start >= b.start and finer.start < b.start + b.resolution
    ) and not exists (
      select 1 from excluded_buckets as known
      where known.slo_id = b.slo_id and known.revision = b.revision and known.resolution = 60
        and known.start >= b.start and known.start < b.start + b.resolution
    ) order by start`.execute(db)
  return rows
}

/** Deletes at most `limit` excluded buckets that begin before a time, which no history reaches back to; returns their number. */
export async function deleteExcludedBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from excluded_buckets where (slo_id, revision, resolution, start) in (
      select old.slo_id, old.revision, old.resolution, old.start
      from slo_exclusions as rules cross join excluded_buckets as old on old.slo_id = rules.slo_id
      where old.start < ${timeMs / 1000} limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
