import { aroundDamagedRows } from '../db/failures/damage.ts'
import type { Db } from '../db/open.ts'
import { pageOf } from '../db/page-of.ts'
import { among } from '../db/statements/among.ts'
import { executeOverRows } from '../db/statements/bulk-statement.ts'
import type { DataSourceRow, EvaluationRow, SloRow, StateRow } from '../db/tables/tables.ts'
import type { Page } from '../http/paging.ts'
import type { Status } from '../slos/arithmetic/budget.ts'
import { isDatabaseDamaged } from '../errors.ts'
import type { BurnRate } from '../slos/arithmetic/burn-rates.ts'
import type { RecentBurn } from '../slos/arithmetic/state.ts'
import { listActiveIds, undoMs } from '../slos/store.ts'
import type { CurrentMinute } from './measure-values.ts'
import type { Outage } from './outage.ts'

/** Active SLOs of one source; `source` null: SLOs without a source. */
export type SourceSlos = { source: DataSourceRow | null; slos: SloRow[] }

/**
 * Result of evaluating an SLO at a minute. Values and the budget used are in percent, coverages 0..1; events are over the SLO's
 * own window, the one of its target. The current window is the last hour, or 5 minutes of an SLO over 1 hour. `isFailed`: the source
 * did not answer, so the SLI of this minute is not known.
 */
export type Evaluation = {
  sloId: number
  organizationId: number
  /** Revision of how the SLO is measured. */
  revision: number
  /** Version of the SLO that was evaluated; the evaluation is not stored if the SLO was edited since. */
  sloUpdatedAtMs: number
  /** End of its windows. */
  atSeconds: number
  /**
   * Runs of embedded probes since `atSeconds`. The values include them if at least one of them failed, so that a failure shows before
   * the minute is over; absent: they include none.
   */
  currentMinute?: CurrentMinute
  evaluatedAtMs: number
  status: Status
  reason: string | null
  message: string | null
  isFailed: boolean
  /** SLI over the current window. */
  current: number | null
  /** SLI over the SLO's own window. */
  own: number | null
  budgetUsed: number | null
  /** Share of the SLO's own window since its first sample, 0..1; null: not known. */
  windowShare: number | null
  /** Time of the first sample that the ledger has of this revision. */
  firstSampleAtMs: number | null
  goodEvents: number | null
  totalEvents: number | null
  currentCoverage: number | null
  ownCoverage: number | null
  burnRates: BurnRate[]
  /** Burn rate of the newest data; null: not known. */
  recent: RecentBurn | null
  /** Label value that fails most, of an SLO that burns; null: no label explains it; absent: not known. */
  cause?: FailureCause | null
  /** Outage as known when the evaluation is stored; null unless the SLI reads embedded probes only. */
  outage: Outage | null
  /**
   * Set while a correction or the SLO's service hours exclude the present time; `until`: ISO 8601. Absent or null: the present time
   * counts.
   */
  exclusion?: { until: string } | null
  /** True if corrections exclude all that was counted in the current window. */
  isCurrentExcluded?: boolean
  /** Time at which the corrections and service hours of the SLO were last applied; absent or null: it has none. */
  excludedAtMs?: number | null
  /** Time that the evaluation of all SLOs that share its queries took; null: not known. */
  durationMs: number | null
}

/**
 * Label value whose share of all failures exceeds its share of all events most; `value` empty: series without the label;
 * `traffic_percent` null: its traffic says nothing about its failures.
 */
export type FailureCause = {
  label: string
  value: string
  failures_percent: number
  traffic_percent: number | null
}

/**
 * Opens and resolves the alerts of evaluations and queues their notifications, in the transaction that has just stored the
 * evaluations. Awaits nothing but SQL. Made by `createAlertRaiser` in `notifications/alerts/raise-alerts.ts`.
 */
export type AlertRaiser = { raiseAlerts(trx: Db, evaluations: Evaluation[]): Promise<void> }

/** Longest time by which one evaluation can overtake another. If the stored one is newer by more, the clock was set back. */
const maxOvertakenMs = 5000

