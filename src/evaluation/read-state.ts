import { isoTime, minJumpMs } from '../clock.ts'
import type { StateRow } from '../db/tables/tables.ts'
import type { Status } from '../slos/arithmetic/budget.ts'
import { type BurnRate, parseBurnRates } from '../slos/arithmetic/burn-rates.ts'
import type { SloState } from '../slos/arithmetic/state.ts'
import { deletedReason, pausedReason } from '../slos/revision-store.ts'

/**
 * State of an SLO now. Values are in percent, coverages 0..1. If the status is unknown, there is no current value; the own
 * window and its budget may be known. A stale or failed state has no values; the last ones are in `lastMeasured`.
 */
export type CurrentState = {
  status: Status
  reason: string | null
  message: string | null
  current: number | null
  own: number | null
  budgetUsed: number | null
  /** Share of the own window since the first sample, 0..1; null: not known. Scales the budget used, as in `windowBudget`. */
  windowShare: number | null
  countsEvents: boolean
  currentCoverage: number | null
  ownCoverage: number | null
  burnRates: BurnRate[]
  /** The state, why it is so, and its start in Unix seconds. */
  state: SloState
  stateReason: string | null
  stateSinceSeconds: number | null
  /** Burn rate over the last 5 minutes, or since its incident began; null: not known. */
  burnRateNow: number | null
  /** Time of the last attempt; null: none since the SLO was created or resumed, or the state cannot be read. */
  evaluatedAtMs: number | null
  /** Age of the values, including those in `lastMeasured`; null: none were ever measured, or the state cannot be read. */
  ageSeconds: number | null
  isStale: boolean
  /** Last measured values; null while the status is known, or if there are none that can be read. */
  lastMeasured: LastMeasured | null
}

type LastMeasured = {
  atMs: number
  ageSeconds: number
  current: number | null
  own: number | null
  budgetUsed: number | null
  windowShare: number | null
  countsEvents: boolean
}

const nothing = {
  current: null,
  own: null,
  budgetUsed: null,
  windowShare: null,
  countsEvents: false,
  currentCoverage: null,
  ownCoverage: null,
  burnRates: [],
  burnRateNow: null,
}

/** Reason of a state that cannot be read. */
export const damagedReason = 'database_damaged'

/**
 * Reads the stored state of an SLO at `nowMs`. If it is null or only `warming_up`, the SLO has not been evaluated yet, or not since it was
 * resumed; then its last measured values stay. A state is stale, and its values are dropped, if it was measured more than three
 * evaluation intervals ago, or later than now because the clock was set back since. The state of a paused or deleted SLO is never stale.
 */
export function readState(state: StateRow | null, nowMs: number, intervalSeconds: number): CurrentState {
  if (!state) return warmingUp
  if (state.reason === damagedReason)
    return {
      ...warmingUp,
      ...unknownState(null, state.reason),
      reason: state.reason,
      message: state.message,
      isStale: true,
    }
  const limitMs = freshMs(intervalSeconds)
  const { measured_at: measuredAt, evaluated_at: evaluatedAtMs, status } = state
  const ageSeconds = measuredAt === null ? null : Math.max(0, Math.floor((nowMs - measuredAt) / 1000))
  if (state.reason === 'warming_up') return { ...warmingUp, ageSeconds, lastMeasured: lastMeasured(state, ageSeconds) }
  const failed = state.reason === 'source_error'
  const isEnded = state.reason === pausedReason || state.reason === deletedReason
  const isAhead = Math.max(evaluatedAtMs - minJumpMs, measuredAt ?? 0) > nowMs
  const isOld = nowMs - (failed ? evaluatedAtMs : (measuredAt ?? evaluatedAtMs)) > limitMs
  const isOutdated = !isEnded && (isAhead || isOld)
  const common = {
    evaluatedAtMs,
    ageSeconds,
    isStale: isOutdated || (measuredAt !== null && nowMs - measuredAt > limitMs),
    lastMeasured: lastMeasured(state, ageSeconds),
  }
  if (isOutdated) {
    const message = isAhead
      ? `Evaluated at ${isoTime(evaluatedAtMs)}, which is later than the clock of nines: it was set back`
      : `Not evaluated since ${isoTime(evaluatedAtMs)}`
    const sinceSeconds = measuredAt === null ? null : Math.floor(measuredAt / 1000)
    return {
      ...nothing,
      ...common,
      ...unknownState(sinceSeconds, 'stale'),
      status: 'unknown',
      reason: 'stale',
      message,
    }
  }
  const { reason, message } = state
  const stored = { state: state.state, stateReason: state.state_reason, stateSinceSeconds: state.state_since }
  if (failed || isEnded) return { ...nothing, ...common, ...stored, status, reason, message }
  const isKnown = status !== 'unknown'
  return {
    status,
    reason,
    message,
    current: isKnown ? state.current_value : null,
    own: state.own_value,
    budgetUsed: state.budget_used,
    ...windowShareOf(state),
    currentCoverage: state.current_coverage,
    ownCoverage: state.own_coverage,
    burnRates: parseBurnRates(state),
    ...stored,
    burnRateNow: state.burn_rate_now,
    ...common,
    lastMeasured: isKnown ? null : common.lastMeasured,
  }
}

/**
 * Time, in ms since the epoch, until which `readState` returns the same as at `nowMs`, except for the ages, if nothing is
 * stored and the clock is not set back. The state changes when it becomes stale, and when the clock catches up with an
 * evaluation that was ahead of it.
 */
export function stateValidUntil(state: StateRow | null, nowMs: number, intervalSeconds: number): number {
  if (!state) return Number.POSITIVE_INFINITY
  const limitMs = freshMs(intervalSeconds)
  const { measured_at: measuredAt, evaluated_at: evaluatedAtMs } = state
  const changes = [evaluatedAtMs - minJumpMs, evaluatedAtMs + limitMs + 1]
  if (measuredAt !== null) changes.push(measuredAt, measuredAt + limitMs + 1)
  return Math.min(...changes.filter((atMs) => atMs > nowMs))
}

function freshMs(intervalSeconds: number): number {
  return 3 * Math.max(60, intervalSeconds) * 1000 // evaluations end at whole minutes, however short the interval
}

function unknownState(stateSinceSeconds: number | null, stateReason: string) {
  return { state: 'unknown', stateReason, stateSinceSeconds } as const
}

const warmingUp: CurrentState = {
  ...nothing,
  status: 'unknown',
  reason: 'warming_up',
  message: 'Not evaluated yet',
  state: 'measuring',
  stateReason: null,
  stateSinceSeconds: null,
  evaluatedAtMs: null,
  ageSeconds: null,
  isStale: false,
  lastMeasured: null,
}

function lastMeasured(state: StateRow, ageSeconds: number | null): LastMeasured | null {
  if (state.measured_at === null || ageSeconds === null) return null
  const { current_value: current, own_value: own, budget_used: budgetUsed } = state
  if (current === null && own === null) return null
  return { atMs: state.measured_at, ageSeconds, current, own, budgetUsed, ...windowShareOf(state) }
}

/** Properties of a state by which its budget is scaled to the whole window. */
function windowShareOf({ window_share, total_events }: Pick<StateRow, 'window_share' | 'total_events'>) {
  return { windowShare: window_share, countsEvents: total_events !== null }
}
