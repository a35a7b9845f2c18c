import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** Buckets of `from` seconds, `to` of which make one. */
export type SumUp = { from: 60; to: 3600 } | { from: 3600; to: 86_400 }

/**
 * Sums up the last buckets that begin before a time, a multiple of `to`, and that no longer one stands for, of revisions
 * that are measured no more: an earlier one, or of a deleted SLO. At most `limit` revisions, so that no other write waits
 * long; returns how many buckets were written.
 */
export async function sumUpRetired(db: Db, { from, to }: SumUp, endSeconds: number, limit: number): Promise<number> {
  const openOf = (revision: string) => sql`buckets.slo_id = ${sql.ref(`${revision}.slo_id`)}
    and buckets.revision = ${sql.ref(`${revision}.revision`)} and buckets.resolution = ${from}
    and buckets.start >= ${sql.ref(`${revision}.since`)} and buckets.start < ${endSeconds}`
  // SQLite takes columns beside a lone min() from the row that has it.
  const { numAffectedRows } = await sql`
    with retired as (
      select measured.slo_id, measured.revision, coalesce(
        (
          select max(start) + ${to} from buckets
          where slo_id = measured.slo_id and revision = measured.revision and resolution = ${to} and start < ${endSeconds}
        ), 0
      ) as since
      from slo_revisions as measured join slos on slos.id = measured.slo_id
      where slos.active = 0 or measured.revision < slos.revision
    ), due as (
      select * from retired where exists (select 1 from buckets where ${openOf('retired')}) limit ${limit}
    ), sums as (
      select buckets.slo_id, buckets.revision, buckets.start - buckets.start % ${to} as began,
        sum(good) as good, sum(total) as total, sum(covered_seconds) as covered, lead_good, lead_total,
        min(iif(covered_seconds > 0, start, null)) as first_covered
      from due join buckets on ${openOf('due')}
      group by buckets.slo_id, buckets.revision, began
    )
    insert into buckets (slo_id, revision, resolution, start, good, total, covered_seconds, lead_good, lead_total)
    select slo_id, revision, ${to}, began, good, total, covered, iif(covered > 0, lead_good, 0), iif(covered > 0, lead_total, 0)
    from sums`.execute(db)
  return Number(numAffectedRows ?? 0)
}
