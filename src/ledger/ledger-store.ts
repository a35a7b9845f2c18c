import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { executeOverRows } from '../db/statements/bulk-statement.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import type { Bucket, Resolution, Span } from './bucket.ts'

/** An SLO as one revision measures it. */
export type SloRevision = { sloId: number; revision: number }

/** A bucket, with its SLO and revision. */
export type LedgerBucket = Bucket & SloRevision & { resolution: Resolution }

/** Buckets of one length that begin in `[startSeconds, endSeconds)`. */
export type BucketRange = Span & SloRevision

/** Sum of the buckets of a range, with the leads of the first one that covers anything. */
export type RangeSum = Omit<Bucket, 'startSeconds'>

/** Sum of stored minutes; `minutes`: their number. */
export type MinuteSum = { good: number; total: number; minutes: number }

const openSeconds = 120 // the last two minutes: late samples still arrive
/** Seconds of minutes that the first evaluation of an SLO measures; its burn rates begin with them. */
export const firstMeasuredSeconds = 3600
const maxBackSeconds = 2 * 3600 // older minutes are measured when their hour is closed

/** Writes buckets; stored ones are replaced, never added to. */
export async function putBuckets(db: Db, buckets: LedgerBucket[]): Promise<void> {
  await executeOverRows(db, buckets.map(rowOf), replaceBuckets)
}

/** Leaves unchanged rows alone: most buckets are measured again as they were, and then nothing is written to the write-ahead log. */
const replaceBuckets = (values: string) => `
  insert into buckets (slo_id, revision, resolution, start, good, total, covered_seconds, lead_good, lead_total)
  values ${values}
  on conflict (slo_id, revision, resolution, start) do update set
    good = excluded.good,
    total = excluded.total,
    covered_seconds = excluded.covered_seconds,
    lead_good = excluded.lead_good,
    lead_total = excluded.lead_total
  where good <> excluded.good or total <> excluded.total or covered_seconds <> excluded.covered_seconds
    or lead_good <> excluded.lead_good or lead_total <> excluded.lead_total`

function rowOf(bucket: LedgerBucket) {
  const { sloId, revision, resolution, startSeconds, good, total, coveredSeconds, leadGood, leadTotal } = bucket
  return [sloId, revision, resolution, startSeconds, good, total, coveredSeconds, leadGood, leadTotal]
}

/** The buckets of a range, oldest first. */
export async function listBuckets(db: Db, range: BucketRange): Promise<Bucket[]> {
  return (await bucketsOfRange(db, range)).rows
}

const bucketColumns = sql`
  start as startSeconds, good, total, covered_seconds as coveredSeconds, lead_good as leadGood, lead_total as leadTotal`

const bucketsOfRange = prepared<BucketRange, Bucket>(
  ({ sloId, revision, resolution, startSeconds, endSeconds }) => sql`
    select ${bucketColumns} from buckets
    where slo_id = ${sloId} and revision = ${revision} and resolution = ${resolution}
      and start >= ${startSeconds} and start < ${endSeconds}
    order by start`,
)

/**
 * Lists the buckets of each range, oldest first, in the order of the ranges. A cross join reads range by range, each along the
 * primary key; an `order by` for that would double the time.
 */
export async function listRows(db: Db, ranges: BucketRange[]): Promise<Bucket[][]> {
  const lists: Bucket[][] = ranges.map(() => [])
  if (ranges.length === 0) return lists
  const { rows } = await bucketsOfRanges(db, { keys: keysOfRanges(ranges) })
  for (const row of rows) lists[row.place]?.push(row)
  return lists
}

const bucketsOfRanges = prepared<{ keys: string }, Bucket & { place: number }>(
  ({ keys }) => sql`
    select range.key as place, ${bucketColumns} from json_each(${keys}) as range cross join buckets on ${inRange}`,
)

/** Time from which buckets of an SLO are read. */
export type Since = SloRevision & { fromSeconds: number }

