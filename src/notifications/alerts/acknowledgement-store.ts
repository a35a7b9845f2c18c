import type { Db } from '../../db/open.ts'
import type { AlertRow, NotificationRow } from '../../db/tables/tables.ts'
import type { unacknowledged } from './alert-store.ts'

/** Sets the given acknowledgement columns of an alert. */
export async function setAcknowledgement(
  trx: Db,
  organizationId: number,
  id: number,
  columns: Partial<Pick<AlertRow, keyof typeof unacknowledged>>,
): Promise<void> {
  await trx
    .updateTable('alerts')
    .set(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** Notifications of the firing alert, delivered or still to be delivered, oldest first; without those of deleted channels. */
export async function listReached(trx: Db, { id, organization_id }: AlertRow): Promise<NotificationRow[]> {
  return trx
    .selectFrom('notifications')
    .innerJoin('channels', 'channels.id', 'notifications.channel_id')
    .selectAll('notifications')
    .where('notifications.organization_id', '=', organization_id)
    .where('notifications.alert_id', '=', id)
    .where('notifications.event', '=', 'alert')
    .where('notifications.status', 'not in', ['throttled', 'failed'])
    .orderBy('notifications.id')
    .execute()
}

/** True if an alert is firing and acknowledged. */
export async function isAcknowledged(db: Db, alertId: number): Promise<boolean> {
  const row = await db
    .selectFrom('alerts')
    .select('id')
    .where('id', '=', alertId)
    .where('ended_at', 'is', null)
    .where('acknowledged_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}
