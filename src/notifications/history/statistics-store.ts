import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { NotificationStatus } from '../../db/tables/tables.ts'

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
