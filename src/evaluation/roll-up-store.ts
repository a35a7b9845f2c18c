import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import { day, hour } from '../ledger/bucket.ts'

/** Rollup levels: beyond an age, one evaluation for every `to` seconds replaces all of `from` seconds (0: not rolled up). */
const levels = [
  { from: 0, to: hour, ageSeconds: 2 * day },
  { from: hour, to: day, ageSeconds: 35 * day },
] as const
const rowsPerBatch = 50 // each adds all rows of its hour or day

/**
 * Rolls up old evaluations: of each hour that ended two days ago, and of each day that ended 35 days ago, only the last
 * remains. It stands for all of them, with the worst status and the lowest value among them.
 */
export async function rollUpEvaluations({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  for (const level of levels) {
    const beforeSeconds = Math.floor((clock.now() / 1000 - level.ageSeconds) / level.to) * level.to
    while (await rollUpSome(db.write, level, beforeSeconds)) await yieldToEventLoop()
  }
}

/**
 * Rolls up some of the oldest evaluations before a time, which must be a multiple of `to`: of each SLO, revision and hour (or
 * day) the last remains and stands for all. Returns true if there was anything to do. Each call is one transaction.
 */
export async function rollUpSome(
  db: Db,
  { from, to }: { from: number; to: number },
  beforeSeconds: number,
  limit = rowsPerBatch,
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

// Unknown is worse than healthy, but better than a known bad status.
const statuses = ['healthy', 'unknown', 'warning', 'critical']
const badness = sql`case one.worst_status ${sql.join(
  statuses.map((status, n) => sql`when ${sql.lit(status)} then ${sql.lit(n)}`),
  sql` `,
)} end`

function statusOf(column: string) {
  return sql`json_array(${sql.join(statuses.map(sql.lit))})->>${sql.ref(column)}`
}

/** Deletes at most `limit` evaluations before a time, so that no other write waits long. Returns the number deleted. */
export async function deleteEvaluationsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from evaluations where (slo_id, at) in (
      select slo_id, at from evaluations where resolution in (0, 3600, 86400) and at < ${timeMs / 1000} limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
