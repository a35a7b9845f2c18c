import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** Evaluations of `from` seconds (0: as they were made) that are to become one row for every `to`, in seconds. */
export type RollUp = { from: 0 | 3600; to: 3600 | 86_400 }

/**
 * Rolls up some of the oldest evaluations before a time, which is a multiple of `to`: of each SLO, revision and hour (or
 * day) the last stays, and stands for all of them. Returns whether there was anything to do; what was done stays done.
 */
export async function rollUpSome(db: Db, { from, to }: RollUp, beforeSeconds: number, limit: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const due = await trx
      .selectFrom('evaluations')
      .select((q) => ['slo_id', sql<number>`${q.ref('at')} - ${q.ref('at')} % ${to}`.as('start')])
      .where('resolution', '=', from)
      .where('at', '<', beforeSeconds)
      .orderBy('at')
      .limit(limit)
      .execute()
    if (due.length === 0) return false
    const together = sql`
      (select distinct value->>'slo_id' as slo_id, value->>'start' as start from json_each(${JSON.stringify(due)})) as due
      cross join evaluations as one on one.slo_id = due.slo_id and one.at >= due.start and one.at < due.start + ${to}
    `
    await sql`
      update evaluations
      set resolution = ${to}, rolled_up = sums.rolled_up, lowest_value = sums.lowest_value,
        worst_status = ${statusOf('sums.worst')}
      from (
        select one.slo_id, max(one.at) as last, sum(one.rolled_up) as rolled_up, min(one.lowest_value) as lowest_value,
          max(${badness}) as worst
        from ${together}
        group by one.slo_id, due.start, one.revision
      ) as sums
      where evaluations.slo_id = sums.slo_id and evaluations.at = sums.last
    `.execute(trx)
    await sql`
      delete from evaluations where (slo_id, at) in (
        select one.slo_id, one.at from ${together}
        where exists (
          select 1 from evaluations as later
          where later.slo_id = one.slo_id and later.revision = one.revision
            and later.at > one.at and later.at < due.start + ${to}
        )
      )
    `.execute(trx)
    return true
  })
}

// Not knowing is worse than being well, and better than knowing the worst.
const statuses = ['healthy', 'unknown', 'warning', 'critical']
const badness = sql`case one.worst_status ${sql.join(
  statuses.map((status, n) => sql`when ${sql.lit(status)} then ${sql.lit(n)}`),
  sql` `,
)} end`

function statusOf(column: string) {
  return sql`json_array(${sql.join(statuses.map(sql.lit))})->>${sql.ref(column)}`
}

/** Some of the evaluations before a time, at most `limit`, so that no other write waits long. Returns how many went. */
export async function deleteEvaluationsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from evaluations where (slo_id, at) in (
      select slo_id, at from evaluations where resolution in (0, 3600, 86400) and at < ${timeMs / 1000} limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
