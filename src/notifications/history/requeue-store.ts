import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'

/** Failed notifications that were queued at or after `sinceMs`, oldest first, and whether their channel can be used. */
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
    .orderBy((q) => sql`+${q.ref('notifications.id')}`) // sorted: by the index of ids, it would look at all there are
    .execute()
  return rows.map(({ id, enabled }) => ({ id, isUsable: enabled === 1 }))
}

/** Puts what did not arrive back into the outbox, where it was, as if it had not been tried. Returns how many there were. */
export async function requeue(db: Db, ids: number[], nowMs: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('notifications')
    .set({ status: 'pending', retry_count: 0, next_attempt_at: nowMs, updated_at: nowMs })
    .where('id', 'in', sql<number>`(select value from json_each(${JSON.stringify(ids)}))`)
    .where('status', 'in', ['failed', 'throttled'])
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Likewise the recoveries that did not arrive at the channels of these alerts, and were queued after them. */
export async function requeueEnds(trx: Db, ids: number[], nowMs: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select ends.id from json_each(${JSON.stringify(ids)})
      cross join notifications as alerted on alerted.id = value and alerted.event = 'alert' and alerted.status = 'pending'
      cross join notifications as ends on ends.alert_id = alerted.alert_id and ends.channel_id = alerted.channel_id
    where ends.event = 'recovery' and ends.id > alerted.id and ends.status = 'failed'
  `.execute(trx)
  const ends = rows.map(({ id }) => id)
  if (ends.length > 0) await requeue(trx, ends, nowMs)
}

/**
 * Of these notifications, those of alerts that have ended and that no recovery will follow. Not where the same alert of the
 * SLO is open again: to a receiver it is the same one, and the recovery of the new one ends it.
 */
export async function listNeverEnded(trx: Db, ids: number[]): Promise<NotificationRow[]> {
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
