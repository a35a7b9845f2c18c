import { type Clock, minuteMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { AlertRow, IncidentRow, IncidentSeverity, IncidentState, IncidentStep } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import { burnRate, type Tier } from '../../slos/arithmetic/burn-rates.ts'
import { lastFailingRun, type RecentBurn, type SloState, stateOf } from '../../slos/arithmetic/state.ts'
import { tiersOf } from '../../slos/alerting/tiers.ts'
import { isUrgent, opensIncident, readAlertName } from '../alerts/alert-name.ts'
import { unacknowledged } from '../alerts/alert-store.ts'
import { type SloAlerts, windowBudgetOf } from '../alerts/draft.ts'
import type { IncidentCost } from '../notification-data.ts'
import { closing } from './closing.ts'
import { isFlapping } from './flapping.ts'
import { costOf, type ListMinutes } from './incident-cost.ts'
import { earliestBegin, raisePeak, recentAfterOutage, recentSince, resumedSeconds } from './burn-rate-now.ts'
import { causeOfIncident, causeToStore, failuresText } from './incident-cause.ts'
import { isInhibited } from './inhibition.ts'
import { alignAcknowledgements } from './shared-acknowledgement.ts'
import {
  attachAlerts,
  insertIncident,
  insertIncidentEvents,
  knownSeconds,
  listClosedByHand,
  listEndedSince,
  listOpenIncidents,
  putSloStates,
  type StoredState,
  updateIncident,
} from './incident-store.ts'

export type IncidentDeps = { stopwatch: Clock; listMinutes: ListMinutes }

/** SLO with its alerts after an evaluation, and the state that was stored before. */
export type EvaluatedSlo = Pick<SloAlerts, 'slo' | 'open' | 'ended'> & {
  evaluation: Evaluation
  before: Pick<StoredState, 'state' | 'reason' | 'sinceSeconds'>
}

/** Time for which an incident must stay in the state recovering before it is closed. */
export const closedAfterSeconds = 15 * 60

/** Longest time for which an alert that has ended inhibits another: the longest window of a tier. */
const maxInhibitionSeconds = 72 * 3600
const maxSearchedSeconds = 6 * 3600 // before now, for the begin of an incident
const usualSeconds = 3600 // before an incident: the traffic in this time counts as the usual one
const minUsualMinutes = 10 // with fewer, the usual traffic is not known

/** Evaluated SLO with its open incident and those of its open alerts that matter to an incident. */
type SloToUpdate = EvaluatedSlo & {
  incident: IncidentRow | null
  /** Alerts that can open an incident and that nothing inhibits. */
  firing: AlertRow[]
  /** Alerts of `firing` that open an incident or keep it open: not those whose incident was closed by hand, and none in excluded time without one. */
  active: AlertRow[]
}

/**
 * Creates the function that decides the state of each evaluated SLO, opens, updates and closes its incident, and stores both, in the
 * transaction of the evaluations and their alerts. Time until closing is measured by the stopwatch: setting the clock closes none.
 */
export function createIncidentUpdates({ stopwatch, listMinutes }: IncidentDeps) {
  const fastSinceSeconds = new Map<number, number>() // by SLO: first evaluation as fast as its fastest page tier
  const calmSinceMs = new Map<number, number>() // by incident: time of the stopwatch since which it recovers

  /** True if, in this evaluation and in the one before, the recent burn was as fast as the fastest page tier that can fire. */
  function isBurningFast({ slo, evaluation: { recent, atSeconds } }: EvaluatedSlo): boolean {
    const rate = recent?.isBeyondChance ? (recent.rate ?? 0) : 0
    const isPage = ({ severity, enabled, refused }: Tier) => severity === 'page' && enabled && refused === null
    if (rate < 1 || rate < (tiersOf(slo).find(isPage)?.factor ?? Infinity)) {
      fastSinceSeconds.delete(slo.id)
      return false
    }
    const firstSeconds = fastSinceSeconds.get(slo.id)
    if (firstSeconds === undefined || firstSeconds > atSeconds) fastSinceSeconds.set(slo.id, atSeconds)
    return firstSeconds !== undefined && firstSeconds < atSeconds
  }

  /** Stored minutes: those in which an incident may have begun, and those of an hour before, whose traffic is usual. */
  function searchMinutes(trx: Db, { slo, evaluation: { atSeconds }, active }: SloToUpdate) {
    const longest = active.reduce((max, { name }) => {
      const alert = readAlertName(name)
      return alert.kind === 'burn_rate' ? Math.max(max, alert.longSeconds) : max
    }, usualSeconds)
    const startSeconds = atSeconds - Math.min(longest, maxSearchedSeconds) - usualSeconds
    return listMinutes(trx, { sloId: slo.id, revision: slo.revision, startSeconds, endSeconds: atSeconds })
  }

  async function openIncident(trx: Db, one: SloToUpdate, state: IncidentState): Promise<IncidentRow> {
    const { slo, evaluation, active } = one
    const down = active.find(({ name }) => name === 'down')
    const minutes = await searchMinutes(trx, one)
    const run = lastFailingRun(minutes, slo.target)
    const firstSeconds = down?.began_at ?? run?.beganSeconds ?? evaluation.atSeconds
    const beganSeconds = Math.max(firstSeconds, await earliestBegin(trx, slo))
    const earlier = minutes.filter(
      ({ startSeconds }) => startSeconds >= beganSeconds - usualSeconds && startSeconds < beganSeconds,
    )
    const events = earlier.reduce((sum, { total }) => sum + total, 0)
    const hasUsual = (evaluation.recent?.events ?? null) !== null && earlier.length >= minUsualMinutes
    return insertIncident(trx, {
      organization_id: slo.organization_id,
      slo_id: slo.id,
      severity: severityOf(active),
      state,
      began_at: beganSeconds,
      opened_at: Math.floor(evaluation.evaluatedAtMs / 1000),
      since: beganSeconds,
      reason: down?.reason ?? null,
      usual_events: hasUsual ? events / earlier.length : null,
      peak_burn_rate: peakOf(one),
      cause: causeToStore(null, evaluation.cause),
    })
  }

  /** Updates an open incident. `hasRecovered`: its end is to be notified now; that of a flapping incident only once it is closed. */
  async function update(
    trx: Db,
    one: SloToUpdate & { incident: IncidentRow },
    state: SloState,
  ): Promise<{ incident: IncidentRow; hasRecovered: boolean; cost: IncidentCost | null }> {
    const { slo, evaluation, active, incident } = one
    const change: Partial<IncidentRow> = {}
    const severity = severityOf(active)
    if (severity === 'critical' && incident.severity === 'warning')
      Object.assign(change, { severity, ...unacknowledged })
    const recoveredSeconds = incident.recovered_at
    if (recoveredSeconds !== null && active.length > 0) {
      const down = active.find(({ name }) => name === 'down')
      const minutes = down ? [] : await searchMinutes(trx, one)
      const run = lastFailingRun(
        minutes.filter(({ startSeconds }) => startSeconds >= recoveredSeconds),
        slo.target,
      )
      const since = Math.max(recoveredSeconds, down?.began_at ?? run?.beganSeconds ?? evaluation.atSeconds)
      Object.assign(change, { relapses: incident.relapses + 1, recovered_at: null, since, ...unacknowledged })
    }
    const recoversNow = state === 'recovering' && recoveredSeconds === null
    if (recoversNow) {
      const upSeconds = evaluation.outage?.isDown === false ? evaluation.outage.sinceSeconds : null
      const run = upSeconds === null ? lastFailingRun(await searchMinutes(trx, one), slo.target) : null
      const recovered = upSeconds ?? run?.endedSeconds ?? evaluation.atSeconds
      change.recovered_at = Math.max(incident.since, recovered)
    }
    const peak = peakOf(one)
    if (peak !== null && peak > (incident.peak_burn_rate ?? 0)) change.peak_burn_rate = peak
    const cause = causeToStore(incident.cause, evaluation.cause)
    if (cause !== incident.cause) change.cause = cause
    const down = active.find(({ name }) => name === 'down')
    if (down && evaluation.outage?.isOfJob && down.reason !== incident.reason) change.reason = down.reason
    const incidentState = incidentStateOf(state)
    if (incidentState !== incident.state) change.state = incidentState
    const isStopped = evaluation.outage?.stopped !== undefined
    const isClosed = isStopped || (await isCalm(trx, one, incidentState))
    if (isClosed) Object.assign(change, closing(incident, evaluation))
    if (Object.keys(change).length > 0) await updateIncident(trx, incident.id, change)
    await insertIncidentEvents(trx, eventsOf(incident, change, evaluation))
    const updated = { ...incident, ...change }
    const isNotifiedOnceClosed = isFlapping(updated) || (isStopped && recoveredSeconds === null)
    const hasRecovered = isNotifiedOnceClosed ? isClosed : recoversNow
    return {
      incident: updated,
      hasRecovered,
      cost: hasRecovered ? await costOf(trx, { ...one, incident: updated }, listMinutes) : null,
    }
  }

  /** True once each evaluation of 15 minutes found the incident recovering; time for which nines was off is not counted. */
  async function isCalm(
    trx: Db,
    { incident: { id, slo_id, recovered_at }, before, evaluation }: SloToUpdate & { incident: IncidentRow },
    state: IncidentState,
  ): Promise<boolean> {
    if (state !== 'recovering') {
      calmSinceMs.delete(id)
      return false
    }
    let sinceMs = calmSinceMs.get(id)
    if (sinceMs === undefined) {
      const wasRecovering = before.state === 'recovering' && recovered_at !== null
      // an outage recovers with the first good check, anything else once the last `recent.seconds` burn no faster than allowed
      const calmSeconds = evaluation.outage?.isDown === false ? 0 : (evaluation.recent?.seconds ?? 0)
      const span = { startSeconds: (recovered_at ?? 0) + calmSeconds, endSeconds: evaluation.atSeconds }
      sinceMs = stopwatch.now() - (wasRecovering ? 1000 * (await knownSeconds(trx, slo_id, span)) : 0)
      calmSinceMs.set(id, sinceMs)
    }
    const isOver = stopwatch.now() - sinceMs >= closedAfterSeconds * 1000
    if (isOver) calmSinceMs.delete(id)
    return isOver
  }

  async function updateOne(
    trx: Db,
    one: SloToUpdate,
    isFast: boolean,
    outageEndSeconds: number | null,
  ): Promise<Updated> {
    const input = { isFast, isAfterOutage: outageEndSeconds !== null }
    const { state, reason } = stateNow(one, input)
    const { incident, active } = one
    if (!incident && active.length === 0) {
      const { recent } =
        outageEndSeconds === null
          ? one.evaluation
          : { recent: await recentAfterOutage(trx, one, outageEndSeconds, listMinutes) }
      const stored = { ...storedOf(one, state, reason, null), burnRateNow: recent?.rate ?? null }
      return { ...one, hasRecovered: false, cost: null, recent, stored }
    }
    const opened = incident ?? (await openIncident(trx, one, incidentStateOf(state)))
    const updated = incident
      ? await update(trx, { ...one, incident }, state)
      : { incident: opened, hasRecovered: false, cost: null }
    const isClosed = updated.incident.closed_at !== null
    const stateAfter = isClosed ? stateNow({ ...one, incident: null }, input) : { state, reason }
    const cause = isBurning(stateAfter.state) ? causeOfIncident(updated.incident) : null
    const stored = storedOf(one, stateAfter.state, cause ? failuresText(cause) : stateAfter.reason, updated.incident)
    const recent = await recentSince(trx, one, { ...updated.incident, state: stateAfter.state }, listMinutes)
    const burnRateNow = stateAfter.state === 'down' ? burnRate(0, one.slo.target) : (recent?.rate ?? null)
    const raised = await raisePeak(trx, updated.incident, burnRateNow)
    return { ...one, ...updated, incident: raised, recent, stored: { ...stored, burnRateNow } }
  }

  return async function updateIncidents(trx: Db, evaluated: EvaluatedSlo[]): Promise<SloAlerts[]> {
    const ids = evaluated.map(({ slo }) => slo.id)
    const incidentOf = new Map((await listOpenIncidents(trx, ids)).map((incident) => [incident.slo_id, incident]))
    const fast = new Set(evaluated.filter(isBurningFast).map(({ slo }) => slo.id))
    const mayBeFailing = ({ slo: { id }, open: alerts, before, evaluation: { recent } }: EvaluatedSlo) =>
      alerts.some(opensIncident) || incidentOf.has(id) || before.state === 'burning_fast' || (recent?.rate ?? 0) > 1
    const mayBeFailingIds = evaluated.filter(mayBeFailing).map(({ slo }) => slo.id)
    const sinceSeconds = Math.min(...evaluated.map(({ evaluation }) => evaluation.atSeconds)) - maxInhibitionSeconds
    const ended = mayBeFailingIds.length > 0 ? await listEndedSince(trx, mayBeFailingIds, sinceSeconds) : []
    const endedOf = Map.groupBy(ended, ({ slo_id }) => slo_id)
    const closedByHand = await findClosedByHand(trx, evaluated, incidentOf)
    const updated: Updated[] = []
    for (const one of evaluated) {
      const { slo, evaluation } = one
      const others = [...one.open, ...(endedOf.get(slo.id) ?? [])]
      const firing = one.open.filter(
        (alert) => opensIncident(alert) && !isInhibited(slo, alert, others, evaluation.atSeconds),
      )
      const mayOpen = incidentOf.has(slo.id) || !evaluation.exclusion
      const active = mayOpen ? firing.filter(({ incident_id }) => !closedByHand.has(incident_id)) : []
      const endedSeconds = (endedOf.get(slo.id) ?? []).map(({ ended_at }) => ended_at ?? -Infinity)
      const endSeconds = Math.max(resumedSeconds(slo), ...endedSeconds)
      const isAfterOutage = evaluation.atSeconds < endSeconds + (evaluation.recent?.seconds ?? 0)
      const toUpdate = { ...one, incident: incidentOf.get(slo.id) ?? null, firing, active }
      updated.push(await updateOne(trx, toUpdate, fast.has(slo.id), isAfterOutage ? endSeconds : null))
    }
    const attached = updated.flatMap((one) => attachedOf(one, closedByHand))
    if (attached.length > 0) await attachAlerts(trx, attached)
    await putSloStates(
      trx,
      updated.filter(isChanged).map(({ stored }) => stored),
    )
    const incidentIdOf = new Map(attached.map(({ alertId, incidentId }) => [alertId, incidentId]))
    const withIncidents = updated.map((one) => ({
      ...one,
      open: one.open.map((alert) => ({ ...alert, incident_id: incidentIdOf.get(alert.id) ?? alert.incident_id })),
    }))
    const acknowledgements = await alignAcknowledgements(
      trx,
      withIncidents.map(({ slo, incident, open: alerts }) => {
        return { before: incidentOf.get(slo.id) ?? null, after: incident, alerts }
      }),
    )
    return withIncidents.map(
      ({ slo, evaluation, open: alerts, ended: over, incident, hasRecovered, cost, recent, stored }) => ({
        slo,
        evaluation: { ...evaluation, recent },
        open: alerts.map((alert) => ({ ...alert, ...acknowledgements.get(alert.id) })),
        ended: over,
        incident,
        figures: { state: stored.state, burnRateNow: stored.burnRateNow, cost },
        hasRecovered,
      }),
    )
  }
}

type Updated = SloToUpdate & {
  hasRecovered: boolean
  cost: IncidentCost | null
  /** Recent burn, without the time that does not belong to the incident. */
  recent: RecentBurn | null
  stored: StoredState
}

/** Incidents of open alerts that were closed by hand. `incidentOf`: the open incidents, by SLO. */
async function findClosedByHand(
  trx: Db,
  evaluated: EvaluatedSlo[],
  incidentOf: ReadonlyMap<number, IncidentRow>,
): Promise<Set<number | null>> {
  const ids = evaluated.flatMap(({ slo, open }) =>
    open
      .filter((alert) => opensIncident(alert) && alert.incident_id !== incidentOf.get(slo.id)?.id)
      .flatMap(({ incident_id }) => incident_id ?? []),
  )
  return new Set(ids.length > 0 ? await listClosedByHand(trx, ids) : [])
}

/** Open alerts to attach to the open incident: each that could open it, and others that are not in an earlier one. */
function attachedOf({ incident, open }: Updated, closedByHand: Set<number | null>) {
  if (!incident || incident.closed_at !== null) return []
  const isOpener = (alert: AlertRow) => opensIncident(alert) && !closedByHand.has(alert.incident_id)
  return open
    .filter((alert) => alert.incident_id === null || (isOpener(alert) && alert.incident_id !== incident.id))
    .map(({ id }) => ({ alertId: id, incidentId: incident.id }))
}

/** Events that a change of an incident adds to its history. */
function eventsOf({ id }: IncidentRow, change: Partial<IncidentRow>, { evaluatedAtMs }: Evaluation) {
  const { severity, since, recovered_at } = change
  const happened: [IncidentStep, number | null | undefined][] = [
    ['again', since],
    ['rose', severity && Math.floor(evaluatedAtMs / 1000)],
    ['recovered', recovered_at],
  ]
  return happened.flatMap(([event, at]) =>
    typeof at === 'number' ? [{ incident_id: id, event, at, user_name: null, note: null }] : [],
  )
}

function severityOf(alerts: readonly AlertRow[]): IncidentSeverity {
  return alerts.some(isUrgent) ? 'critical' : 'warning'
}

function stateNow(
  { slo, evaluation, before, open, firing, incident }: SloToUpdate,
  { isFast, isAfterOutage }: { isFast: boolean; isAfterOutage: boolean },
) {
  const { outage, recent } = evaluation
  if (outage?.stopped !== undefined) return { state: 'unknown' as const, reason: outage.stopped }
  const { usedPercent } = windowBudgetOf(slo, evaluation)
  const down = open.find(({ name }) => name === 'down')
  const usual = incident?.usual_events ?? null
  const { state, reason } = stateOf({
    before: before.state,
    unknownReason: unknownReasonOf(evaluation),
    isNew: before.state === 'measuring' && evaluation.evaluatedAtMs - slo.updated_at < newMs,
    isDown: down ? true : outage?.isDown === false ? false : null,
    firing: firing.flatMap(({ severity }) => (severity === 'page' || severity === 'ticket' ? [severity] : [])),
    recent,
    isBurningFast: isFast && !isAfterOutage,
    isAfterOutage,
    hasIncident: incident !== null,
    usualEvents: usual === null ? null : (usual * (recent?.seconds ?? 0)) / 60,
    isSpent: usedPercent !== null && usedPercent >= 100,
  })
  if (state === 'down') return { state, reason: down?.reason ?? null }
  return { state, reason: state === 'ok' && outage?.isUnconfirmed ? outage.reason : reason }
}

const newMs = 10 * minuteMs // after a change of an SLO, in which its figures are not expected yet

/** Reason why nothing new is known of an SLO; null: there is new data, or only no traffic. */
function unknownReasonOf({ isFailed, status, reason, recent, currentCoverage }: Evaluation): string | null {
  if (isFailed) return 'source_error'
  if (status === 'unknown') return reason === 'no_traffic' ? null : (reason ?? 'no_data')
  return recent && !recent.isCovered && (currentCoverage ?? 0) > 0 ? 'no_data' : null
}

const isBurning = (state: SloState) => state === 'burning_fast' || state === 'burning'

function incidentStateOf(state: SloState): IncidentState {
  return state === 'spent' || state === 'ok' || state === 'measuring' || state === 'maintenance' ? 'unknown' : state
}

function peakOf({ slo, open, evaluation: { recent, burnRates } }: SloToUpdate): number | null {
  const ofOutage = open.some(({ name }) => name === 'down') ? [burnRate(0, slo.target)] : []
  const rates = [recent?.rate ?? null, ...ofOutage, ...burnRates.map(({ long }) => long)].flatMap((rate) => rate ?? [])
  return rates.length === 0 ? null : Math.max(...rates)
}

/** The state to store, with its start: the last failure's begin while the incident fails, the recovery while it recovers. */
function storedOf(
  { slo, evaluation, before }: SloToUpdate,
  decided: SloState,
  decidedReason: string | null,
  incident: IncidentRow | null,
): StoredState {
  const { exclusion, isFailed } = evaluation
  const [state, reason] = exclusion && !isFailed ? ['maintenance' as const, exclusion.until] : [decided, decidedReason]
  const isSame = state === before.state
  const startOf = () => {
    if (incident && incident.closed_at === null && state !== 'unknown' && state !== 'maintenance')
      return state === 'recovering' ? (incident.recovered_at ?? evaluation.atSeconds) : incident.since
    return isSame && before.sinceSeconds !== null ? before.sinceSeconds : evaluation.atSeconds
  }
  return { sloId: slo.id, state, reason, sinceSeconds: startOf(), burnRateNow: evaluation.recent?.rate ?? null }
}

function isChanged({ before, stored, evaluation }: Updated): boolean {
  return (
    stored.state !== before.state ||
    stored.reason !== before.reason ||
    stored.sinceSeconds !== before.sinceSeconds ||
    stored.burnRateNow !== (evaluation.recent?.rate ?? null) // that of the evaluation is stored already
  )
}
