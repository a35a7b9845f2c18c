import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { AlertRow, NotificationRow } from '../../db/tables/tables.ts'
import type { unacknowledged } from './alert-store.ts'

/** Acknowledgement of an alert or incident, or none. */
export type AcknowledgementColumns = Pick<AlertRow, keyof typeof unacknowledged>

/** Sets the given acknowledgement columns of alerts. */
export async function setAcknowledgement(
  trx: Db,
  ids: number[],
  columns: Partial<AcknowledgementColumns>,
): Promise<void> {
  if (ids.length === 0) return
  await trx.updateTable('alerts').set(columns).where('id', 'in', among(ids)).execute()
}

/** Sets the acknowledgements of alerts, by their ids. */
export async function putAcknowledgements(
  trx: Db,
  acknowledgements: ReadonlyMap<number, AcknowledgementColumns>,
): Promise<void> {
  const rows = [...acknowledgements].map(([id, columns]) => ({ id, ...columns }))
  await sql`
    update alerts set acknowledged_at = one.value->>'acknowledged_at', acknowledged_by = one.value->>'acknowledged_by',
      acknowledged_by_name = one.value->>'acknowledged_by_name', acknowledgement_note = one.value->>'acknowledgement_note'
    from json_each(${JSON.stringify(rows)}) as one where alerts.id = one.value->>'id'
  `.execute(trx)
}

/**
 * Notifications of these alerts, delivered or still to be delivered, that no recovery follows, oldest first; without those of deleted
 * channels.
 */
export async function listReached(trx: Db, alertIds: number[]): Promise<NotificationRow[]> {
  return trx
    .selectFrom('notifications')
    .innerJoin('channels', 'channels.id', 'notifications.channel_id')
    .selectAll('notifications')
    .where('notifications.alert_id', 'in', among(alertIds))
    .where('notifications.event', '=', 'alert')
    .where('notifications.status', 'not in', ['throttled', 'failed'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notifications as ends')
            .select('ends.id')
            .whereRef('ends.alert_id', '=', 'notifications.alert_id')
            .whereRef('ends.channel_id', '=', 'notifications.channel_id')
            .where('ends.event', '=', 'recovery')
            .where('ends.status', '<>', 'failed')
            .whereRef('ends.id', '>', 'notifications.id'),
        ),
      ),
    )
    .orderBy('notifications.id')
    .execute()
}

/** True if an alert is firing and acknowledged, or its incident is acknowledged, and neither recovered nor closed. */
export async function isAcknowledged(db: Db, alertId: number): Promise<boolean> {
  const row = await db
    .selectFrom('alerts')
    .leftJoin('incidents', 'incidents.id', 'alerts.incident_id')
    .select('alerts.id')
    .where('alerts.id', '=', alertId)
    .where(({ and, eb, or }) =>
      or([
        and([eb('alerts.ended_at', 'is', null), eb('alerts.acknowledged_at', 'is not', null)]),
        and([
          eb('incidents.acknowledged_at', 'is not', null),
          eb('incidents.recovered_at', 'is', null),
          eb('incidents.closed_at', 'is', null),
        ]),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}
