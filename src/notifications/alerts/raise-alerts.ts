import { inChunks } from '../../concurrency/chunks.ts'
import { aroundDamage } from '../../db/failures/damage.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AlertRow, AlertSeverity, SloRow } from '../../db/tables/tables.ts'
import type { AlertRaiser, Evaluation } from '../../evaluation/evaluation-store.ts'
import { thresholdsOf } from '../../slos/alerting/tiers.ts'
import { mayBeUndone } from '../../slos/store.ts'
import { tierName } from './alert-name.ts'
import {
  endAlerts,
  insertAlerts,
  listOpenAlerts,
  listOrphanedAlerts,
  listStoredEvaluations,
  setPeaks,
  setReason,
  setSeverity,
  unacknowledged,
} from './alert-store.ts'
import { resumedSeconds, updateBurnRates } from '../incidents/burn-rate-now.ts'
import { isFlapping } from '../incidents/flapping.ts'
import { closeIncident, listOrphanedIncidents } from '../incidents/incident-store.ts'
import { createIncidentUpdates, type EvaluatedSlo, type IncidentDeps } from '../incidents/update-incidents.ts'
import { type SloAlerts, unknownEvaluation, windowBudgetOf } from './draft.ts'
import { type NotifyDeps, queueAlertNotifications } from './notify-alerts.ts'

/**
 * Condition of one alert of an SLO, read off an evaluation. `firing` null: not known, the alert stays as it is. `burnRate`: of
 * a tier, over its long window. `reason`: of an outage; `replacesReason`: it also replaces the reason of an outage that fires already.
 */
type AlertCondition = {
  name: string
  severity: AlertSeverity
  firing: boolean | null
  burnRate?: number | null
  reason?: string | null
  replacesReason?: boolean | undefined
  /** Unix seconds at which an outage began, or ended; absent or null: the end of the evaluated window. */
  sinceSeconds?: number | null
}

/** Percentage points of budget to regain beyond a threshold before its alert ends: budgets hover around it for hours. */
const regainedPoints = 2

const resolveBatchSize = 100

/**
 * Creates the function that updates the alerts of evaluated SLOs and queues their notifications. It runs in the transaction of
 * the evaluations, after they are stored, so that all three are committed together.
 */
export function createAlertRaiser(deps: NotifyDeps & IncidentDeps): AlertRaiser {
  const updateIncidents = createIncidentUpdates(deps)
  return {
    async raiseAlerts(trx, evaluations) {
      const stored = await listStoredEvaluations(trx, evaluations)
      const evaluated = stored.filter((one) => !isJustEdited(one))
      await updateBurnRates(trx, stored.filter(isJustEdited), deps.listMinutes)
      if (evaluated.length === 0) return
      const alerts = await updateIncidents(trx, await updateAlerts(trx, evaluated))
      await queueAlertNotifications(deps, trx, alerts)
    },
  }
}

/**
 * True while an edit that decides the alerts of an SLO may still be undone: only later evaluations change its alerts and incident. False
 * in the state `measuring`: such an SLO has no earlier figures, because it is new or has just been resumed.
 */
function isJustEdited({ slo, evaluation, before }: Pick<EvaluatedSlo, 'slo' | 'evaluation' | 'before'>): boolean {
  return before.state !== 'measuring' && mayBeUndone(slo, evaluation.evaluatedAtMs)
}

/**
 * Updates the alerts of SLOs from their evaluations. An unknown condition leaves its alert as it is. An alert that its SLO can
 * no longer have (tier disabled, threshold removed) ends. The severity of a `status` alert only rises while it is open: on the
 * way back to the target nothing new has failed.
 */
