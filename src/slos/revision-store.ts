import { insertRow } from '../db/statements/insert-row.ts'
import type { Db } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { assess, errorBudget } from './arithmetic/budget.ts'

/** What decides how an SLO is measured: another value of one of them is another revision. */
export const measuredBy = [
  'metric_query',
  'good_query',
  'bad_query',
  'total_query',
  'threshold',
  'threshold_op',
  'window_method',
  'query_unit',
  'source_id',
] as const

type Definition = Pick<SloRow, (typeof measuredBy)[number]>

export function isMeasuredAlike(one: Definition, other: Definition): boolean {
  return measuredBy.every((field) => one[field] === other[field])
}

/** How many revisions of an SLO are kept. */
const maxRevisions = 100

/** Keeps how this revision of the SLO is measured; the oldest goes beyond 100. */
export async function insertRevision(trx: Db, slo: SloRow, nowMs: number): Promise<void> {
  const definition = JSON.stringify(Object.fromEntries(measuredBy.map((field) => [field, slo[field]])))
  await insertRow(trx, 'slo_revisions', { slo_id: slo.id, revision: slo.revision, definition, created_at: nowMs })
  if (slo.revision <= maxRevisions) return
  await trx
    .deleteFrom('slo_revisions')
    .where('slo_id', '=', slo.id)
    .where('revision', '<=', slo.revision - maxRevisions)
    .execute()
}

/** Clears what an earlier revision measured, which does not hold for this one. */
export async function forgetState(trx: Db, slo: SloRow): Promise<void> {
  await trx
    .updateTable('slo_states')
    .set({
      revision: slo.revision,
      status: 'unknown',
      reason: 'warming_up',
      message: null,
      measured_at: null,
      current_value: null,
      own_value: null,
      budget_used: null,
      good_events: null,
      total_events: null,
      current_coverage: null,
      own_coverage: null,
      burn_rates: '[]',
    })
    .where('slo_id', '=', slo.id)
    .execute()
}

/** What was last measured of the SLO holds for another target too; what was said of it does not. */
export async function reassessState(trx: Db, { id, target }: SloRow): Promise<void> {
  const state = await trx.selectFrom('slo_states').selectAll().where('slo_id', '=', id).executeTakeFirst()
  if (!state) return
  const { percentageUsed } = errorBudget(state.own_value, target)
  const status = state.status === 'unknown' ? 'unknown' : assess(state.current_value, target, percentageUsed)
  const assessed = { status, budget_used: percentageUsed, burn_rates: '[]' } as const
  await trx.updateTable('slo_states').set(assessed).where('slo_id', '=', id).execute()
}

/** What was read of the SLO's tiers does not hold for its new ones. */
export async function forgetBurnRates(trx: Db, sloId: number): Promise<void> {
  await trx.updateTable('slo_states').set({ burn_rates: '[]' }).where('slo_id', '=', sloId).execute()
}

/** The rolling window of the SLO is measured again. */
export async function deleteCheckpoint(trx: Db, sloId: number): Promise<void> {
  await trx.deleteFrom('checkpoints').where('slo_id', '=', sloId).execute()
}

/** `created_at`: since when it has been in force. */
export type Revision = { revision: number; created_at: number }

/** The revisions of an SLO, oldest first. */
export async function listRevisions(db: Db, sloId: number): Promise<Revision[]> {
  return db
    .selectFrom('slo_revisions')
    .select(['revision', 'created_at'])
    .where('slo_id', '=', sloId)
    .orderBy('revision')
    .execute()
}
