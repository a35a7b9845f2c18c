import type { Db } from '../../db/open.ts'
import type { AttemptRow, NotificationRow, NotificationStatus } from '../../db/tables.ts'
import { notFound } from '../../errors.ts'
import { type AlertType, alertTypes, causeOf } from '../causes.ts'

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
  if (alertType !== undefined) wanted = wanted.where('alert_type', 'in', spellingsOf(alertType))
  const { total } = await wanted.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const offset = (page - 1) * pageSize
  const rows = await wanted.selectAll().orderBy('id', 'desc').limit(pageSize).offset(offset).execute()
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

function spellingsOf(wanted: AlertType | 'manual'): string[] {
  const causeOrManual = (type: AlertType | 'manual') => (type === 'manual' ? type : causeOf[type])
  return alertTypes.filter((type) => causeOrManual(type) === causeOrManual(wanted))
}
