import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import { executeOverRows } from '../../db/statements/bulk-statement.ts'
import type { ListKind, NotificationEvent, NotificationRow } from '../../db/tables/tables.ts'
import type { SentNotification } from '../alerts/alert-store.ts'
import { contentHash, isQueued, isUnclaimedList } from '../outbox-store.ts'

type SingleCount = { channel_id: number; event: NotificationEvent; count: number }

/** Counts the messages about a single incident each that were queued for these channels from `sinceMs` to now, by channel and event. */
export async function countSingleMessages(trx: Db, channelIds: number[], sinceMs: number, nowMs: number) {
  const { rows } = await sql<SingleCount>`
    select channel_id, event, count(*) as count from notifications
    where created_at between ${sinceMs} and ${nowMs} and incident_id is not null and status <> 'throttled'
      and +channel_id in ${among(channelIds)}
    group by channel_id, event
  `.execute(trx)
  return new Map(rows.map(({ channel_id, event, count }) => [`${channel_id} ${event}`, count]))
}

/**
 * Finds the list of a channel that still gathers incidents, unless a later notification is about an incident of one of these SLOs:
 * joining the list would overtake it. A list that was ever claimed for delivery gathers no more: the receiver may have it, and drops a second message
 * with the same key.
 */
export async function findGathering(
  trx: Db,
  { channelId, kind, sloIds, nowMs }: { channelId: number; kind: ListKind; sloIds: number[]; nowMs: number },
): Promise<NotificationRow | undefined> {
  return trx
    .selectFrom('notifications')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where(isQueued)
    .where(isUnclaimedList)
    .where('next_attempt_at', '>', nowMs)
    .where(
      sql<boolean>`exists (
        select 1 from notification_incidents where notification_id = notifications.id and kind = ${kind}
      )`,
    )
    .where(
      sql<boolean>`not exists (
        select 1 from notifications as later
        where later.slo_id in ${among(sloIds)} and later.id > notifications.id and later.channel_id = ${channelId}
          and later.incident_id is not null
      )`,
    )
    .where(
      sql<boolean>`not exists (
        select 1 from notifications as later
          join notification_incidents as named on named.notification_id = later.id
          join incidents on incidents.id = named.incident_id
        where later.channel_id = ${channelId} and ${isQueued} and later.id > notifications.id
          and incidents.slo_id in ${among(sloIds)}
      )`,
    )
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

type ListText = Pick<NotificationRow, 'subject' | 'message' | 'metadata' | 'priority' | 'max_retries'>

/** Replaces the content of a list that still gathers. */
export async function updateList(trx: Db, row: NotificationRow, text: ListText): Promise<void> {
  const content_hash = contentHash({ ...row, ...text })
  await trx
    .updateTable('notifications')
    .set({ ...text, content_hash })
    .where('id', '=', row.id)
    .execute()
}

type Member = { incidentId: number; alertId: number; ruleId: number | null; relapse: number }

/** Stores the incidents of a list; one that it has already takes the newer alert and relapse. */
export async function putListMembers(
  trx: Db,
  notificationId: number,
  kind: ListKind,
  members: Member[],
): Promise<void> {
  const rows = members.map((one) => [notificationId, one.incidentId, one.alertId, one.ruleId, one.relapse, kind])
  await executeOverRows(trx, rows, insertMembers)
}

const insertMembers = (values: string) => `
  insert into notification_incidents (notification_id, incident_id, alert_id, rule_id, relapse, kind) values ${values}
  on conflict (notification_id, incident_id) do update
    set alert_id = excluded.alert_id, rule_id = excluded.rule_id, relapse = excluded.relapse`

/** Lists that named these incidents as failing: a row for each incident, as if it had a notification of its own. */
export async function listSentInLists(trx: Db, incidentIds: number[]): Promise<SentNotification[]> {
  return trx
    .selectFrom('notification_incidents as named')
    .innerJoin('notifications', 'notifications.id', 'named.notification_id')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .leftJoin('alerts', 'alerts.id', 'named.alert_id')
    .select([
      'notifications.id',
      'notifications.id as list_id',
      'named.alert_id',
      'named.incident_id',
      'named.relapse',
      'alerts.severity',
      'named.rule_id',
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
    .where('named.incident_id', 'in', among(incidentIds))
    .where('notifications.event', '=', 'alert')
    .execute()
}

/** Counts the incidents that still fail and of which a channel was notified. */
export async function countStillFailing(trx: Db, organizationId: number, channelId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from incidents
    where organization_id = ${organizationId} and closed_at is null and recovered_at is null and (
      exists (
        select 1 from notifications where incident_id = incidents.id and channel_id = ${channelId} and event = 'alert'
          and status not in ('throttled', 'failed')
      ) or exists (
        select 1 from notification_incidents as named join notifications on notifications.id = named.notification_id
        where named.incident_id = incidents.id and channel_id = ${channelId} and event = 'alert' and status <> 'failed'
      )
    )
  `.execute(trx)
  return rows[0]?.count ?? 0
}

/**
 * Lists of failing incidents at channels of these types that contain one of these incidents, whose incidents have all recovered or
 * been closed, and for which no recovery is queued.
 */
export async function listFinishedLists(
  trx: Db,
  incidentIds: number[],
  channelTypes: string[],
): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select * from notifications as opening
    where id in (select notification_id from notification_incidents where incident_id in ${among(incidentIds)})
      and event = 'alert' and status not in ('failed', 'throttled')
      and channel_type in (select value from json_each(${JSON.stringify(channelTypes)}))
      and not exists (
        select 1 from notification_incidents as named join incidents on incidents.id = named.incident_id
        where named.notification_id = opening.id and incidents.recovered_at is null and incidents.closed_at is null
      )
      and not exists (
        select 1 from notification_incidents as named join notifications as ending on ending.id = named.notification_id
        where named.incident_id in ${among(incidentIds)} and ending.channel_id = opening.channel_id
          and ending.event = 'recovery' and ending.metadata->>'$.list.opening_id' = opening.id
      )
    order by id
  `.execute(trx)
  return rows
}

/** Incidents of a list. */
export async function listMembers(trx: Db, notificationId: number): Promise<Member[]> {
  return trx
    .selectFrom('notification_incidents')
    .select(['incident_id as incidentId', 'alert_id as alertId', 'rule_id as ruleId', 'relapse'])
    .where('notification_id', '=', notificationId)
    .execute()
}
