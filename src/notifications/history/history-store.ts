import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { countOf } from '../../db/page-of.ts'
import { among } from '../../db/statements/among.ts'
import type { AttemptRow, NotificationRow, NotificationStatus } from '../../db/tables/tables.ts'
import { type AlertType, causeOf, alertTypesOf } from '../causes.ts'
import { sql } from 'kysely'

export type HistoryFilter = {
  sloId?: number | undefined
  channelId?: number | undefined
  status?: NotificationStatus | undefined
  alertType?: AlertType | 'manual' | undefined
  /** Queued at or after `startMs`, and before `endMs`. */
  startMs?: number | undefined
  endMs?: number | undefined
}

/** Page of an organization's notifications, newest first, with the total count. */
export async function listNotifications(
  db: Db,
  organizationId: number,
  { page, pageSize, ...filter }: HistoryFilter & { page: number; pageSize: number },
): Promise<{ rows: NotificationRow[]; total: number }> {
  const { sloId, channelId, status, alertType, startMs, endMs } = filter
  let listed = db.selectFrom('notifications').where('organization_id', '=', organizationId)
  if (sloId !== undefined) listed = listed.where('slo_id', '=', sloId)
  if (channelId !== undefined) listed = listed.where('channel_id', '=', channelId)
  if (status !== undefined) listed = listed.where('status', '=', status)
  if (alertType !== undefined) {
    const types = alertType === 'manual' ? [alertType] : alertTypesOf(causeOf[alertType])
    listed = listed.where('alert_type', 'in', types)
  }
  // ids are in the order of time, and in the index used here: the rows, which are large, need not be read
  if (startMs !== undefined) listed = listed.where('id', '>=', firstIdSince(db, startMs))
  if (endMs !== undefined) listed = listed.where('id', '<', firstIdSince(db, endMs))
  const total = await countOf(listed)
  const offset = (page - 1) * pageSize
  // from an index alone: skipping rows, which are large, takes ten times as long
  const ids = listed.select('id').orderBy('id', 'desc').limit(pageSize).offset(offset)
  const rows = await db.selectFrom('notifications').selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute()
  return { rows, total }
}

/** Id of the first notification queued at or after that time, in any organization; above all ids if there is none. */
function firstIdSince(db: Db, sinceMs: number) {
  const first = db.selectFrom('notifications').select('id').where('created_at', '>=', sinceMs)
  const oldest = first.orderBy('created_at').orderBy('id').limit(1)
  return sql<number>`coalesce(${oldest}, ${Number.MAX_SAFE_INTEGER})`
}

/** Reads one notification of an organization. */
export const { get: getNotification } = organizationRows('notifications', 'Notification')

/** Attempts of a notification, oldest first. */
export async function listAttempts(db: Db, notificationId: number): Promise<AttemptRow[]> {
  return db
    .selectFrom('notification_attempts')
    .selectAll()
    .where('notification_id', '=', notificationId)
    .orderBy('id')
    .execute()
}

/** Notification counts. `success_rate`: delivered share of finished ones, 0..1; 0 if none. Delivery times: from queueing to acceptance. */
export type NotificationStatistics = Record<`${'total' | NotificationStatus}_notifications`, number> & {
  success_rate: number
  average_delivery_time_ms: number
  channel_usage: Record<string, number>
  channel_types: TypeStatistics[]
}

/** Counts for one channel type; the mean time is null if none has arrived. */
type TypeStatistics = Record<'arrived' | 'failed' | 'waiting' | 'throttled', number> & {
  channel_type: string
  average_delivery_time_ms: number | null
}

/** `delivery_ms`: sum of their delivery times. */
type Group = { status: NotificationStatus; channel_type: string; count: number; delivery_ms: number }

export async function notificationStatistics(db: Db, organizationId: number): Promise<NotificationStatistics> {
  const groups = await db
    .selectFrom('notifications')
    .select((q) => [
      'status',
      'channel_type',
      q.fn.countAll<number>().as('count'),
      sql<number>`total(sent_at - created_at)`.as('delivery_ms'),
    ])
    .where('organization_id', '=', organizationId)
    .groupBy(['status', 'channel_type'])
    .execute()
  const ended = count(groups, 'sent', 'delivered', 'failed')
  const byType = [...Map.groupBy(groups, ({ channel_type }) => channel_type)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    total_notifications: count(groups),
    pending_notifications: count(groups, 'pending'),
    sending_notifications: count(groups, 'sending'),
    sent_notifications: count(groups, 'sent'),
    delivered_notifications: count(groups, 'delivered'),
    failed_notifications: count(groups, 'failed'),
    throttled_notifications: count(groups, 'throttled'),
    success_rate: count(groups, 'sent', 'delivered') / Math.max(1, ended),
    average_delivery_time_ms: deliveryTime(groups) ?? 0,
    channel_usage: Object.fromEntries(byType.map(([type, groupsOfType]) => [type, count(groupsOfType)])),
    channel_types: byType.map(([channel_type, groupsOfType]) => ({
      channel_type,
      arrived: count(groupsOfType, 'sent', 'delivered'),
      failed: count(groupsOfType, 'failed'),
      waiting: count(groupsOfType, 'pending', 'sending'),
      throttled: count(groupsOfType, 'throttled'),
      average_delivery_time_ms: deliveryTime(groupsOfType),
    })),
  }
}

