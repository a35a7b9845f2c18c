import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Resolution, Bucket, Span } from './bucket.ts'

/** One way of measuring one SLO. */
export type Measurement = { sloId: number; revision: number }

/** A bucket and whose it is. */
export type LedgerBucket = Bucket & Measurement & { resolution: Resolution }

/** The buckets of one length that begin in `[startSeconds, endSeconds)`. */
export type BucketRange = Span & Measurement

/** What the buckets of a range come to; the leads are those of the first of them that covers anything. */
export type RangeSum = Omit<Bucket, 'startSeconds'>

/** Writes buckets; one that is there already is replaced, never added to. */
export async function putBuckets(trx: Db, buckets: LedgerBucket[]): Promise<void> {
  if (buckets.length === 0) return
  const rows = buckets.map((bucket) => [
    bucket.sloId,
    bucket.revision,
    bucket.resolution,
    bucket.startSeconds,
    bucket.good,
    bucket.total,
    bucket.coveredSeconds,
    bucket.leadGood,
    bucket.leadTotal,
  ])
  await sql`
    insert or replace into buckets
      (slo_id, revision, resolution, start, good, total, covered_seconds, lead_good, lead_total)
    select value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
    from json_each(${JSON.stringify(rows)})`.execute(trx)
}

/** The buckets of a range, oldest first. */
export async function listBuckets(db: Db, range: BucketRange): Promise<Bucket[]> {
  return db
    .selectFrom('buckets')
    .select([
      'start as startSeconds',
      'good',
      'total',
      'covered_seconds as coveredSeconds',
      'lead_good as leadGood',
      'lead_total as leadTotal',
    ])
    .where('slo_id', '=', range.sloId)
    .where('revision', '=', range.revision)
    .where('resolution', '=', range.resolution)
    .where('start', '>=', range.startSeconds)
    .where('start', '<', range.endSeconds)
    .orderBy('start')
    .execute()
}

/** When the buckets of each range begin, in the order of the ranges. */
export async function listStarts(db: Db, ranges: BucketRange[]): Promise<number[][]> {
  if (ranges.length === 0) return []
  const { rows } = await sql<{ starts: string }>`
    select json_group_array(buckets.start) filter (where buckets.start is not null) as starts
    from json_each(${keys(ranges)}) as range
    left join buckets on ${inRange}
    group by range.rowid`.execute(db)
  return rows.map(({ starts }) => JSON.parse(starts))
}

/** What is measured in each range, in the order of the ranges: one statement, however many there are. */
export async function sumRanges(db: Db, ranges: BucketRange[]): Promise<RangeSum[]> {
  if (ranges.length === 0) return []
  // SQLite takes columns beside a lone min() from the row that has it.
  const { rows } = await sql<RangeSum & { firstCovered: number | null }>`
    select
      coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total, coalesce(sum(covered_seconds), 0) as coveredSeconds,
      coalesce(lead_good, 0) as leadGood, coalesce(lead_total, 0) as leadTotal,
      min(iif(covered_seconds > 0, start, null)) as firstCovered
    from json_each(${keys(ranges)}) as range
    left join buckets on ${inRange}
    group by range.rowid`.execute(db)
  return rows
}

/** Buckets of one length that begin before a time, at most `limit`, so that no other write waits long. Returns how many went. */
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

const inRange = sql`buckets.slo_id = range.value->>0 and buckets.revision = range.value->>1
  and buckets.resolution = range.value->>2 and buckets.start >= range.value->>3 and buckets.start < range.value->>4`

function keys(ranges: BucketRange[]): string {
  return JSON.stringify(
    ranges.map(({ sloId, revision, resolution, startSeconds, endSeconds }) => [
      sloId,
      revision,
      resolution,
      startSeconds,
      endSeconds,
    ]),
  )
}
