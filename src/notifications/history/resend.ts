import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import { getZone } from '../../db/organization-zones.ts'
import type { NotificationRow, AlertRow, IncidentRow, SloRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { getUsableChannel } from '../channel-store.ts'
import { storedData } from '../delivery/attempt.ts'
import { queueNotifications } from '../outbox-store.ts'
import { getNotification, listFailed, requeue, listWithoutRecovery, requeueRecoveries } from './history-store.ts'
import { parseBurnRates } from '../../slos/arithmetic/burn-rates.ts'
import { type EvaluationSummary, unknownEvaluation, type SloAlerts } from '../alerts/draft.ts'
import { listAlertsWithSlos, listConditionAlerts, type SentNotification } from '../alerts/alert-store.ts'
import { readDraftFacts } from '../alerts/draft-facts.ts'
import { draftRecoveries } from '../alerts/draft-recoveries.ts'
import { draftIncidentRecoveries } from '../incidents/draft-incident-recoveries.ts'
import { findIncident } from '../incidents/incident-store.ts'
import { draftConditionRecoveries } from '../conditions/condition-draft.ts'
import { findLastData } from '../conditions/condition-store.ts'
import type { CertificateData } from '../notification-data.ts'
import { findState } from '../rules/rule-store.ts'
import { listRulesInForce } from '../rules/rules-in-force.ts'

type Deps = { db: Database; clock: Clock; publicUrl: () => string }

const rowsPerBatch = 1000

/**
 * Requeues failed notifications that were queued in the last `maxAgeSeconds`, oldest first. Returns the number of requeued ones,
 * and of those skipped because their channel was deleted or is disabled.
 */
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
    await yieldToEventLoop()
  }
  return { retried, skipped: failed.length - usable.length }
}

/**
 * Queues a notification again: the same row if it was not delivered, otherwise a copy (`isNew`). Throws `conflict` while it is
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
    const copies = isNew ? [{ ...row, data: storedData(row), status: 'pending' as const }] : []
    const [copy] = await queueNotifications(trx, copies, nowMs)
    if (!isNew) await requeue(trx, [id], nowMs)
    await queueRecoveries(deps, trx, [copy?.id ?? id])
    return { row: copy ?? (await getNotification(trx, organizationId, id)), isNew }
  })
}

/**
 * Queues recoveries for requeued notifications (by id) whose alerts have ended: without them, a receiver would open an incident
 * for the alert and never close it.
 */
async function queueRecoveries(deps: Deps, trx: Db, ids: number[]): Promise<void> {
  const nowMs = deps.clock.now()
  await requeueRecoveries(trx, ids, nowMs)
  const byAlert = Map.groupBy(await listWithoutRecovery(trx, ids), ({ alert_id }) => alert_id)
  if (byAlert.size === 0) return
  await queueConditionRecoveries(deps, trx, byAlert, nowMs)
  for (const { slo, alert } of await listAlertsWithSlos(trx, [...byAlert.keys()])) {
    const rows = byAlert.get(alert.id) ?? []
    const rules = (await listRulesInForce(trx, [slo.id])).filter((rule) =>
      rows.some(({ channel_id }) => channel_id === rule.channel_id),
    )
    const incident = alert.incident_id === null ? null : await findIncident(trx, alert.incident_id)
    const sloAlerts = {
      ...(await sloWithEndedAlert(trx, slo, alert)),
      incident,
      figures: null,
      hasRecovered: isOver(incident),
    }
    const draftDeps = { ...deps, ...(await readDraftFacts(trx, deps.publicUrl, [slo])) }
    const toNotify = {
      alerts: [sloAlerts],
      rules,
      sent: rows.map(toSentNotification),
      alertsOfIncidents: [alert],
      lowerRecoveries: new Map(),
    }
    await queueNotifications(
      trx,
      [...draftRecoveries(draftDeps, toNotify), ...draftIncidentRecoveries(draftDeps, toNotify)],
      nowMs,
    )
  }
}

/** Queues the recoveries of alerts of nines itself and of certificates. `byAlert`: requeued notifications by alert id. */
async function queueConditionRecoveries(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  trx: Db,
  byAlert: Map<number | null, NotificationRow[]>,
  nowMs: number,
): Promise<void> {
  for (const alert of await listConditionAlerts(trx, [...byAlert.keys()])) {
    const sent = (byAlert.get(alert.id) ?? []).map(toSentNotification)
    const certificate = await endedCertificate(trx, alert.id)
    const certificates = new Map(certificate ? [[alert.id, certificate]] : [])
    const endedAlerts = { ended: [alert], sent, certificates }
    const zone = await getZone(trx, alert.organization_id)
    const drafts = draftConditionRecoveries(endedAlerts, alert.organization_id, { publicUrl: publicUrl(), zone, nowMs })
    await queueNotifications(trx, drafts, nowMs)
  }
}

/** Certificate of an ended alert, with the end that its recovery reported; undefined if the alert is not about a certificate. */
async function endedCertificate(trx: Db, alertId: number): Promise<CertificateData | undefined> {
  const alertCertificate = (await findLastData(trx, alertId, 'alert'))?.certificate
  const recoveryCertificate = alertCertificate && (await findLastData(trx, alertId, 'recovery'))?.certificate
  return (
    alertCertificate && {
      ...alertCertificate,
      end: recoveryCertificate?.end ?? { is_renewed: false, valid_until: null },
    }
  )
}

function isOver(incident: IncidentRow | null): boolean {
  return incident !== null && (incident.recovered_at !== null || incident.closed_at !== null)
}

/** The ended alert with the latest evaluation of its SLO, `unknown` if the SLO is deleted or has not been evaluated. */
async function sloWithEndedAlert(
  trx: Db,
  slo: SloRow,
  alert: AlertRow,
): Promise<Pick<SloAlerts, 'slo' | 'evaluation' | 'open' | 'ended'>> {
  const state = slo.active === 1 ? await findState(trx, slo.id, slo.revision) : undefined
  const evaluation: EvaluationSummary = state?.measured_at
    ? {
        atSeconds: state.measured_at / 1000,
        status: state.status,
        current: state.current_value,
        budgetUsed: state.budget_used,
        windowShare: state.window_share,
        totalEvents: state.total_events,
        burnRates: parseBurnRates(state),
        outage: { isDown: false, isUnconfirmed: false, sinceSeconds: null, reason: null }, // its alerts have ended
        recent: null,
      }
    : unknownEvaluation(alert.ended_at ?? 0)
  return { slo, evaluation, open: [], ended: [alert] }
}

function toSentNotification(row: NotificationRow): SentNotification {
  return { ...row, channel_enabled: 1, severity: null }
}
