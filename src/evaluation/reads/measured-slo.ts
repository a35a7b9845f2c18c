import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { SloRow, StateRow } from '../../db/tables/tables.ts'
import { burnedPercent, type ErrorBudget, errorBudget, round10 } from '../../slos/arithmetic/budget.ts'
import { type BudgetReturn, budgetCalendar } from '../../slos/arithmetic/budget-calendar.ts'
import { burnDownTimes } from '../../slos/arithmetic/burn-down-times.ts'
import { secondsToExhaustion } from '../../slos/arithmetic/forecast.ts'
import { windowSeconds } from '../../slos/arithmetic/windows.ts'
import { getState } from '../state-store.ts'
import { readState, stateValidUntil, type CurrentState } from '../read-state.ts'
import type { LedgerWindow, Window } from '../../ledger/window-spans.ts'
import { rateOfSum, sumWindows, type WindowRate } from '../../ledger/window-sums.ts'
import type { WindowSum } from '../../slos/arithmetic/window-sum.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { findUsedUp } from './used-up.ts'

export type Deps = {
  db: Database
  clock: Clock
  planner: Planner
  config: Pick<Config, 'evaluationIntervalSeconds'>
}

/** An SLO as of its last measurement; `now` has its present state and the age of the measurement. */
export type MeasuredSlo = {
  slo: SloRow
  now: CurrentState
  /** Last evaluation that the source answered; null: there was none yet. */
  measured: (StateRow & { measured_at: number }) | null
  budget: ErrorBudget
  burnDown: BurnDownPoint[]
  /** Times at which used budget comes back. */
  calendar: BudgetReturn[]
  /** Burn rate over one of the requested windows, ending at `measured_at`; null: nothing was measured yet. */
  rateOver(seconds: number): WindowRate | null
  /** Seconds from `measured_at` until the budget is used up at this burn rate; null: it lasts, or is not known. */
  exhaustionAt(burnRate: number | null): number | null
  /** Period in which all of this stays the same if nothing is stored. */
  validity: { untilMs: number; isValid: () => boolean }
}

/**
 * Budget burned from the start of the SLO's own window to a point. `bad`: failed events, or seconds. `burnedPercent`: in
 * percent of the budget, null: nothing was measured by then. `idealPercent`: remaining budget if it lasts exactly the window, a
 * straight line from 100 to 0.
 */
type BurnDownPoint = {
  atSeconds: number
  bad: number
  burnedPercent: number | null
  idealPercent: number
  coverage: number
}

/** Reads an SLO from stored data; no source is queried. `windowsOf`: lengths of the windows whose burn rates are needed. */
export async function readMeasuredSlo(
  { db, clock, planner, config }: Deps,
  organizationId: number,
  sloId: number,
  windowsOf: (slo: SloRow) => number[],
): Promise<MeasuredSlo> {
  const { slo, state } = await getState(db.read, organizationId, sloId)
  const nowMs = clock.now()
  const measuredAt = state?.measured_at ?? null
  const measured = state !== null && measuredAt !== null ? { ...state, measured_at: measuredAt } : null
  const ends = { endSeconds: Math.floor((measuredAt ?? 0) / 1000), nowSeconds: Math.floor(nowMs / 1000) }
  const ownSeconds = windowSeconds(slo.time_window)
  const burning = measured ? windowsOfBurnDown(ends.endSeconds, ownSeconds) : []
  const planned = measured && planner.plan(slo)
  const lengths = planned ? windowsOf(slo) : []
  const rateWindows = lengths.map((seconds) => ({
    startSeconds: ends.endSeconds - seconds,
    endSeconds: ends.endSeconds,
  }))
  const windows = [...burning, ...rateWindows].map((one) => ({ ...one, sloId: slo.id, revision: slo.revision }))
  const sums = await sumWindows(db.read, windows, ends.nowSeconds)
  const burnSums = sums.slice(0, burning.length)
  const grid = burnDown(slo, burning, burnSums)
  const rates = new Map<number, WindowRate>()
  lengths.forEach((seconds, at) => {
    const sum = sums[burning.length + at]
    if (planned && sum) rates.set(seconds, rateOfSum(planned, sum, seconds))
  })
  const budget = errorBudget(measured?.own_value ?? null, slo.target)
  const isUsedUp = (budget.percentageUsed ?? 0) >= 100
  const ownWindow = { ...ends, startSeconds: ends.endSeconds - ownSeconds, allowed: allowedBy(slo, burnSums) }
  const points = isUsedUp ? await withUsedUp(db.read, slo, grid, ownWindow) : grid
  const nextSecondMs = 1000 * (ends.nowSeconds + 1)
  return {
    slo,
    validity: {
      untilMs: Math.min(nextSecondMs, stateValidUntil(state, nowMs, config.evaluationIntervalSeconds)),
      isValid: () => planned === null || planner.plan(slo).plan === planned.plan,
    },
    now: readState(state, nowMs, config.evaluationIntervalSeconds),
    measured,
    budget,
    burnDown: points,
    calendar: budgetCalendar({
      used: budget.percentageUsed ?? 0,
      targetPercent: slo.target,
      endSeconds: ends.endSeconds,
      windowSeconds: ownSeconds,
      failed: grid,
    }),
    rateOver: (seconds) => rates.get(seconds) ?? null,
    exhaustionAt: (burnRate) => {
      if (budget.percentageUsed === null || burnRate === null) return null
      const startSeconds = ends.endSeconds - ownSeconds
      const burned = grid.map(({ atSeconds, burnedPercent }) => ({
        afterSeconds: atSeconds - startSeconds,
        percent: burnedPercent ?? 0,
      }))
      return secondsToExhaustion({
        usedPercent: budget.percentageUsed,
        burnRate,
        windowSeconds: ownSeconds,
        burned,
      })
    },
  }
}

