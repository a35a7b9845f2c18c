import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { countOf, pageOfParts } from '../../db/page-of.ts'
import { among } from '../../db/statements/among.ts'
import type { AlertRow, AlertSeverity, NotificationRow, SloRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

export const alertStateFilters = ['firing', 'ended', 'all'] as const

/** Alert with its SLO's name and labels (null: of nines itself). `notified`: notifications that were not throttled. */
export type ListedAlert = AlertRow & { slo_name: string | null; labels: SloRow['labels'] | null; notified: number }

export type AlertNotification = Pick<
  NotificationRow,
  'id' | 'alert_id' | 'channel_id' | 'channel_type' | 'status' | 'event' | 'error_message' | 'created_at'
> & {
  /** null: the channel has been deleted. */
  channel_name: string | null
}

/** Filter of alerts. `startMs`, `endMs`: the alert fired at some time between them. `isAlone`: it belongs to no incident. */
export type AlertFilter = {
  sloId?: number | undefined
  teamId?: number | undefined
  severity?: AlertSeverity | undefined
  isAlone?: boolean | undefined
  startMs?: number | undefined
  endMs?: number | undefined
}

type ListOptions = AlertFilter & {
  state: (typeof alertStateFilters)[number]
  page: number
  pageSize: number
}

/** Page of an organization's alerts, firing ones first, each group newest first, with the total count. */
export async function listAlerts(
  db: Db,
  organizationId: number,
  { state, page, pageSize, ...filter }: ListOptions,
): Promise<{ rows: ListedAlert[]; total: number }> {
  const listed = filtered(alertsOfOrganization(db, organizationId), filter)
  const firing = listed.where('alerts.ended_at', 'is', null)
  const ended = listed.where('alerts.ended_at', 'is not', null)
  const parts = { firing: [firing], ended: [ended], all: [firing, ended] }[state] // separate queries: each has its index
  return pageOfParts(parts, { page, pageSize }, (part) => withDetails(part).orderBy('alerts.id', 'desc'))
}

/** Alert with the fields that a timeline shows. */
export type NewestAlert = Pick<
  AlertRow,
  'id' | 'slo_id' | 'name' | 'severity' | 'began_at' | 'ended_at' | 'acknowledged_at'
> & { slo_name: string | null }

/** Newest alerts that match a filter, at most `max`, with the total count. */
export async function listNewestAlerts(
  db: Db,
  organizationId: number,
  filter: AlertFilter,
  max: number,
): Promise<{ rows: NewestAlert[]; total: number }> {
  const matching = filtered(alertsOfOrganization(db, organizationId), filter)
  const rows = await matching
    .leftJoin('slos', 'slos.id', 'alerts.slo_id')
    .select(['alerts.id', 'alerts.slo_id', 'alerts.name', 'alerts.severity', 'alerts.began_at', 'alerts.ended_at'])
    .select(['alerts.acknowledged_at', 'slos.name as slo_name'])
    .orderBy('alerts.id', 'desc')
    .limit(max)
    .execute()
  return { rows, total: await countOf(matching) }
}

/** Number of alerts of one severity of an SLO that began in a span. */
export type AlertCount = { slo_id: number; severity: AlertSeverity; count: number }

/** Counts an organization's alerts of SLOs that began in `[startSeconds, endSeconds)`, by SLO and severity. */
export async function countAlertsBetween(
  db: Db,
  organizationId: number,
  { startSeconds, endSeconds }: { startSeconds: number; endSeconds: number },
): Promise<AlertCount[]> {
  return alertsOfOrganization(db, organizationId)
    .where('alerts.slo_id', 'is not', null)
    .where('alerts.began_at', '>=', startSeconds)
    .where('alerts.began_at', '<', endSeconds)
    .select(({ fn }) => ['alerts.slo_id', 'alerts.severity', fn.countAll<number>().as('count')])
    .groupBy(['alerts.slo_id', 'alerts.severity'])
    .$narrowType<{ slo_id: number }>()
    .execute()
}

/** Burn rates from the latest evaluation, for the SLOs of these alerts. */
export async function listLatestBurnRates(
  db: Db,
  organizationId: number,
  alerts: AlertRow[],
): Promise<{ slo_id: number; burn_rates: string }[]> {
  return db
    .selectFrom('slo_states')
    .innerJoin('slos', (on) =>
      on.onRef('slos.id', '=', 'slo_states.slo_id').onRef('slos.revision', '=', 'slo_states.revision'),
    )
    .select(['slo_states.slo_id', 'slo_states.burn_rates'])
    .where('slos.organization_id', '=', organizationId)
    .where('slos.id', 'in', among(alerts.map(({ slo_id }) => slo_id)))
    .execute()
}

export async function getAlert(db: Db, organizationId: number, id: number): Promise<ListedAlert> {
  const row = await withDetails(alertsOfOrganization(db, organizationId)).where('alerts.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Alert')
  return row
}

/** Firing alert, without the fields that only its own page shows. */
export type FiringAlert = Pick<AlertRow, 'id' | 'name' | 'severity' | 'began_at' | 'acknowledged_at'> & {
  slo_id: number
}

/** Firing alerts of an organization's active SLOs, newest first; at most `limit`, with ids below `beforeId`. */
export async function listFiringAlerts(
  db: Db,
  organizationId: number,
  { beforeId, limit }: { beforeId: number; limit: number },
): Promise<FiringAlert[]> {
  return db
    .selectFrom('alerts')
    .select(['id', 'slo_id', 'name', 'severity', 'began_at', 'acknowledged_at'])
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .where('id', '<', beforeId)
    .where('slo_id', 'in', (q) =>
      q.selectFrom('slos').select('id').where('organization_id', '=', organizationId).where('active', '=', 1),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .$narrowType<{ slo_id: number }>()
    .execute()
}

/**
 * Notifications that these alerts fired or were resolved, oldest first: also throttled ones, and those that list several alerts of
 * an incident.
 */
export async function listNotificationsOf(db: Db, alertIds: number[]): Promise<AlertNotification[]> {
  const columns = [
    'notifications.id',
    'notifications.channel_id',
    'notifications.channel_type',
    'notifications.status',
    'notifications.event',
    'notifications.error_message',
    'notifications.created_at',
    'channels.name as channel_name',
  ] as const
  const ofOneAlert = await db
    .selectFrom('notifications')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .select([...columns, 'notifications.alert_id'])
    .where('notifications.alert_id', 'in', alertIds)
    .execute()
  const ofSeveral = await db
    .selectFrom('alerts')
    .innerJoin('notification_incidents as named', (join) =>
      join.onRef('named.incident_id', '=', 'alerts.incident_id').onRef('named.alert_id', '=', 'alerts.id'),
    )
    .innerJoin('notifications', 'notifications.id', 'named.notification_id')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .select([...columns, 'named.alert_id'])
    .where('alerts.id', 'in', alertIds)
    .execute()
  return [...ofOneAlert, ...ofSeveral].toSorted((one, other) => one.id - other.id)
}

function alertsOfOrganization(db: Db, organizationId: number) {
  return db.selectFrom('alerts').where('alerts.organization_id', '=', organizationId)
}

function filtered(alerts: ReturnType<typeof alertsOfOrganization>, filter: AlertFilter) {
  const { sloId, teamId, severity, isAlone, startMs, endMs } = filter
  return alerts
    .$if(isAlone === true, (q) => q.where('alerts.incident_id', 'is', null))
    .$if(sloId !== undefined, (q) => q.where('alerts.slo_id', '=', sloId ?? null))
    .$if(severity !== undefined, (q) => q.where('alerts.severity', '=', severity ?? 'page'))
    .$if(endMs !== undefined, (q) => q.where('alerts.began_at', '<', (endMs ?? 0) / 1000))
    .$if(startMs !== undefined, (q) =>
      q.where((is) => is.or([is('alerts.ended_at', 'is', null), is('alerts.ended_at', '>', (startMs ?? 0) / 1000)])),
    )
    .$if(teamId !== undefined, (q) =>
      q.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('slos')
            .select('slos.id')
            .whereRef('slos.id', '=', 'alerts.slo_id')
            .where('slos.team_id', '=', teamId ?? 0),
        ),
      ),
    )
}

function withDetails(alerts: ReturnType<typeof alertsOfOrganization>) {
  return alerts
    .leftJoin('slos', 'slos.id', 'alerts.slo_id')
    .selectAll('alerts')
    .select(['slos.name as slo_name', 'slos.labels'])
    .select(
      sql<number>`
        (select count(*) from notifications where alert_id = alerts.id and status <> 'throttled')
        + (
          select count(*) from notification_incidents as named
          where named.incident_id = alerts.incident_id and named.alert_id = alerts.id
        )`.as('notified'),
    )
}
