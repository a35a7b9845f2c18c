import type { NotNull } from 'kysely'
import type { Db } from '../db/open.ts'

/** The id of the newest notification; 0: there is none. */
export async function lastNotificationId(db: Db): Promise<number> {
  const row = await db.selectFrom('notifications').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

/** What live clients are told of the notifications above an id, in their order; nothing of those that are not sent, or are of no SLO. */
export async function listNotificationsAfter(db: Db, afterId: number, most: number) {
  return db
    .selectFrom('notifications')
    .select(['id', 'slo_id', 'alert_type', 'priority', 'subject', 'message', 'created_at'])
    .where('id', '>', afterId)
    .where('slo_id', 'is not', null)
    .$narrowType<{ slo_id: NotNull }>()
    .where('status', '<>', 'throttled')
    .orderBy('id')
    .limit(most)
    .execute()
}