async function updateAlerts(
  trx: Db,
  evaluated: Pick<EvaluatedSlo, 'slo' | 'evaluation' | 'before'>[],
): Promise<EvaluatedSlo[]> {
  const ids = evaluated.map(({ slo }) => slo.id)
  const openOf = Map.groupBy(await listOpenAlerts(trx, ids), ({ slo_id }) => slo_id)
  const changes = evaluated.map((one) => ({
    ...one,
    ...changesOf(one.slo, one.evaluation, openOf.get(one.slo.id) ?? []),
  }))

  const toInsert = changes.flatMap(({ newAlerts }) => newAlerts)
  const insertedOf = Map.groupBy(toInsert.length > 0 ? await insertAlerts(trx, toInsert) : [], ({ slo_id }) => slo_id)
  const worse = changes.flatMap(({ continuing }) =>
    continuing.filter(({ isWorse }) => isWorse).map(({ alert }) => alert.id),
  )
  if (worse.length > 0) await setSeverity(trx, worse, 'critical')
  const higher = changes.flatMap(({ continuing }) =>
    continuing.flatMap(({ alert: { id }, higherPeak }) => (higherPeak === null ? [] : [{ id, peak: higherPeak }])),
  )
  if (higher.length > 0) await setPeaks(trx, higher)
  for (const { alert, newReason } of changes.flatMap(({ continuing }) => continuing))
    if (newReason !== null) await setReason(trx, alert.id, newReason)
  const ending = changes.flatMap(({ ended }) => ended)
  for (const [atSeconds, alertsEndingThen] of Map.groupBy(ending, ({ ended_at }) => ended_at)) {
    const ended = alertsEndingThen.map(({ id }) => id)
    await endAlerts(trx, ended, atSeconds)
  }
  for (const { id, reason } of ending) if (reason === excludedReason) await setReason(trx, id, reason)

  return changes.map(({ slo, evaluation, before, continuing, ended }) => ({
    slo,
    evaluation,
    before,
    open: [
      ...continuing.map(({ alert, isWorse }): AlertRow =>
        isWorse ? { ...alert, severity: 'critical', ...unacknowledged } : alert,
      ),
      ...(insertedOf.get(slo.id) ?? []),
    ],
    ended,
  }))
}

function changesOf(slo: SloRow, evaluation: Evaluation, openBefore: AlertRow[]) {
  const conditions = conditionsOf(slo, evaluation)
  const conditionOf = new Map(conditions.map((condition) => [condition.name, condition]))
  const openNames = new Set(openBefore.map(({ name }) => name))
  const newAlerts = (evaluation.exclusion ? [] : conditions)
    .filter(({ name, firing }) => firing === true && !openNames.has(name))
    .map(({ name, severity, burnRate, reason, sinceSeconds }) => ({
      organization_id: slo.organization_id,
      slo_id: slo.id,
      name,
      severity,
      // without a time of its own: the end of what was evaluated, which includes the unfinished minute
      began_at: sinceSeconds ?? evaluation.atSeconds + (evaluation.currentMinute?.coveredSeconds ?? 0),
      reason: reason ?? null,
      peak_burn_rate: burnRate ?? null,
    }))
  const hasEnded = ({ name }: AlertRow) => {
    const condition = conditionOf.get(name)
    return condition === undefined || condition.firing === false
  }
  const continuing = openBefore
    .filter((alert) => !hasEnded(alert))
    .map((alert) => {
      const condition = conditionOf.get(alert.name)
      const isEscalated =
        condition?.firing === true && condition.severity === 'critical' && alert.severity === 'warning'
      const rate = condition?.firing === true ? (condition.burnRate ?? null) : null
      const higherPeak = rate !== null && rate > (alert.peak_burn_rate ?? 0) ? rate : null
      const isNewer = condition?.replacesReason === true && condition.firing === true
      const newReason = isNewer && condition.reason !== alert.reason ? (condition.reason ?? null) : null
      return {
        alert: newReason === null ? alert : { ...alert, reason: newReason },
        isWorse: isEscalated,
        higherPeak,
        newReason,
      }
    })
  const ended = openBefore.filter(hasEnded).map((alert) => {
    const sinceSeconds = conditionOf.get(alert.name)?.sinceSeconds ?? evaluation.atSeconds
    const reason = isExcludedNow(alert, evaluation) ? excludedReason : alert.reason
    return { ...alert, reason, ended_at: Math.max(alert.began_at, sinceSeconds) }
  })
  return { newAlerts, continuing, ended }
}

/** Reason of an alert that ends because its time does not count. */
const excludedReason = 'Excluded by a correction'

/** True if an alert ends because a correction excludes its time: one in force now, or one that was made while the alert fired. */
function isExcludedNow({ began_at }: AlertRow, { exclusion, excludedAtMs, evaluatedAtMs }: Evaluation): boolean {
  if (exclusion) return true
  if (excludedAtMs === null || excludedAtMs === undefined) return false
  return excludedAtMs > 1000 * began_at && evaluatedAtMs - excludedAtMs <= justAppliedMs
}

const justAppliedMs = 120_000 // the next evaluation after a correction was made

/**
 * Conditions of every alert that an SLO can have. `firing` is null if the SLO could not be measured, and while failed checks may
 * still become an outage, which would inhibit the others. It is also null for a tier that would begin to fire while its short window
 * reaches back before the last resume. An outage begins no earlier than the last resume. All are false
 * once the checks of the SLO have stopped: nothing new is known then.
 */