/** Active SLOs that are not paused, by source: all, those of some organizations or with some ids. Damaged rows are left out. */
export async function listActiveSlos(
  db: Db,
  { organizationIds, ids: only }: { organizationIds?: number[]; ids?: number[] } = {},
): Promise<SourceSlos[]> {
  let listed = activeSlos(db).selectAll('slos')
  if (organizationIds) listed = listed.where('slos.organization_id', 'in', organizationIds)
  if (only) listed = listed.where('slos.id', 'in', among(only))
  const slos = await aroundDamagedRows(
    () => listed.execute(),
    () => listActiveIds(db),
    (ids) => listed.where('slos.id', 'in', among(ids)).execute(),
  )
  return groupBySource(db, slos)
}

/**
 * Lists the SLOs of `listActiveSlos` that were not evaluated since their last edit, or not since the time to undo it has passed,
 * because their alerts wait for that. Lists all of them if damaged rows make that impossible.
 */
export async function listNewSlos(db: Db, nowMs: number): Promise<SourceSlos[]> {
  const slos = activeSlos(db)
    .selectAll('slos')
    .leftJoin('slo_states', (join) =>
      join.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .where((where) =>
      where.or([
        where('slo_states.slo_id', 'is', null),
        where('slo_states.reason', '=', 'warming_up'),
        where('slos.updated_at', '>', where.ref('slo_states.evaluated_at')),
        where.and([
          where('slos.redefined_at', '<=', nowMs - undoMs),
          where(where('slos.redefined_at', '+', undoMs), '>', where.ref('slo_states.evaluated_at')),
        ]),
      ]),
    )
    .execute()
  try {
    return await groupBySource(db, await slos)
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return listActiveSlos(db)
  }
}

/** Drops SLOs that were deleted or paused since they were listed. */
export async function onlyActive(db: Db, slos: SloRow[]): Promise<SloRow[]> {
  const ids = slos.map(({ id }) => id)
  const rows = await activeSlos(db).select('id').where('id', 'in', ids).execute()
  const remaining = new Set(rows.map(({ id }) => id))
  return slos.filter(({ id }) => remaining.has(id))
}

/** SLOs that are evaluated: neither deleted nor paused. */
function activeSlos(db: Db) {
  return db.selectFrom('slos').where('slos.active', '=', 1).where('slos.paused_at', 'is', null)
}

async function groupBySource(db: Db, slos: SloRow[]): Promise<SourceSlos[]> {
  const sources = await db.selectFrom('data_sources').selectAll().where('is_active', '=', 1).execute()
  const byId = new Map(sources.map((source) => [source.id, source]))
  const defaults = new Map(
    sources.filter(({ is_default }) => is_default === 1).map((source) => [source.organization_id, source]),
  )
  const groups = Map.groupBy(slos, ({ source_id, organization_id }) =>
    source_id === null ? defaults.get(organization_id) : byId.get(source_id),
  )
  return [...groups].map(([source = null, group]) => ({ source, slos: group }))
}

/**
 * Writes evaluations as the present state of each SLO and into its history. A failed evaluation changes the status only; values
 * remain as of `measured_at`. An SLO that was edited, paused or deleted since is skipped, because the result may not apply to it
 * any more. If an evaluation that took less time has already stored a later minute, the state is skipped and the history written.
 */
export async function putEvaluations(trx: Db, evaluations: Evaluation[]): Promise<void> {
  const states = evaluations.map((one) => [
    ...versionOf(one),
    one.status,
    one.reason,
    one.message,
    one.evaluatedAtMs,
    one.isFailed ? null : 1000 * one.atSeconds,
    one.current,
    one.own,
    one.budgetUsed,
    one.windowShare,
    one.firstSampleAtMs,
    one.goodEvents,
    one.totalEvents,
    one.currentCoverage,
    one.ownCoverage,
    one.currentMinute?.coveredSeconds ?? 0,
    one.currentMinute?.good ?? 0,
    one.currentMinute?.total ?? 0,
    JSON.stringify(one.burnRates),
    one.recent?.rate ?? null,
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
    one.windowShare,
    JSON.stringify(one.burnRates.map(ratesOnly)),
    one.message,
    one.durationMs,
  ])
  await executeOverRows(trx, history, putHistory)
}

/** First four values of a row: they identify the evaluated version, and `unchangedSlos` compares them. */
function versionOf({ sloId, organizationId, revision, sloUpdatedAtMs }: Evaluation) {
  return [sloId, organizationId, revision, sloUpdatedAtMs]
}

/** SLOs as they were evaluated. `columnN` is the Nth value of a row of `putEvaluations`. */
const unchangedSlos = (values: string) => `
  (values ${values}) as evaluated cross join slos on slos.id = evaluated.column1 and slos.organization_id = evaluated.column2
    and slos.revision = evaluated.column3 and slos.updated_at = evaluated.column4
  where slos.active = 1 and slos.paused_at is null`

const putStates = (values: string) => `
  insert into slo_states (
    slo_id, organization_id, revision, status, reason, message, evaluated_at, measured_at, current_value, own_value,
    budget_used, window_share, first_sample_at, good_events, total_events, current_coverage, own_coverage,
    running_seconds, running_good, running_total, burn_rates, burn_rate_now
  )
  select slos.id, slos.organization_id, slos.revision, column5, column6, column7, column8, column9, column10, column11,
    column12, column13, column14, column15, column16, column17, column18, column19, column20, column21, column22, column23
  from ${unchangedSlos(values)}
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
    window_share = ${unlessFailed('window_share')},
    first_sample_at = ${unlessFailed('first_sample_at')},
    good_events = ${unlessFailed('good_events')},
    total_events = ${unlessFailed('total_events')},
    current_coverage = ${unlessFailed('current_coverage')},
    own_coverage = ${unlessFailed('own_coverage')},
    running_seconds = ${unlessFailed('running_seconds')},
    running_good = ${unlessFailed('running_good')},
    running_total = ${unlessFailed('running_total')},
    burn_rates = ${unlessFailed('burn_rates')},
    burn_rate_now = ${unlessFailed('burn_rate_now')}
  where excluded.evaluated_at not between slo_states.evaluated_at - ${maxOvertakenMs} and slo_states.evaluated_at - 1
    and ifnull(slo_states.measured_at not between excluded.measured_at + 1 and excluded.evaluated_at, true)`

/** A failed evaluation does not replace one of the same minute and revision. */
const putHistory = (values: string) => `
  insert into evaluations (
    slo_id, at, revision, status, reason, current_value, own_value, budget_used, window_share, burn_rates, resolution,
    rolled_up, worst_status, lowest_value, message, duration_ms
  )
  select slos.id, column5, slos.revision, column6, column7, column8, column9, column10, column11, column12,
    0, 1, column6, column8, column13, column14
  from ${unchangedSlos(values)}
  on conflict (slo_id, at) do update set
    revision = excluded.revision,
    status = excluded.status,
    reason = excluded.reason,
    current_value = excluded.current_value,
    own_value = excluded.own_value,
    budget_used = excluded.budget_used,
    window_share = excluded.window_share,
    burn_rates = excluded.burn_rates,
    worst_status = excluded.worst_status,
    lowest_value = excluded.lowest_value,
    message = excluded.message,
    duration_ms = excluded.duration_ms
  where excluded.reason is not 'source_error' or evaluations.revision <> excluded.revision`

/** Keeps windows and rates only: the rest of a tier follows from the SLO's window, and the history is long. */
function ratesOnly({ long_seconds, short_seconds, long, short }: BurnRate) {
  return [long_seconds, short_seconds, long, short]
}

/**
 * Keeps the stored value if the evaluation failed, that is, has no `measured_at`. Values of an earlier revision are not kept.
 */
function unlessFailed(column: keyof StateRow): string {
  return `iif(
    excluded.measured_at is null and excluded.revision = slo_states.revision,
    slo_states.${column},
    excluded.${column}
  )`
}

/** Lists one page of an SLO's evaluations, newest first, and counts all of them. `failed`: only those that the source did not answer. */
export async function listEvaluations(
  db: Db,
  sloId: number,
  { failed, ...page }: Page & { failed: boolean },
): Promise<{ rows: EvaluationRow[]; total: number }> {
  let listed = db.selectFrom('evaluations').where('slo_id', '=', sloId)
  if (failed) listed = listed.where('reason', '=', 'source_error')
  return pageOf(listed, page, (evaluations) => evaluations.selectAll().orderBy('at', 'desc'))
}
