import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { AlertRow, AlertSeverity, NotificationRow, SloRow } from '../../db/tables/tables.ts'
import type { StoredState } from '../incidents/incident-store.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import { isAbandoned } from '../../slos/store.ts'

type StateBefore = Pick<StoredState, 'state' | 'sinceSeconds' | 'reason'>

/** The evaluations that are stored as the latest of an SLO that is active and unchanged since; with the SLOs and the states before. */
export async function listStoredEvaluations(
  trx: Db,
  evaluations: Evaluation[],
): Promise<{ slo: SloRow; evaluation: Evaluation; before: StateBefore }[]> {
  const byId = new Map(evaluations.map((evaluation) => [evaluation.sloId, evaluation]))
  const rows = await trx
    .selectFrom('slos')
    .innerJoin('slo_states', 'slo_states.slo_id', 'slos.id')
    .selectAll('slos')
    .select(['slo_states.evaluated_at', 'slo_states.measured_at', 'state', 'state_since', 'state_reason'])
    .where('slos.id', 'in', among([...byId.keys()]))
    .execute()
  return rows.flatMap(({ evaluated_at, measured_at, state, state_since, state_reason, ...slo }) => {
    const evaluation = byId.get(slo.id)
    const before = { state, sinceSeconds: state_since, reason: state_reason }
    if (evaluation?.evaluatedAtMs !== evaluated_at || evaluation.sloUpdatedAtMs !== slo.updated_at) return []
    const isStored = evaluation.isFailed || measured_at === 1000 * evaluation.atSeconds
    return isStored && slo.active === 1 ? [{ slo, evaluation, before }] : []
  })
}

/** Open alerts of these SLOs. */
export async function listOpenAlerts(trx: Db, sloIds: number[]): Promise<AlertRow[]> {
  return trx
    .selectFrom('alerts')
    .selectAll()
    .where('slo_id', 'in', among(sloIds))
    .where('ended_at', 'is', null)
    .execute()
}

type OfSlo = { slo: SloRow; alert: AlertRow }

/** Open alerts of SLOs that nothing evaluates any more, with the SLOs. */
export async function listOrphanedAlerts(db: Db, nowMs: number): Promise<OfSlo[]> {
  const alerts = await db
    .selectFrom('alerts')
    .innerJoin('slos', 'slos.id', 'alerts.slo_id')
    .selectAll('alerts')
    .where('alerts.ended_at', 'is', null)
    .where(isAbandoned(nowMs))
    .execute()
  return withSlos(db, alerts)
}

/** Alerts with these ids and their SLOs, in the order in which they began. */
export async function listAlertsWithSlos(trx: Db, ids: (number | null)[]): Promise<OfSlo[]> {
  return withSlos(trx, await trx.selectFrom('alerts').selectAll().where('id', 'in', among(ids)).orderBy('id').execute())
}

/** Alerts with these ids that are of nines itself, in the order in which they began. */
export async function listConditionAlerts(trx: Db, ids: (number | null)[]): Promise<AlertRow[]> {
  const alerts = trx.selectFrom('alerts').selectAll().where('id', 'in', among(ids)).where('slo_id', 'is', null)
  return alerts.orderBy('id').execute()
}

async function withSlos(db: Db, alerts: AlertRow[]): Promise<OfSlo[]> {
  const ids = alerts.map(({ slo_id }) => slo_id)
  const slos = await db.selectFrom('slos').selectAll().where('id', 'in', among(ids)).execute()
  const byId = new Map<number | null, SloRow>(slos.map((slo) => [slo.id, slo]))
  return alerts.flatMap((alert) => {
    const slo = byId.get(alert.slo_id)
    return slo ? [{ slo, alert }] : []
  })
}

/** Alerts that ended after the oldest open alert of their SLO began, or within `recentSeconds` before that. */
export async function listRecentlyEnded(trx: Db, sloIds: number[], recentSeconds: number): Promise<AlertRow[]> {
  return trx
    .selectFrom('alerts')
    .selectAll()
    .where('slo_id', 'in', among(sloIds))
    .where(
      'ended_at',
      '>',
      sql<number>`(
        select min(began_at) from alerts as open where open.slo_id = alerts.slo_id and open.ended_at is null
      ) - ${recentSeconds}`,
    )
    .execute()
}

type NewAlert = Pick<AlertRow, 'organization_id' | 'slo_id' | 'name' | 'severity' | 'began_at'> &
  Partial<Pick<AlertRow, 'peak_burn_rate' | 'reason'>>

