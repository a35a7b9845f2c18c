import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { NotificationRow } from '../db/tables.ts'

type Failed = { sinceMs: number; afterId: number; most: number }

/** Failed notifications that were queued at or after `sinceMs`, oldest first, and whether their channel can be used. */
export async function listFailed(
  db: Db,
  organizationId: number,
  { sinceMs, afterId, most }: Failed,
): Promise<{ id: number; isUsable: boolean }[]> {
  const rows = await db
    .selectFrom('notifications')
    .leftJoin('channels', 'channels.id', 'notifications.channel_id')
    .select((q) => ['notifications.id', sql<number>`coalesce(${q.ref('channels.enabled')}, 0)`.as('enabled')])
    .where('notifications.organization_id', '=', organizationId)
    .where('notifications.status', '=', 'failed')
    .where('notifications.created_at', '>=', sinceMs)
    .where('notifications.id', '>', afterId)
    .orderBy('notifications.id')
    .limit(most)
    .execute()
  return rows.map(({ id, enabled }) => ({ id, isUsable: enabled === 1 }))
}

/** Puts notifications that came to an end back into the outbox, where they were, as if they had not been tried. */
export async function requeue(trx: Db, ids: number[], nowMs: number): Promise<NotificationRow[]> {
  return trx
    .updateTable('notifications')
    .set({ status: 'pending', retry_count: 0, next_attempt_at: nowMs, updated_at: nowMs })
    .where('id', 'in', sql<number>`(select value from json_each(${JSON.stringify(ids)}))`)
    .returningAll()
    .execute()
}
