import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { getUsableChannel } from '../channel-store.ts'
import { endAgain } from './end-again.ts'
import { getNotification } from './history-store.ts'
import { factsIn } from '../delivery/message.ts'
import { queueNotifications } from '../outbox-store.ts'
import { listFailed, requeue } from './requeue-store.ts'

type Deps = { db: Database; clock: Clock; publicUrl: () => string }

const rowsAtOnce = 1000

/** KeyedMutex again what failed and is no older than that, in its order; `skipped`: how many whose channel is gone or disabled. */
export async function retryFailed(
  deps: Deps,
  organizationId: number,
  maxAgeSeconds: number,
): Promise<{ retried: number; skipped: number }> {
  const { db, clock } = deps
  const nowMs = clock.now()
  const failed = await listFailed(db.read, organizationId, nowMs - maxAgeSeconds * 1000)
  const usable = failed.filter(({ isUsable }) => isUsable).map(({ id }) => id)
  let retried = 0
  for (const ids of inChunks(usable, rowsAtOnce)) {
    retried += await db.write.transaction().execute(async (trx) => {
      const requeued = await requeue(trx, ids, nowMs)
      await endAgain(deps, trx, ids)
      return requeued
    })
    await nextTurn()
  }
  return { retried, skipped: failed.length - usable.length }
}

/**
 * KeyedMutex a notification again: itself where it did not arrive, else a copy, which `isNew`. Throws `conflict` while it is
 * still queued, and `not_found` where its channel is gone or disabled.
 */
export async function resend(
  deps: Deps,
  organizationId: number,
  id: number,
): Promise<{ row: NotificationRow; isNew: boolean }> {
  const { db, clock } = deps
  const nowMs = clock.now()
  return db.write.transaction().execute(async (trx) => {
    const row = await getNotification(trx, organizationId, id)
    if (row.status === 'pending' || row.status === 'sending') {
      throw new AppError('conflict', 'Notification is still queued')
    }
    await getUsableChannel(trx, organizationId, row.channel_id)
    await db.quotas.assertRoom(trx, organizationId, 'notifications', nowMs)
    const isNew = row.status === 'sent' || row.status === 'delivered'
    const copies = isNew ? [{ ...row, facts: factsIn(row), status: 'pending' as const }] : []
    const [copy] = await queueNotifications(trx, copies, nowMs)
    if (!isNew) await requeue(trx, [id], nowMs)
    await endAgain(deps, trx, [copy?.id ?? id])
    return { row: copy ?? (await getNotification(trx, organizationId, id)), isNew }
  })
}
