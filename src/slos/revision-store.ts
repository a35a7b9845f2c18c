import { sql } from 'kysely'
import { insertRow } from '../db/statements/insert-row.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { Db } from '../db/open.ts'
import type { SloRow, StateRow } from '../db/tables/tables.ts'
import { assess, errorBudget } from './arithmetic/budget.ts'
import { burnRate } from './arithmetic/burn-rates.ts'
import { ownWindow } from './arithmetic/own-window.ts'

/** Fields that decide how an SLO is measured: a change of any of them starts a new revision. */
export const measurementFields = [
  'metric_query',
  'good_query',
  'bad_query',
  'total_query',
  'threshold',
  'threshold_op',
  'window_method',
  'query_unit',
  'source_id',
  'composite',
] as const

type Definition = Pick<SloRow, (typeof measurementFields)[number]>

/** True if two definitions are measured in the same way, so that they are one revision. */
export function isMeasuredAlike(one: Definition, other: Definition): boolean {
  return measurementFields.every((field) => one[field] === other[field])
}

/** Maximum number of revisions kept for an SLO. */
const maxRevisions = 100

/** Stores how this revision of the SLO is measured. Above 100 the oldest is deleted. */
export async function insertRevision(trx: Db, slo: SloRow, nowMs: number): Promise<void> {
  const definition = JSON.stringify(Object.fromEntries(measurementFields.map((field) => [field, slo[field]])))
  await insertRow(trx, 'slo_revisions', { slo_id: slo.id, revision: slo.revision, definition, created_at: nowMs })
  if (slo.revision <= maxRevisions) return
  await trx
    .deleteFrom('slo_revisions')
    .where('slo_id', '=', slo.id)
    .where('revision', '<=', slo.revision - maxRevisions)
    .execute()
}

/** Values of a state in which nothing was measured. */
export const unmeasured = {
  measured_at: null,
  current_value: null,
  own_value: null,
  budget_used: null,
  window_share: null,
  first_sample_at: null,
  good_events: null,
  total_events: null,
  current_coverage: null,
  own_coverage: null,
  running_seconds: 0,
  running_good: 0,
  running_total: 0,
  burn_rates: '[]',
  burn_rate_now: null,
} as const

/** Clears the state that an earlier revision measured; it is not valid for this one. */
export async function clearState(trx: Db, slo: SloRow): Promise<void> {
  await trx
    .updateTable('slo_states')
    .set({
      revision: slo.revision,
      status: 'unknown',
      reason: 'warming_up',
      message: null,
      ...unmeasured,
    })
    .where('slo_id', '=', slo.id)
    .execute()
}

/** Assesses the last measured values again, with a new target instead of the one before, and clears the burn rates of the tiers. */
export async function reassessState(trx: Db, { id, target }: SloRow, targetBefore: number): Promise<void> {
  const state = await trx.selectFrom('slo_states').selectAll().where('slo_id', '=', id).executeTakeFirst()
  if (!state) return
  const { percentageUsed } = errorBudget(state.own_value, target)
  const status = state.status === 'unknown' ? 'unknown' : assess(state.current_value, target, percentageUsed)
  const burn_rate_now = burnRateAt(state.burn_rate_now, targetBefore, target)
  const assessed = { status, budget_used: percentageUsed, burn_rates: '[]', burn_rate_now } as const
  await trx.updateTable('slo_states').set(assessed).where('slo_id', '=', id).execute()
}

/** Burn rate of the same failures for another target; targets in percent. null: not known. */
function burnRateAt(rate: number | null, targetBefore: number, target: number): number | null {
  if (rate === null || rate === 0) return rate
  if (targetBefore >= 100) return null
  const failedRatio = (rate * (100 - targetBefore)) / 100
  return burnRate(1 - failedRatio, target)
}

/**
 * Finds `windowShare`: the part, 0..1, of the SLO's whole own window that has passed since its first sample, if the window ends at
 * `endSeconds`; null: not known. `countsEvents`: the SLO counts events, not time. Both from its last evaluation.
 */
