import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'

const hour = 3600
const day = 86_400

/** Evaluations of `from` seconds (0: as they were made), of which there is one for every `to` seconds from an age on. */
const levels = [
  { from: 0, to: hour, ageSeconds: 2 * day },
  { from: hour, to: day, ageSeconds: 35 * day },
] as const
const rowsAtOnce = 50 // each brings its whole hour or day

/**
 * Leaves of the evaluations of an hour that ended two days ago the last, and of those of a day that ended 35 days ago: it
 * stands for all, with the worst status and the lowest value among them.
 */
export async function rollUpEvaluations({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  for (const level of levels) {
    const before = Math.floor((clock.now() / 1000 - level.ageSeconds) / level.to) * level.to
    while (await rollUpSome(db.write, level, before)) await nextTurn()
  }
}

/**
 * Rolls up some of the oldest evaluations before a time, which is a multiple of `to`: of each SLO, revision and hour (or
 * day) the last stays, and stands for all of them. Returns whether there was anything to do; what was done stays done.
 */
export async function rollUpSome(
  db: Db,
  { from, to }: { from: number; to: number },
  beforeSeconds: number,
  limit = rowsAtOnce,
): Promise<boolean> {
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
    const allOfDue = sql`
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
        from ${allOfDue}
        group by one.slo_id, due.start, one.revision
      ) as sums
      where evaluations.slo_id = sums.slo_id and evaluations.at = sums.last
    `.execute(trx)
    await sql`
      delete from evaluations where (slo_id, at) in (
        select one.slo_id, one.at from ${allOfDue}
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

// Unknown is worse than healthy, and better than what is known to be bad.
const statuses = ['healthy', 'unknown', 'warning', 'critical']
const badness = sql`case one.worst_status ${sql.join(
  statuses.map((status, n) => sql`when ${sql.lit(status)} then ${sql.lit(n)}`),
  sql` `,
)} end`

function statusOf(column: string) {
  return sql`json_array(${sql.join(statuses.map(sql.lit))})->>${sql.ref(column)}`
}

/** Some of the evaluations before a time, at most `limit`, so that no other write waits long. Returns how many were deleted. */
export async function deleteEvaluationsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from evaluations where (slo_id, at) in (
      select slo_id, at from evaluations where resolution in (0, 3600, 86400) and at < ${timeMs / 1000} limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