/** A bucket without its leads, for sums in which they count. */
export type BucketSum = Omit<Bucket, 'leadGood' | 'leadTotal'> & { sloId: number }

/** Lists the buckets of one length that begin in `[fromSeconds, endSeconds)`, of many SLOs in one statement. */
export async function listBucketsSince(
  db: Db,
  since: Since[],
  resolution: Resolution,
  endSeconds: number,
): Promise<BucketSum[]> {
  return (await bucketsSince(db, { ranges: rangesSince(since), resolution, endSeconds })).rows
}

const bucketsSince = prepared<{ ranges: string; resolution: Resolution; endSeconds: number }, BucketSum>(
  ({ ranges, resolution, endSeconds }) => sql`
    select slo_id as sloId, start as startSeconds, good, total, covered_seconds as coveredSeconds
    from json_each(${ranges}) as range cross join buckets on slo_id = range.value->>0 and revision = range.value->>1
      and resolution = ${resolution} and start >= range.value->>2 and start < ${endSeconds}`,
)

/** JSON list of SLO id, revision and `fromSeconds`, an entry for each. */
export function rangesSince(since: Since[]): string {
  return JSON.stringify(since.map(({ sloId, revision, fromSeconds }) => [sloId, revision, fromSeconds]))
}

/** Start times of the buckets in each range, in the order of the ranges. */
export async function listStarts(db: Db, ranges: BucketRange[]): Promise<number[][]> {
  if (ranges.length === 0) return []
  const { rows } = await sql<{ starts: string }>`
    select json_group_array(buckets.start) filter (where buckets.start is not null) as starts
    from json_each(${keysOfRanges(ranges)}) as range
    left join buckets on ${inRange}
    group by range.rowid`.execute(db)
  return rows.map(({ starts }) => JSON.parse(starts))
}

/** Sums the buckets of each range, in the order of the ranges, in one statement. */
export async function sumRanges(db: Db, ranges: BucketRange[]): Promise<RangeSum[]> {
  if (ranges.length === 0) return []
  // SQLite takes bare columns next to a single min() from the row with the minimum.
  const { rows } = await sql<RangeSum & { firstCovered: number | null }>`
    select
      coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total, coalesce(sum(covered_seconds), 0) as coveredSeconds,
      coalesce(lead_good, 0) as leadGood, coalesce(lead_total, 0) as leadTotal,
      min(iif(covered_seconds > 0, start, null)) as firstCovered
    from json_each(${keysOfRanges(ranges)}) as range
    left join buckets on ${inRange}
    group by range.rowid`.execute(db)
  return rows
}

/** Sums the minutes from each `startSeconds` up to `endSeconds`, in order; one statement, because each round reads many. */
export async function sumMinutes(
  db: Db,
  starts: (SloRevision & { startSeconds: number })[],
  endSeconds: number,
): Promise<MinuteSum[]> {
  if (starts.length === 0) return []
  const keys = JSON.stringify(starts.map(({ sloId, revision, startSeconds }) => [sloId, revision, startSeconds]))
  const { rows } = await sql<MinuteSum>`
    select coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total, count(start) as minutes
    from json_each(${keys}) left join buckets on slo_id = value->>0 and revision = value->>1 and resolution = 60
      and start >= value->>2 and start < ${endSeconds}
    group by json_each.key`.execute(db)
  return rows
}

/**
 * Deletes at most `limit` buckets of one length that begin before a time, so that no other write waits long. Returns the number
 * deleted.
 */
