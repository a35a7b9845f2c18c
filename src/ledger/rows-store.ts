import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Bucket } from './bucket.ts'
import { type BucketRange, inRange, keysOfRanges } from './ledger-store.ts'

/**
 * The buckets of each range, oldest first, in the order of the ranges. A cross join reads range by range and each along the
 * primary key; an `order by` that says so doubles the time.
 */
export async function listRows(db: Db, ranges: BucketRange[]): Promise<Bucket[][]> {
  const lists: Bucket[][] = ranges.map(() => [])
  if (ranges.length === 0) return lists
  const { rows } = await sql<Bucket & { place: number }>`
    select range.key as place, start as startSeconds, good, total, covered_seconds as coveredSeconds,
      lead_good as leadGood, lead_total as leadTotal
    from json_each(${keysOfRanges(ranges)}) as range cross join buckets on ${inRange}`.execute(db)
  for (const row of rows) lists[row.place]?.push(row)
  return lists
}
