import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { Bucket } from './bucket.ts'
import { type BucketRange, inRange, keysOfRanges, type SloRevision } from './ledger-store.ts'

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
    select range.key as place, start as startSeconds, good, total, covered_seconds as coveredSeconds,
      lead_good as leadGood, lead_total as leadTotal
    from json_each(${keys}) as range cross join buckets on ${inRange}`,
)

/** Start of the first minute of each, in their order; null: there is none. */
export async function listBegins(db: Db, measured: SloRevision[]): Promise<(number | null)[]> {
  const keys = JSON.stringify(measured.map(({ sloId, revision }) => [sloId, revision]))
  const { rows } = await beginsOf(db, { keys })
  return rows.map(({ begin }) => begin)
}

const beginsOf = prepared<{ keys: string }, { begin: number | null }>(
  ({ keys }) => sql`
    select (select min(start) from buckets where slo_id = value->>0 and revision = value->>1 and resolution = 60) as "begin"
    from json_each(${keys})`,
)