export async function deleteBucketsBefore(
  db: Db,
  resolution: Resolution,
  beforeSeconds: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from buckets where (slo_id, revision, resolution, start) in (
      select old.slo_id, old.revision, old.resolution, old.start
      from slo_revisions as measured cross join buckets as old
        on old.slo_id = measured.slo_id and old.revision = measured.revision
        and old.resolution = ${resolution} and old.start < ${beforeSeconds}
      limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Time from which each SLO's minutes are to be measured, up to the whole minute `untilSeconds`; in Unix seconds by SLO id. It
 * is two minutes before the end of the stored ones; at least three minutes and at most two hours are measured. An SLO without
 * minutes begins with an hour.
 */
export async function minutesToMeasure(
  db: Db,
  planned: PlannedSlo[],
  untilSeconds: number,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ sloId: number; measuredUntil: number | null }>`
    select value->>0 as "sloId",
      (
        select max(start) + 60 from buckets
        where slo_id = value->>0 and revision = value->>1 and resolution = 60 and start < ${untilSeconds}
      ) as "measuredUntil"
    from json_each(${keysOf(planned)})`.execute(db)
  const latest = untilSeconds - openSeconds - 60
  const earliest = untilSeconds - maxBackSeconds
  return new Map(
    rows.map(({ sloId, measuredUntil }) => {
      const reopened = measuredUntil === null ? untilSeconds - firstMeasuredSeconds : measuredUntil - openSeconds
      return [sloId, Math.min(latest, Math.max(earliest, reopened))]
    }),
  )
}

/** Start of the first stored minute of each revision, in their order; null: there is none. */
export async function listFirstMinutes(db: Db, measured: SloRevision[]): Promise<(number | null)[]> {
  const keys = JSON.stringify(measured.map(({ sloId, revision }) => [sloId, revision]))
  const { rows } = await beginsOf(db, { keys })
  return rows.map(({ begin }) => begin)
}

const beginsOf = prepared<{ keys: string }, { begin: number | null }>(
  ({ keys }) => sql`
    select (select min(start) from buckets where slo_id = value->>0 and revision = value->>1 and resolution = 60) as "begin"
    from json_each(${keys})`,
)

/**
 * Time up to which each SLO's hours or days are stored, in Unix seconds by SLO id. They are closed in order, from the end of
 * its backfill (or from its first minute, without a backfill), at most from `earliestSeconds` on, which begins a bucket. An SLO
 * that has not been measured yet is left out. Buckets beyond `nowSeconds` were written while the clock was wrong and are
 * ignored.
 */
export async function closedUntil(
  db: Db,
  planned: PlannedSlo[],
  resolution: 3600 | 86_400,
  earliestSeconds: number,
  nowSeconds: number,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ sloId: number; closed: number }>`
    with begun as (
      select value->>0 as slo_id, value->>1 as revision, coalesce(
        (select ends_at from backfills where slo_id = value->>0 and revision = value->>1),
        (select min(start) from buckets where slo_id = value->>0 and revision = value->>1 and resolution = 60)
      ) as at
      from json_each(${keysOf(planned)})
    ), since as (
      select slo_id, revision, max(${earliestSeconds}, at - at % ${resolution}) as first from begun where at is not null
    )
    select slo_id as "sloId", coalesce(
      (
        select max(start) + ${resolution} from buckets
        where buckets.slo_id = since.slo_id and buckets.revision = since.revision
          and resolution = ${resolution} and start >= first and start + ${resolution} <= ${nowSeconds}
      ),
      first
    ) as closed
    from since`.execute(db)
  return new Map(rows.map(({ sloId, closed }) => [sloId, closed]))
}

/** True if a row of `buckets` is in `range`, a row of `json_each` of `keysOfRanges`. */
export const inRange = sql`buckets.slo_id = range.value->>0 and buckets.revision = range.value->>1
  and buckets.resolution = range.value->>2 and buckets.start >= range.value->>3 and buckets.start < range.value->>4`

export function keysOfRanges(ranges: BucketRange[]): string {
  return JSON.stringify(
    ranges.map((one) => [one.sloId, one.revision, one.resolution, one.startSeconds, one.endSeconds]),
  )
}

function keysOf(planned: PlannedSlo[]): string {
  return JSON.stringify(planned.map(({ slo }) => [slo.id, slo.revision]))
}