export async function insertAlerts(trx: Db, alerts: NewAlert[]): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    insert into alerts (organization_id, slo_id, name, severity, began_at, reason, peak_burn_rate)
    select value->>'organization_id', value->>'slo_id', value->>'name', value->>'severity', value->>'began_at',
      value->>'reason', value->>'peak_burn_rate'
    from json_each(${JSON.stringify(alerts)}) order by key
    returning *
  `.execute(trx)
  return rows
}

/** Alerts of these incidents, oldest first. */
export async function listAlertsOfIncidents(trx: Db, incidentIds: number[]): Promise<AlertRow[]> {
  const alerts = trx.selectFrom('alerts').selectAll().where('incident_id', 'in', among(incidentIds))
  return alerts.orderBy('id').execute()
}

/** Ends alerts and returns the ids of those that were still open. */
export async function endAlerts(trx: Db, ids: number[], endedAtSeconds: number): Promise<Set<number>> {
  const ended = await trx
    .updateTable('alerts')
    .set({ ended_at: endedAtSeconds })
    .where('id', 'in', among(ids))
    .where('ended_at', 'is', null)
    .returning('id')
    .execute()
  return new Set(ended.map(({ id }) => id))
}

/** Alert columns without an acknowledgement. */
export const unacknowledged = {
  acknowledged_at: null,
  acknowledged_by: null,
  acknowledged_by_name: null,
  acknowledgement_note: null,
} as const

/** Sets the severity of alerts and clears acknowledgements, which were for the old one. */
export async function setSeverity(trx: Db, ids: number[], severity: AlertSeverity): Promise<void> {
  await trx
    .updateTable('alerts')
    .set({ severity, ...unacknowledged })
    .where('id', 'in', among(ids))
    .execute()
}

/** Stores the present reason of an outage, or the present message of a condition. */
export async function setReason(trx: Db, id: number, reason: string): Promise<void> {
  await trx.updateTable('alerts').set({ reason }).where('id', '=', id).execute()
}

/** Stores new peak burn rates of alerts. */
export async function setPeaks(trx: Db, peaks: { id: number; peak: number }[]): Promise<void> {
  await sql`
    update alerts set peak_burn_rate = one.value->>'peak'
    from json_each(${JSON.stringify(peaks)}) as one where alerts.id = one.value->>'id'
  `.execute(trx)
}

export type SentNotification = Pick<
  NotificationRow,
  | 'id'
  | 'alert_id'
  | 'rule_id'
  | 'channel_id'
  | 'channel_type'
  | 'alert_type'
  | 'status'
  | 'priority'
  | 'max_retries'
  | 'created_at'
  | 'updated_at'
  | 'incident_id'
  | 'relapse'
> & {
  channel_enabled: number | null
  severity: AlertSeverity | null
  /** Id of the notification if it lists several incidents, of which `incident_id` is one; absent: it is about one. */
  list_id?: number
}

/**
 * Notifications that reported these alerts and incidents as firing, oldest first; those that reported a recovery are left out.
 * `channel_enabled` null: the channel was deleted. `severity`: that of the alert.
 */
export async function listSentFor(
  trx: Db,
  { alertIds, incidentIds }: { alertIds: number[]; incidentIds: number[] },
): Promise<SentNotification[]> {
  return trx
    .selectFrom('notifications')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .leftJoin('alerts', 'alerts.id', 'notifications.alert_id')
    .select([
      'notifications.id',
      'notifications.alert_id',
      'notifications.incident_id',
      'notifications.relapse',
      'alerts.severity',
      'notifications.rule_id',
      'notifications.channel_id',
      'notifications.channel_type',
      'notifications.alert_type',
      'notifications.status',
      'notifications.priority',
      'notifications.max_retries',
      'notifications.created_at',
      'notifications.updated_at',
      'channels.enabled as channel_enabled',
    ])
    .where((where) =>
      where.or([
        where('notifications.alert_id', 'in', among(alertIds)),
        where('notifications.incident_id', 'in', among(incidentIds)),
      ]),
    )
    .where('notifications.event', '=', 'alert')
    .orderBy('notifications.id')
    .execute()
}

type SpacedRule = { id: number | null; min_interval_seconds: number }

/**
 * Time at which these rules last notified of an alert of each SLO, in ms, by `ruleOfSlo`: of the rules with a minimum interval,
 * and as far back as the longest of these reaches.
 */
export async function listLastNotified(
  trx: Db,
  rules: readonly SpacedRule[],
  nowMs: number,
): Promise<Map<string, number>> {
  const spaced = rules.filter(({ min_interval_seconds }) => min_interval_seconds > 0)
  if (spaced.length === 0) return new Map()
  const sinceMs = nowMs - Math.max(...spaced.map(({ min_interval_seconds }) => min_interval_seconds)) * 1000
  const rows = await trx
    .selectFrom('notifications')
    .select(['rule_id', 'slo_id', ({ fn }) => fn.max('created_at').as('at')])
    .where('rule_id', 'in', among([...new Set(spaced.map(({ id }) => id))]))
    .where('created_at', '>', sinceMs)
    .where('event', '=', 'alert')
    .where('status', '<>', 'throttled')
    .groupBy(['rule_id', 'slo_id'])
    .execute()
  return new Map(rows.map(({ rule_id, slo_id, at }) => [ruleOfSlo(rule_id, slo_id), at]))
}

/** Key of a rule and one of its SLOs; null: nines itself. */
export function ruleOfSlo(ruleId: number | null, sloId: number | null): string {
  return `${ruleId} ${sloId}`
}

/** Deletes the oldest alerts that ended before a time, at most `limit`; returns their number. Keeps those of open incidents. */
export async function deleteAlertsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from alerts where id in (
      select id from alerts where ended_at < ${beforeMs / 1000}
        and not exists (select 1 from incidents where incidents.id = alerts.incident_id and incidents.closed_at is null)
      order by ended_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows)
}
