import type { Db } from '../../db/open.ts'
import type { AlertRow, NotificationRow } from '../../db/tables/tables.ts'
import type { unacknowledged } from './alert-store.ts'

/** Sets what is given of an alert's acknowledgement. */
export async function setAcknowledgement(
  trx: Db,
  organizationId: number,
  id: number,
  given: Partial<Pick<AlertRow, keyof typeof unacknowledged>>,
): Promise<void> {
  await trx
    .updateTable('alerts')
    .set(given)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** The notifications of the beginning of an alert that arrived or still will, oldest first, of channels that have not been deleted. */
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

/** Whether an alert fires and somebody has acknowledged it. */
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
