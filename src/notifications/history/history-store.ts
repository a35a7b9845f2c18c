import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import type { AttemptRow, NotificationRow, NotificationStatus } from '../../db/tables/tables.ts'
import { type AlertType, causeOf, spellingsOf } from '../causes.ts'
import { sql } from 'kysely'

export type HistoryFilter = {
  sloId?: number | undefined
  channelId?: number | undefined
  status?: NotificationStatus | undefined
  alertType?: AlertType | 'manual' | undefined
}

/** One page of the notifications of an organization, newest first, and how many there are in all. */
export async function listNotifications(
  db: Db,
  organizationId: number,
  { page, pageSize, sloId, channelId, status, alertType }: HistoryFilter & { page: number; pageSize: number },
): Promise<{ rows: NotificationRow[]; total: number }> {
  let listed = db.selectFrom('notifications').where('organization_id', '=', organizationId)
  if (sloId !== undefined) listed = listed.where('slo_id', '=', sloId)
  if (channelId !== undefined) listed = listed.where('channel_id', '=', channelId)
  if (status !== undefined) listed = listed.where('status', '=', status)
  if (alertType !== undefined) {
    const spellings = alertType === 'manual' ? [alertType] : spellingsOf(causeOf[alertType])
    listed = listed.where('alert_type', 'in', spellings)
  }
  const { total } = await listed.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const offset = (page - 1) * pageSize
  // by an index alone: skipping rows, which are large, takes ten times as long
  const ids = listed.select('id').orderBy('id', 'desc').limit(pageSize).offset(offset)
  const rows = await db.selectFrom('notifications').selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute()
  return { rows, total }
}

/** A notification of an organization. */
export const { get: getNotification } = organizationRows('notifications', 'Notification')

/** Oldest first. */
export async function listAttempts(db: Db, notificationId: number): Promise<AttemptRow[]> {
  return db
    .selectFrom('notification_attempts')
    .selectAll()
    .where('notification_id', '=', notificationId)
    .orderBy('id')
    .execute()
}

/** `success_rate`: 0..1, of those that have come to an end; 0 where none has. The time is from being queued to being taken. */
export type NotificationStatistics = Record<`${'total' | NotificationStatus}_notifications`, number> & {
  success_rate: number
  average_delivery_time_ms: number
  channel_usage: Record<string, number>
}

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
  const count = (...statuses: NotificationStatus[]) =>
    sum(groups.filter(({ status }) => statuses.includes(status)).map((group) => group.count))
  const arrived = groups.filter(({ status }) => status === 'sent' || status === 'delivered')
  const ended = count('sent', 'delivered', 'failed')
  const usage = Map.groupBy(groups, ({ channel_type }) => channel_type)
  return {
    total_notifications: sum(groups.map((group) => group.count)),
    pending_notifications: count('pending'),
    sending_notifications: count('sending'),
    sent_notifications: count('sent'),
    delivered_notifications: count('delivered'),
    failed_notifications: count('failed'),
    throttled_notifications: count('throttled'),
    success_rate: count('sent', 'delivered') / Math.max(1, ended),
    average_delivery_time_ms: Math.round(
      sum(arrived.map(({ delivery_ms }) => delivery_ms)) / Math.max(1, count('sent', 'delivered')),
    ),
    channel_usage: Object.fromEntries([...usage].map(([type, of]) => [type, sum(of.map((group) => group.count))])),
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
