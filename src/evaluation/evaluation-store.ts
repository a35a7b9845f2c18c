import { sql } from 'kysely'
import { aroundDamagedRows } from '../db/failures/damage.ts'
import type { Db } from '../db/open.ts'
import { ofSlos } from '../db/statements/watch-slos.ts'
import { executeOverRows } from '../db/statements/rows-at-once.ts'
import type { DataSourceRow, SloRow, StateRow, Status } from '../db/tables/tables.ts'
import { isDatabaseDamaged } from '../errors.ts'
import type { BurnRate } from '../slos/arithmetic/burn-rates.ts'
import { listActiveIds } from '../slos/store.ts'

/** The active SLOs of one source; null: of those that have none. */
export type SourceSlos = { source: DataSourceRow | null; slos: SloRow[] }

/**
 * What an SLO was found to be at a minute. Values and the budget used are in percent, coverages 0..1; events are those of
 * the SLO's own window. `failed`: the source gave no answer, so that nothing is said of the time.
 */
export type Evaluation = {
  sloId: number
  organizationId: number
  /** Of how the SLO was measured. */
  revision: number
  /** Which version of the SLO was evaluated; not written any more once it has been edited. */
  sloUpdatedAtMs: number
  /** The end of its windows. */
  atSeconds: number
  evaluatedAtMs: number
  status: Status
  reason: string | null
  message: string | null
  failed: boolean
  /** Over the current window. */
  current: number | null
  /** Over the SLO's own window. */
  own: number | null
  budgetUsed: number | null
  goodEvents: number | null
  totalEvents: number | null
  currentCoverage: number | null
  ownCoverage: number | null
  burnRates: BurnRate[]
  /** How long the evaluation of all SLOs that shared its queries took; null: not known. */
  durationMs: number | null
}

/**
 * Opens and ends the alerts of evaluations and queues the notifications, in the transaction that has just stored them:
 * awaits nothing but SQL. `createAlertRaiser` in `notifications/alerts/raise-alerts.ts` makes it.
 */
export type AlertRaiser = { raiseAlerts(trx: Db, evaluations: Evaluation[]): Promise<void> }

/** Nothing is overtaken by so much: what seems to be from later was found before the clock was set back. */
const maxOvertakenMs = 5000

/** All active SLOs of all organizations by the source that measures them, without those whose rows are damaged. */
export async function listActiveSlos(db: Db): Promise<SourceSlos[]> {
  const slos = await aroundDamagedRows(
    () => active(db).execute(),
    () => listActiveIds(db),
    (ids) =>
      active(db)
        .where('slos.id', 'in', sql<number>`(select value from json_each(${JSON.stringify(ids)}))`)
        .execute(),
  )
  return bySource(db, slos)
}