/** Windows of a burn-down, one for each point; all begin with the SLO's own window. */
function windowsOfBurnDown(endSeconds: number, ownSeconds: number): Window[] {
  const startSeconds = endSeconds - ownSeconds
  return burnDownTimes(startSeconds, endSeconds).map((end) => ({ startSeconds, endSeconds: end }))
}

/**
 * Burn-down of the SLO's own window, from ledger sums: at each point the bad events since the window's start, divided by the
 * bad events that the whole window's total allows. The window is a rolling one: it begins with a full budget, and failures
 * before it do not count. Points lie on whole steps of UTC, the last at the end; `withUsedUp` adds one. If the ledger covers
 * only part of the window, the budget is computed for that part, as in the SLI.
 */
function burnDown(slo: SloRow, windows: Window[], sums: WindowSum[]): BurnDownPoint[] {
  const allowed = allowedBy(slo, sums)
  return windows.map((window, at) => pointOf(slo, window, allowed, sums[at]))
}

const allowedBy = ({ target }: SloRow, sums: WindowSum[]) => ((sums.at(-1)?.total ?? 0) * (100 - target)) / 100
const nothing: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }

function pointOf(slo: SloRow, { startSeconds, endSeconds }: Window, allowed: number, sum = nothing): BurnDownPoint {
  const bad = Math.max(0, sum.total - sum.good)
  return {
    atSeconds: endSeconds,
    bad,
    burnedPercent: sum.coveredSeconds > 0 ? burnedPercent(bad, allowed) : null,
    idealPercent: 100 - (100 * (endSeconds - startSeconds)) / windowSeconds(slo.time_window),
    coverage: round10(sum.coveredSeconds / (endSeconds - startSeconds)),
  }
}

/** Adds the point at which the budget was used up, if that was before a whole step. */
async function withUsedUp(
  db: Db,
  slo: SloRow,
  points: BurnDownPoint[],
  { startSeconds, nowSeconds, allowed }: { startSeconds: number; nowSeconds: number; allowed: number },
): Promise<BurnDownPoint[]> {
  const place = points.findIndex(({ burnedPercent: percent }) => (percent ?? 0) >= 100)
  const [before, to] = [points[place - 1], points[place]]
  if (!to) return points
  const { id: sloId, revision } = slo
  const bounds = { sloId, revision, startSeconds }
  const burned = ({ atSeconds, bad, burnedPercent: percent }: BurnDownPoint) => ({
    atSeconds,
    bad,
    percent: percent ?? 0,
  })
  const from = before ? burned(before) : { atSeconds: startSeconds, bad: 0, percent: 0 }
  const sum = (windows: LedgerWindow[]) => sumWindows(db, windows, nowSeconds)
  const [since] = await findUsedUp([{ ...bounds, allowed, from, to: burned(to) }], nowSeconds, sum)
  if (!since || since.atSeconds === to.atSeconds) return points
  const window = { ...bounds, endSeconds: since.atSeconds }
  const [windowSum] = await sum([window])
  const point = { ...pointOf(slo, window, allowed, windowSum), bad: since.bad, burnedPercent: since.percent }
  return points.toSpliced(place, 0, point)
}