/** Number of notifications with one of these statuses; all if none is given. */
function count(groups: Group[], ...statuses: NotificationStatus[]): number {
  return sum(
    groups.filter(({ status }) => statuses.length === 0 || statuses.includes(status)).map((group) => group.count),
  )
}

function deliveryTime(groups: Group[]): number | null {
  const arrived = groups.filter(({ status }) => status === 'sent' || status === 'delivered')
  if (arrived.length === 0) return null
  return Math.round(sum(arrived.map(({ delivery_ms }) => delivery_ms)) / sum(arrived.map((group) => group.count)))
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

/** Failed notifications queued at or after `sinceMs`, oldest first. `isUsable`: their channel exists and is enabled. */
export async function listFailed(
  db: Db,
  organizationId: number,
  sinceMs: number,
): Promise<{ id: number; isUsable: boolean }[]> {
  const rows = await db
    .selectFrom('notifications')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .select((q) => ['notifications.id', sql<number>`coalesce(${q.ref('channels.enabled')}, 0)`.as('enabled')])
    .where('notifications.organization_id', '=', organizationId)
    .where('notifications.status', '=', 'failed')
    .where('notifications.created_at', '>=', sinceMs)
    .orderBy((q) => sql`+${q.ref('notifications.id')}`) // `+` forces a sort: in id order SQLite would scan all notifications
    .execute()
  return rows.map(({ id, enabled }) => ({ id, isUsable: enabled === 1 }))
}

/** Queues failed and throttled notifications again, due now and with no retries used. Returns their number. */
export async function requeue(db: Db, ids: number[], nowMs: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('notifications')
    .set({ status: 'pending', retry_count: 0, next_attempt_at: nowMs, updated_at: nowMs })
    .where('id', 'in', among(ids))
    .where('status', 'in', ['failed', 'throttled'])
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Requeues, for each of these notifications, the failed recoveries of its alert to its channel that were queued later. */
export async function requeueRecoveries(trx: Db, ids: number[], nowMs: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select ends.id from json_each(${JSON.stringify(ids)})
      cross join notifications as alerted on alerted.id = value and alerted.event = 'alert' and alerted.status = 'pending'
      cross join notifications as ends on ends.alert_id = alerted.alert_id and ends.channel_id = alerted.channel_id
    where ends.event = 'recovery' and ends.id > alerted.id and ends.status = 'failed'
  `.execute(trx)
  const recoveryIds = rows.map(({ id }) => id)
  if (recoveryIds.length > 0) await requeue(trx, recoveryIds, nowMs)
}

/**
 * Selects those of these notifications whose alerts have ended and that no queued recovery follows. Leaves out alerts that are
 * open again for the same SLO: to the receiver they are the same alert, which the later recovery ends.
 */
export async function listWithoutRecovery(trx: Db, ids: number[]): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select alerted.* from json_each(${JSON.stringify(ids)})
      cross join notifications as alerted on alerted.id = value and alerted.event = 'alert' and alerted.status = 'pending'
      cross join alerts on alerts.id = alerted.alert_id and alerts.ended_at is not null
    where not exists (
      select 1 from alerts as again where again.organization_id = alerts.organization_id and again.slo_id is alerts.slo_id
        and again.name = alerts.name and again.ended_at is null
    ) and not exists (
      select 1 from notifications as ends
      where ends.alert_id = alerted.alert_id and ends.channel_id = alerted.channel_id and ends.event = 'recovery'
        and ends.id > alerted.id and ends.status in ('pending', 'sending')
    )
    order by alerted.id
  `.execute(trx)
  return rows
}

/**
 * Deletes the oldest notifications before a time with their attempts, at most `limit`; returns their number. Keeps queued ones,
 * and those of open alerts and incidents: without them there would be another notification, and the recovery would not be sent.
 */
export async function deleteNotificationsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from notifications where id in (
      select id from notifications
      where created_at < ${beforeMs} and status not in ('pending', 'sending')
        and not exists (select 1 from alerts where alerts.id = notifications.alert_id and alerts.ended_at is null)
        and not exists (select 1 from incidents where incidents.id = notifications.incident_id and incidents.closed_at is null)
        and not exists (
          select 1 from notification_incidents as named join alerts on alerts.id = named.alert_id
          where named.notification_id = notifications.id and alerts.ended_at is null
        )
      order by created_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows)
}