function conditionsOf(slo: SloRow, evaluation: Evaluation): AlertCondition[] {
  const { isFailed, status, burnRates, outage, atSeconds } = evaluation
  const resumed = resumedSeconds(slo)
  const { usedPercent } = windowBudgetOf(slo, evaluation)
  const conditions: AlertCondition[] = [
    {
      name: 'status',
      severity: status === 'critical' ? 'critical' : 'warning',
      firing: status === 'unknown' ? (evaluation.isCurrentExcluded ? false : null) : status !== 'healthy',
    },
    ...thresholdsOf(slo).map((threshold): AlertCondition => {
      const severity = threshold > 0 ? 'warning' : 'critical'
      const firing = usedPercent === null ? null : isBelow(100 - usedPercent, threshold)
      return { name: `budget:${threshold}`, severity, firing }
    }),
    ...burnRates
      .filter(({ enabled }) => enabled)
      .map((rate): AlertCondition => ({
        name: tierName(rate),
        severity: rate.severity,
        firing: rate.firing === true && atSeconds - rate.short_seconds < resumed ? null : rate.firing,
        burnRate: rate.long,
      })),
  ]
  const down: AlertCondition[] = outage
    ? [
        {
          name: 'down',
          severity: 'critical',
          firing: outage.isDown,
          reason: outage.reason,
          replacesReason: outage.isOfJob,
          sinceSeconds:
            outage.isDown && outage.sinceSeconds !== null
              ? Math.max(resumed, outage.sinceSeconds)
              : outage.sinceSeconds,
        },
      ]
    : []
  if (outage?.stopped !== undefined)
    return [...down, ...conditions].map((condition) => ({
      ...condition,
      firing: false,
      sinceSeconds: outage.sinceSeconds,
    }))
  const isUnknown = isFailed || outage?.isUnconfirmed === true
  return [...down, ...(isUnknown ? conditions.map((condition) => ({ ...condition, firing: null })) : conditions)]
}

function isBelow(remainingPercent: number, threshold: number): boolean | null {
  if (remainingPercent <= threshold) return true
  return remainingPercent > threshold + regainedPoints ? false : null
}

/** Ends the alerts of SLOs that nothing evaluates any more (`isAbandoned`), and notifies the channels that were notified of them. */
export async function endOrphanedAlerts(deps: NotifyDeps & { db: Database }): Promise<void> {
  const { db, clock } = deps
  const nowMs = clock.now()
  await closeOrphanedIncidents(deps, nowMs)
  const orphaned = await listOrphanedAlerts(db.read, nowMs)
  const end = (chunk: typeof orphaned) =>
    db.write.transaction().execute(async (trx) => {
      const toNotify: SloAlerts[] = []
      for (const { slo, alert } of chunk) {
        const ended_at = Math.max(alert.began_at, lastEvaluable(slo, nowMs))
        if ((await endAlerts(trx, [alert.id], ended_at)).size === 0) continue
        toNotify.push({ ...withoutAlerts(slo, ended_at), ended: [{ ...alert, ended_at }] })
      }
      await queueAlertNotifications(deps, trx, toNotify)
      return []
    })
  for (const chunk of inChunks(orphaned, resolveBatchSize)) await aroundDamage(chunk, end, () => [])
}

/** Time until which an SLO that is not evaluated any more could be, in Unix seconds: its pause or deletion; of a removed source, now. */
function lastEvaluable({ paused_at, active, redefined_at }: SloRow, nowMs: number): number {
  const deletedAtMs = active === 0 ? redefined_at : null
  return Math.floor(Math.min(paused_at ?? deletedAtMs ?? nowMs, nowMs) / 1000)
}

async function closeOrphanedIncidents(deps: NotifyDeps & { db: Database }, nowMs: number): Promise<void> {
  const { db } = deps
  const orphaned = await listOrphanedIncidents(db.read, nowMs)
  const close = (chunk: typeof orphaned) =>
    db.write.transaction().execute(async (trx) => {
      const closed: SloAlerts[] = []
      for (const { slo, incident } of chunk) {
        const close_reason = incident.state === 'recovering' ? 'recovered' : 'not_evaluated'
        const closed_at = Math.max(incident.opened_at, lastEvaluable(slo, nowMs))
        const change = { closed_at, close_reason, state: 'closed' } as const
        if (!(await closeIncident(trx, incident.id, change))) continue
        const hasRecovered = incident.recovered_at === null || isFlapping(incident) // otherwise it was notified then
        closed.push({ ...withoutAlerts(slo, closed_at), incident: { ...incident, ...change }, hasRecovered })
      }
      await queueAlertNotifications(deps, trx, closed)
      return []
    })
  for (const chunk of inChunks(orphaned, resolveBatchSize)) await aroundDamage(chunk, close, () => [])
}

/** SLO that is not evaluated. */
function withoutAlerts(slo: SloRow, atSeconds: number): SloAlerts {
  const evaluation = unknownEvaluation(atSeconds)
  return { slo, evaluation, open: [], ended: [], incident: null, figures: null, hasRecovered: false }
}
