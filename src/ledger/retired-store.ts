import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { isNotEvaluated } from '../slos/store.ts'
import { day, floorTo, hour, minute } from './bucket.ts'
import { masksOf } from './excluded/masks.ts'
import { putMeasured } from './excluded/put-measured.ts'
import type { LedgerBucket } from './ledger-store.ts'

/** Buckets of `from` seconds that are summed into one of `to` seconds. */
const levels = [
  { from: minute, to: hour },
  { from: hour, to: day },
] as const
const lateSeconds = 600 // measurements under way when the revision ended are written by then
const revisionsPerBatch = 20

/**
 * Closes the last hours and days of retired revisions, which an edit, a pause or a deletion has ended, from their stored buckets:
 * no source is queried for them until they are measured again, and their minutes are not kept for long.
 */
export async function sumUpRetiredBuckets({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  for (const level of levels) {
    const end = floorTo(clock.now() / 1000 - lateSeconds, level.to)
    while ((await sumUpSome(db, level, end)) > 0) await yieldToEventLoop()
  }
}

/**
 * Sums up the last buckets before a time, a multiple of `to`, of retired revisions: earlier ones, and those of SLOs that are
 * deleted or paused. Buckets that a stored hour (or day) includes are skipped. Takes only some revisions, so that no other write waits long;
 * returns the number of buckets written.
 */
async function sumUpSome(db: Database, { from, to }: (typeof levels)[number], endSeconds: number): Promise<number> {
  const openOf = (revision: string) => sql`buckets.slo_id = ${sql.ref(`${revision}.slo_id`)}
    and buckets.revision = ${sql.ref(`${revision}.revision`)} and buckets.resolution = ${from}
    and buckets.start >= ${sql.ref(`${revision}.since`)} and buckets.start < ${endSeconds}`
  const masks = await masksOf(db)
  return db.write.transaction().execute(async (trx) => {
    // SQLite takes bare columns next to a single min() from the row with the minimum.
    const { rows } = await sql<LedgerBucket>`
    with retired as (
      select measured.slo_id, measured.revision, coalesce(
        (
          select max(start) + ${to} from buckets
          where slo_id = measured.slo_id and revision = measured.revision and resolution = ${to} and start < ${endSeconds}
        ), 0
      ) as since
      from slo_revisions as measured join slos on slos.id = measured.slo_id
      where ${isNotEvaluated} or measured.revision < slos.revision
    ), due as (
      select * from retired where exists (select 1 from buckets where ${openOf('retired')}) limit ${revisionsPerBatch}
    ), sums as (
      select buckets.slo_id, buckets.revision, buckets.start - buckets.start % ${to} as began,
        sum(coalesce(e.good, buckets.good)) as good, sum(coalesce(e.total, buckets.total)) as total,
        sum(buckets.covered_seconds) as covered, coalesce(e.lead_good, buckets.lead_good) as lead_good,
        coalesce(e.lead_total, buckets.lead_total) as lead_total,
        min(iif(buckets.covered_seconds > 0, buckets.start, null)) as first_covered
      from due join buckets on ${openOf('due')}
        left join excluded_buckets as e on e.slo_id = buckets.slo_id and e.revision = buckets.revision
          and e.resolution = buckets.resolution and e.start = buckets.start
      group by buckets.slo_id, buckets.revision, began
    )
    select slo_id as "sloId", revision, ${sql.lit(to)} as resolution, began as "startSeconds", good, total, covered as "coveredSeconds",
      iif(covered > 0, lead_good, 0) as "leadGood", iif(covered > 0, lead_total, 0) as "leadTotal"
    from sums`.execute(trx)
    await putMeasured(trx, rows, masks)
    return rows.length
  })
}