export async function findWindowShare(
  db: Db,
  slo: SloRow,
  endSeconds: number,
): Promise<{ windowShare: number | null; countsEvents: boolean }> {
  const [state] = (await windowShareOf(db, slo)).rows
  const { window_share = null, measured_at = null, first_sample_at = null, total_events = null } = state ?? {}
  const countsEvents = total_events !== null
  if (window_share === null || measured_at === null) return { windowShare: null, countsEvents }
  const [own, measured] = [ownWindow(slo, endSeconds), ownWindow(slo, measured_at / 1000)]
  const wasWhole = window_share * measured.wholeSeconds >= measured.seconds // the first sample was before the window
  const existingSeconds = endSeconds - Math.max(own.startSeconds, (first_sample_at ?? 0) / 1000)
  const share = wasWhole ? own.seconds / own.wholeSeconds : Math.max(0, existingSeconds) / own.wholeSeconds
  return { windowShare: share, countsEvents }
}

const windowShareOf = prepared<
  Pick<SloRow, 'id' | 'revision'>,
  Pick<StateRow, 'window_share' | 'measured_at' | 'first_sample_at' | 'total_events'>
>(
  ({ id, revision }) => sql`
    select window_share, measured_at, first_sample_at, total_events from slo_states where slo_id = ${id} and revision = ${revision}`,
)

/** Reason of the state of an SLO that is paused. */
export const pausedReason = 'paused'

/** Reason of the state of an SLO that is deleted; it is not stored, so that a restored one has its state back. */
export const deletedReason = 'deleted'

/** Sets the state of a paused SLO to `unknown`; the last measured values stay. */
export async function pauseState(trx: Db, { id, organization_id, revision }: SloRow, nowMs: number): Promise<void> {
  const pausedColumns = endedState(pausedReason, 'Paused', nowMs)
  await trx
    .insertInto('slo_states')
    .values({ slo_id: id, organization_id, revision, evaluated_at: nowMs, ...unmeasured, ...pausedColumns })
    .onConflict((conflict) => conflict.column('slo_id').doUpdateSet(pausedColumns))
    .execute()
}

/** State of a deleted SLO: `unknown`, with the last measured values. `stored` null: it was never evaluated. */
export function deletedState(
  { id, organization_id, revision, redefined_at, updated_at }: SloRow,
  stored: StateRow | null,
): StateRow {
  const atMs = redefined_at ?? updated_at
  const state = stored ?? { slo_id: id, organization_id, revision, evaluated_at: atMs, ...unmeasured }
  return { ...state, ...endedState(deletedReason, 'Deleted', atMs) }
}

/** Columns of the state of an SLO that is not evaluated any more. */
function endedState(reason: string, message: string, sinceMs: number) {
  return {
    status: 'unknown',
    reason,
    message,
    burn_rates: '[]',
    burn_rate_now: null,
    state: 'unknown',
    state_reason: reason,
    state_since: Math.floor(sinceMs / 1000),
  } as const
}

/** Sets the state of an SLO that is no longer paused or deleted, until it is evaluated; the last measured values stay. */
export async function resumeState(trx: Db, { id }: SloRow): Promise<void> {
  const status = { status: 'unknown', reason: 'warming_up', message: null } as const
  const state = { state: 'measuring', state_reason: null, state_since: null } as const
  await trx
    .updateTable('slo_states')
    .set({ ...status, ...state })
    .where('slo_id', '=', id)
    .execute()
}

/** Clears the burn rates; they are not valid for new tiers. */
export async function clearBurnRates(trx: Db, sloId: number): Promise<void> {
  await trx.updateTable('slo_states').set({ burn_rates: '[]' }).where('slo_id', '=', sloId).execute()
}

/** Deletes the checkpoint of the SLO's rolling window, so that the window is measured again. */
export async function deleteCheckpoint(trx: Db, sloId: number): Promise<void> {
  await trx.deleteFrom('checkpoints').where('slo_id', '=', sloId).execute()
}

/** Revision of an SLO; it is in force since `created_at`. */
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
