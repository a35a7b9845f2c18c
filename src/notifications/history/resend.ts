import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { NotificationRow, AlertRow, SloRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { getUsableChannel } from '../channel-store.ts'
import { dataIn } from '../delivery/attempt.ts'
import { queueNotifications } from '../outbox-store.ts'
import { getNotification, listFailed, requeue, listWithoutRecovery, requeueRecoveries } from './history-store.ts'
import { parseBurnRates } from '../../slos/arithmetic/burn-rates.ts'
import { type EvaluationSummary, unknownEvaluation, type SloAlerts } from '../alerts/draft.ts'
import { listEndedAlerts, listEndedConditions, listRulesInForce, type SentNotification } from '../alerts/alert-store.ts'
import { draftRecoveries } from '../alerts/notify-alerts.ts'
import { conditionEndDrafts } from '../conditions/condition-draft.ts'
import { findState } from '../rules/rule-store.ts'

type Deps = { db: Database; clock: Clock; publicUrl: () => string }

const rowsPerBatch = 1000

/** Requeues failed notifications up to `maxAgeSeconds` old, in order. `skipped`: number without a usable channel. */
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
  for (const ids of inChunks(usable, rowsPerBatch)) {
    retried += await db.write.transaction().execute(async (trx) => {
      const requeued = await requeue(trx, ids, nowMs)
      await queueRecoveries(deps, trx, ids)
      return requeued
    })
    await nextTurn()
  }
  return { retried, skipped: failed.length - usable.length }
}

/**
 * Queues a notification again: the same one if it did not arrive, otherwise a copy (`isNew`). Throws `conflict` while it is
 * still queued, and `not_found` if its channel was deleted or is disabled.
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
    const copies = isNew ? [{ ...row, data: dataIn(row), status: 'pending' as const }] : []
    const [copy] = await queueNotifications(trx, copies, nowMs)
    if (!isNew) await requeue(trx, [id], nowMs)
    await queueRecoveries(deps, trx, [copy?.id ?? id])
    return { row: copy ?? (await getNotification(trx, organizationId, id)), isNew }
  })
}

/**
 * Queues recoveries after requeued notifications whose alerts have ended: otherwise the incidents that they open would stay
 * open.
 */
async function queueRecoveries(deps: Deps, trx: Db, ids: number[]): Promise<void> {
  const nowMs = deps.clock.now()
  await requeueRecoveries(trx, ids, nowMs)
  const unresolved = Map.groupBy(await listWithoutRecovery(trx, ids), ({ alert_id }) => alert_id)
  if (unresolved.size === 0) return
  await queueConditionRecoveries(deps, trx, unresolved, nowMs)
  for (const { slo, alert } of await listEndedAlerts(trx, [...unresolved.keys()])) {
    const rows = unresolved.get(alert.id) ?? []
    const rules = (await listRulesInForce(trx, [slo.id])).filter((rule) =>
      rows.some(({ channel_id }) => channel_id === rule.channel_id),
    )
    const alerts = [await evaluatedSlo(trx, slo, alert)]
    const drafts = draftRecoveries(deps, { alerts, rules, sent: rows.map(toSentNotification) })
    await queueNotifications(trx, drafts, nowMs)
  }
}

async function queueConditionRecoveries(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  trx: Db,
  unresolved: Map<number | null, NotificationRow[]>,
  nowMs: number,
): Promise<void> {
  for (const alert of await listEndedConditions(trx, [...unresolved.keys()])) {
    const sent = (unresolved.get(alert.id) ?? []).map(toSentNotification)
    const known = { ended: [alert], sent, alreadySent: [] }
    const drafts = conditionEndDrafts(known, alert.organization_id, { publicUrl: publicUrl(), nowMs })
    await queueNotifications(trx, drafts, nowMs)
  }
}

async function evaluatedSlo(trx: Db, slo: SloRow, alert: AlertRow): Promise<SloAlerts> {
  const state = slo.active === 1 ? await findState(trx, slo.id, slo.revision) : undefined
  const known = state?.measured_at ? { state, atSeconds: state.measured_at / 1000 } : null
  const evaluation: EvaluationSummary = known
    ? {
        atSeconds: known.atSeconds,
        status: known.state.status,
        current: known.state.current_value,
        budgetUsed: known.state.budget_used,
        burnRates: parseBurnRates(known.state),
      }
    : unknownEvaluation(alert.ended_at ?? 0)
  return { slo, evaluation, open: [], ended: [alert] }
}

function toSentNotification(row: NotificationRow): SentNotification {
  return { ...row, channel_enabled: 1 }
}
