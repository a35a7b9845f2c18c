import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'

/** An incident at a channel, since it last began to fail. */
type IncidentAtChannel = { incident_id: number | null; channel_id: number; relapse: number | null }

/** Key in the result of `listLowerSeverityRecoveries`. */
export function incidentAtChannelKey({ incident_id, channel_id, relapse }: IncidentAtChannel): string {
  return `${incident_id} ${channel_id} ${relapse}`
}

/**
 * Ids of the last lower-severity recoveries of these incidents, without failed ones, by `incidentAtChannelKey`. An incident tool (such as
 * PagerDuty) opens a second incident when the severity rises; a lower-severity recovery ends the first.
 */
export async function listLowerSeverityRecoveries(trx: Db, incidentIds: number[]): Promise<Map<string, number>> {
  const ends = trx.selectFrom('notifications').select(['id', 'incident_id', 'channel_id', 'relapse']).orderBy('id')
  const rows = await ends
    .where('incident_id', 'in', among(incidentIds))
    .where('event', '=', 'recovery')
    .where('incident_event', '=', 'rose')
    .where('status', '<>', 'failed')
    .execute()
  return new Map(rows.map((row) => [incidentAtChannelKey(row), row.id]))
}

/** True for a lower-severity recovery; see `listLowerSeverityRecoveries`. */
export function isLowerSeverityRecovery({
  event,
  incident_event,
}: Pick<NotificationRow, 'event' | 'incident_event'>): boolean {
  return event === 'recovery' && incident_event === 'rose'
}

/** True once the receiver has accepted the higher severity, by itself or in a list, or once the incident has recovered or is closed. */
export async function maySendLowerSeverityRecovery(
  db: Db,
  { incident_id, channel_id, relapse }: IncidentAtChannel,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from notifications
    where incident_id = ${incident_id} and channel_id = ${channel_id} and event = 'alert' and relapse = ${relapse}
      and ${isAccepted} and ${isUrgentRow}
    union all
    select 1 from notification_incidents as named join notifications on notifications.id = named.notification_id
    where named.incident_id = ${incident_id} and channel_id = ${channel_id} and event = 'alert'
      and named.relapse = ${relapse} and kind = 'critical' and ${isAccepted}
    union all
    select 1 from incidents where id = ${incident_id} and coalesce(recovered_at, closed_at) is not null
    limit 1
  `.execute(db)
  return rows.length > 0
}

const isAccepted = sql<boolean>`(status = 'sent' or status = 'delivered')`
const severity = sql`metadata->>'$.alert.severity'`

/** True for a notification of an urgent alert. */
const isUrgentRow = sql<boolean>`(${severity} = 'page' or ${severity} = 'critical')`

type Opening = Pick<NotificationRow, 'status' | 'channel_type' | 'sealed_configuration'>

/**
 * Notifications that opened an incident at a channel, newest first: those of the same urgency as the recovery or acknowledgement that
 * is given with its `metadata`.
 */
export async function listOpeningsOfLevel(
  db: Db,
  { incident_id, channel_id, metadata }: Pick<NotificationRow, 'incident_id' | 'channel_id' | 'metadata'>,
): Promise<Opening[]> {
  const { rows } = await sql<Opening>`
    select status, channel_type, sealed_configuration from notifications
    where incident_id = ${incident_id} and channel_id = ${channel_id} and event = 'alert'
      and ${isUrgentRow} = (${metadata}->>'$.alert.severity' = 'page' or ${metadata}->>'$.alert.severity' = 'critical')
    order by id desc
  `.execute(db)
  return rows
}
