import type { Db } from '../../src/db/open.ts'
import { queueNotifications } from '../../src/notifications/outbox-store.ts'
import { aDraft, someData } from './messages.ts'

type Of = { name: string; organization_id: number; slo_id: number; channel_id: number; nowMs: number }

/** Adds a notification that could not be delivered, with its one attempt. Each text contains the owner's name. */
export async function addFailed(db: Db, { name, nowMs, ...of }: Of): Promise<number> {
  const draft = aDraft({
    ...of,
    subject: `${name} subject`,
    message: `${name} message`,
    max_retries: 0,
    data: someData({ slo_name: `${name} SLO`, description: name, labels: { owner: name }, alert: null }),
  })
  const [row] = await queueNotifications(db, [draft], nowMs)
  if (!row) throw new Error('a notification was queued')
  const error = `${name} error`
  await db
    .updateTable('notifications')
    .set({ status: 'failed', error_message: error })
    .where('id', '=', row.id)
    .execute()
  const attempt = { attempted_at: nowMs, duration_ms: 1, outcome: 'failed', status_code: 400, retry_at: null } as const
  await db
    .insertInto('notification_attempts')
    .values({ ...attempt, notification_id: row.id, error })
    .execute()
  return row.id
}