/** Those of them that have not been evaluated as they are now; all where that cannot be read. */
export async function listNewSlos(db: Db): Promise<SourceSlos[]> {
  const slos = active(db)
    .leftJoin('slo_states', (join) =>
      join.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .where((where) =>
      where.or([
        where('slo_states.slo_id', 'is', null),
        where('slo_states.reason', '=', 'warming_up'),
        where('slos.updated_at', '>', where.ref('slo_states.evaluated_at')),
      ]),
    )
    .execute()
  try {
    return await bySource(db, await slos)
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return listActiveSlos(db)
  }
}

/** Those of the SLOs that have not been deleted since they were listed. */
export async function stillActive(db: Db, slos: SloRow[]): Promise<SloRow[]> {
  const ids = slos.map(({ id }) => id)
  const rows = await db.selectFrom('slos').select('id').where('id', 'in', ids).where('active', '=', 1).execute()
  const remaining = new Set(rows.map(({ id }) => id))
  return slos.filter(({ id }) => remaining.has(id))
}

function active(db: Db) {
  return db.selectFrom('slos').selectAll('slos').where('slos.active', '=', 1)
}

async function bySource(db: Db, slos: SloRow[]): Promise<SourceSlos[]> {
  const sources = await db.selectFrom('data_sources').selectAll().where('is_active', '=', 1).execute()
  const byId = new Map(sources.map((source) => [source.id, source]))
  const defaults = new Map(
    sources.filter(({ is_default }) => is_default === 1).map((source) => [source.organization_id, source]),
  )
  const groups = Map.groupBy(slos, ({ source_id, organization_id }) =>
    source_id === null ? defaults.get(organization_id) : byId.get(source_id),
  )
  return [...groups].map(([source = null, ofSource]) => ({ source, slos: ofSource }))
}

/**
 * Writes evaluations as what is known of each SLO now, and as its history. A failed evaluation changes the status only:
 * values stay those of `measured_at`. An SLO that has been edited or deleted since is skipped: what was found may not
 * hold for it as it is now.
 */
export async function putEvaluations(trx: Db, evaluations: Evaluation[]): Promise<void> {
  const states = evaluations.map((one) => [
    ...versionOf(one),
    one.status,
    one.reason,
    one.message,
    one.evaluatedAtMs,
    one.failed ? null : 1000 * one.atSeconds,
    one.current,
    one.own,
    one.budgetUsed,
    one.goodEvents,
    one.totalEvents,
    one.currentCoverage,
    one.ownCoverage,
    JSON.stringify(one.burnRates),
  ])
  await executeOverRows(trx, states, putStates)
  const history = evaluations.map((one) => [
    ...versionOf(one),
    one.atSeconds,
    one.status,
    one.reason,
    one.current,
    one.own,
    one.budgetUsed,
    JSON.stringify(one.burnRates.map(ratesOnly)),
    one.message,
    one.durationMs,
  ])
  await executeOverRows(trx, history, putHistory)
}

/** Of what was evaluated; the columns that `stillSo` compares. */
function versionOf({ sloId, organizationId, revision, sloUpdatedAtMs }: Evaluation) {
  return [sloId, organizationId, revision, sloUpdatedAtMs]
}

const stillSo = (values: string) => `
  (values ${values}) as found cross join slos on slos.id = found.column1 and slos.organization_id = found.column2
    and slos.revision = found.column3 and slos.updated_at = found.column4
  where slos.active = 1`

const putStates = (values: string) => `${ofSlos(values)}
  insert into slo_states (
    slo_id, organization_id, revision, status, reason, message, evaluated_at, measured_at, current_value, own_value,
    budget_used, good_events, total_events, current_coverage, own_coverage, burn_rates
  )
  select slos.id, slos.organization_id, slos.revision, column5, column6, column7, column8, column9, column10, column11,
    column12, column13, column14, column15, column16, column17
  from ${stillSo(values)}
  on conflict (slo_id) do update set
    revision = excluded.revision,
    status = excluded.status,
    reason = excluded.reason,
    message = excluded.message,
    evaluated_at = excluded.evaluated_at,
    measured_at = ${unlessFailed('measured_at')},
    current_value = ${unlessFailed('current_value')},
    own_value = ${unlessFailed('own_value')},
    budget_used = ${unlessFailed('budget_used')},
    good_events = ${unlessFailed('good_events')},
    total_events = ${unlessFailed('total_events')},
    current_coverage = ${unlessFailed('current_coverage')},
    own_coverage = ${unlessFailed('own_coverage')},
    burn_rates = ${unlessFailed('burn_rates')}
  where excluded.evaluated_at not between slo_states.evaluated_at - ${maxOvertakenMs} and slo_states.evaluated_at - 1`

const putHistory = (values: string) => `${ofSlos(values)}
  insert into evaluations (
    slo_id, at, revision, status, reason, current_value, own_value, budget_used, burn_rates, resolution, rolled_up,
    worst_status, lowest_value, message, duration_ms
  )
  select slos.id, column5, slos.revision, column6, column7, column8, column9, column10, column11, 0, 1,
    column6, column8, column12, column13
  from ${stillSo(values)}
  on conflict (slo_id, at) do update set
    revision = excluded.revision,
    status = excluded.status,
    reason = excluded.reason,
    current_value = excluded.current_value,
    own_value = excluded.own_value,
    budget_used = excluded.budget_used,
    burn_rates = excluded.burn_rates,
    worst_status = excluded.worst_status,
    lowest_value = excluded.lowest_value,
    message = excluded.message,
    duration_ms = excluded.duration_ms
  where excluded.reason is not 'source_error' or evaluations.revision <> excluded.revision`

/** The rest of a tier follows from the SLO's window, and the history is long. */
function ratesOnly({ long_seconds, short_seconds, long, short }: BurnRate) {
  return [long_seconds, short_seconds, long, short]
}

/** Only a failed evaluation has no `measured_at`; what an earlier revision measured is not kept for it either. */
function unlessFailed(column: keyof StateRow): string {
  return `iif(
    excluded.measured_at is null and excluded.revision = slo_states.revision,
    slo_states.${column},
    excluded.${column}
  )`
}
