import type { Db } from '../../db/open.ts'
import type { AttemptRow, NotificationRow, NotificationStatus } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'
import { type AlertType, causeOf, spellingsOf } from '../causes.ts'

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
  let wanted = db.selectFrom('notifications').where('organization_id', '=', organizationId)
  if (sloId !== undefined) wanted = wanted.where('slo_id', '=', sloId)
  if (channelId !== undefined) wanted = wanted.where('channel_id', '=', channelId)
  if (status !== undefined) wanted = wanted.where('status', '=', status)
  if (alertType !== undefined) {
    const spellings = alertType === 'manual' ? [alertType] : spellingsOf(causeOf[alertType])
    wanted = wanted.where('alert_type', 'in', spellings)
  }
  const { total } = await wanted.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const offset = (page - 1) * pageSize
  // by an index alone: to pass over rows, which are large, takes ten times as long
  const ids = wanted.select('id').orderBy('id', 'desc').limit(pageSize).offset(offset)
  const rows = await db.selectFrom('notifications').selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute()
  return { rows, total }
}

export async function getNotification(db: Db, organizationId: number, id: number): Promise<NotificationRow> {
  const row = await db
    .selectFrom('notifications')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('Notification')
  return row
}

/** Oldest first. */
export async function listAttempts(db: Db, notificationId: number): Promise<AttemptRow[]> {
  return db
    .selectFrom('notification_attempts')
    .selectAll()
    .where('notification_id', '=', notificationId)
    .orderBy('id')
    .execute()
}
