import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

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
