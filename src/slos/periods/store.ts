import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { pageOf } from '../../db/page-of.ts'
import { among } from '../../db/statements/among.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Page } from '../../http/paging.ts'

export type PeriodRow = Selectable<Tables['slo_periods']>

/**
 * Stores a period that has ended. One that is stored already stays as it is, unless it was stored at a later time than now: by a
 * clock that was ahead, maybe before the period had ended.
 */
export async function insertPeriod(trx: Db, period: Insertable<Tables['slo_periods']>): Promise<void> {
  const { slo_id, ends_at, time_window, time_zone, frozen_at } = period
  await trx
    .deleteFrom('slo_periods')
    .where('slo_id', '=', slo_id)
    .where('ends_at', '=', ends_at)
    .where('time_window', '=', time_window)
    .where('time_zone', '=', time_zone)
    .where('frozen_at', '>', frozen_at)
    .execute()
  await trx
    .insertInto('slo_periods')
    .values(period)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Ends of the newest stored periods, in Unix seconds; `frozenKey` gives the key. A period is frozen once it is stored; those stored at a
 * later time than now do not count.
 */
export async function listFrozenEnds(db: Db, sloIds: readonly number[], nowMs: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('slo_periods')
    .select(['slo_id', 'time_window', 'time_zone'])
    .select(({ fn }) => fn.max('ends_at').as('ends_at'))
    .where('slo_id', 'in', sloIds)
    .where('frozen_at', '<=', nowMs)
    .groupBy(['slo_id', 'time_window', 'time_zone'])
    .execute()
  return new Map(
    rows.map(({ slo_id, time_window, time_zone, ends_at }) => [frozenKey(slo_id, time_window, time_zone), ends_at]),
  )
}

/** Key of an SLO's periods of one window and time zone. */
export function frozenKey(sloId: number, window: string, zone: string | null): string {
  return `${sloId} ${window} ${zone}`
}

/** Page of the periods of an SLO that were stored until now, newest first, and their total number. */
export async function listPeriods(
  db: Db,
  sloId: number,
  nowMs: number,
  page: Page,
): Promise<{ rows: PeriodRow[]; total: number }> {
  const stored = db.selectFrom('slo_periods').where('slo_id', '=', sloId).where('frozen_at', '<=', nowMs)
  return pageOf(stored, page, (periods) =>
    periods.selectAll().orderBy('ends_at', 'desc').orderBy('time_window').orderBy('time_zone'),
  )
}

/** Periods of these SLOs that ended in `(startSeconds, endSeconds]`, by SLO, oldest first. */
export async function listPeriodsEnding(
  db: Db,
  sloIds: readonly number[],
  { startSeconds, endSeconds }: { startSeconds: number; endSeconds: number },
): Promise<PeriodRow[]> {
  const ended = db.selectFrom('slo_periods').selectAll().where('slo_id', 'in', among(sloIds))
  const inSpan = ended.where('ends_at', '>', startSeconds).where('ends_at', '<=', endSeconds)
  return inSpan.orderBy('slo_id').orderBy('ends_at').orderBy('starts_at').execute()
}

/** Periods of an SLO that begin at a time, ordered by window and zone. */
export async function listPeriodsFrom(db: Db, sloId: number, startSeconds: number): Promise<PeriodRow[]> {
  const ofSlo = db.selectFrom('slo_periods').selectAll().where('slo_id', '=', sloId)
  return ofSlo.where('starts_at', '=', startSeconds).orderBy('time_window').orderBy('time_zone').execute()
}

/** Changes the figures of a stored period. */
export async function updatePeriod(trx: Db, row: PeriodRow, change: Updateable<Tables['slo_periods']>): Promise<void> {
  await trx
    .updateTable('slo_periods')
    .set(change)
    .where('slo_id', '=', row.slo_id)
    .where('ends_at', '=', row.ends_at)
    .where('time_window', '=', row.time_window)
    .where('time_zone', '=', row.time_zone)
    .execute()
}
