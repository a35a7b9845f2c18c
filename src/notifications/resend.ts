import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { NotificationRow } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { getUsableChannel } from './channel-store.ts'
import { getNotification } from './history-store.ts'
import { factsIn } from './message.ts'
import { queueNotifications } from './outbox-store.ts'
import { listFailed, requeue } from './requeue-store.ts'

type Deps = { db: Database; clock: Clock }

const rowsAtOnce = 500

/**
 * Queues again what failed and is no older than that, in its order; `skipped`: how many whose channel is gone or disabled.
 * What fails again meanwhile is left at that.
 */
export async function retryFailed(
  { db, clock }: Deps,
  organizationId: number,
  maxAgeSeconds: number,
): Promise<{ retried: number; skipped: number }> {
  const nowMs = clock.now()
  const done = { retried: 0, skipped: 0 }
  for (let afterId = 0; ; await nextTurn()) {
    const wanted = { sinceMs: nowMs - maxAgeSeconds * 1000, afterId, most: rowsAtOnce }
    const failed = await db.write.transaction().execute(async (trx) => {
      const failed = await listFailed(trx, organizationId, wanted)
      const usable = failed.filter(({ isUsable }) => isUsable).map(({ id }) => id)
      if (usable.length > 0) await requeue(trx, usable, nowMs)
      done.retried += usable.length
      done.skipped += failed.length - usable.length
      return failed
    })
    const last = failed.at(-1)
    if (!last || failed.length < rowsAtOnce) return done
    afterId = last.id
  }
}

/**
 * Queues a notification again: itself where it did not arrive, else a copy, which `isNew`. Throws `conflict` while it is
 * still queued, and `not_found` where its channel is gone or disabled.
 */
export async function resend(
  { db, clock }: Deps,
  organizationId: number,
  id: number,
): Promise<{ row: NotificationRow; isNew: boolean }> {
  const nowMs = clock.now()
  return db.write.transaction().execute(async (trx) => {
    const row = await getNotification(trx, organizationId, id)
    if (row.status === 'pending' || row.status === 'sending') {
      throw new AppError('conflict', 'Notification is still queued')
    }
    await getUsableChannel(trx, organizationId, row.channel_id)
    const isNew = row.status === 'sent' || row.status === 'delivered'
    const [queued] = isNew
      ? await queueNotifications(trx, [{ ...row, facts: factsIn(row), status: 'pending' }], nowMs)
      : await requeue(trx, [row.id], nowMs)
    if (!queued) throw new Error('a notification that is queued is in the outbox')
    return { row: queued, isNew }
  })
}
