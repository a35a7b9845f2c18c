import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { SloRow, StateRow } from '../../db/tables/tables.ts'
import {
  allowedInWindow,
  burnedPercent,
  type ErrorBudget,
  errorBudget,
  round10,
  windowBudget,
  type WindowBudget,
} from '../../slos/arithmetic/budget.ts'
import { type BudgetReturn, budgetCalendar } from '../../slos/arithmetic/budget-calendar.ts'
import { burnDownTimes, finerTimesSince } from '../../slos/arithmetic/burn-down-times.ts'
import { secondsToExhaustion } from '../../slos/arithmetic/forecast.ts'
import { type OwnWindow, ownWindow } from '../../slos/arithmetic/own-window.ts'
import { existingShare } from '../../slos/arithmetic/reach.ts'
import type { DescribedSlo } from '../../slos/store.ts'
import { getState } from '../state-store.ts'
import { readState, stateValidUntil, type CurrentState } from '../read-state.ts'
import type { LedgerWindow, Window } from '../../ledger/window-spans.ts'
import { listReaches } from '../../ledger/reach-store.ts'
import { sumWindows, tierRateOfSum, type WindowRate } from '../../ledger/window-sums.ts'
import type { WindowSum } from '../../slos/arithmetic/window-sum.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { readMembers } from './budget-members.ts'
import { burnedWithout } from './burn-down-without.ts'
import { type Excluded, excludedIn } from '../corrections/excluded.ts'
import { findUsedUp } from './used-up.ts'

export type Deps = {
  db: Database
  clock: Clock
  planner: Planner
  config: Pick<Config, 'evaluationIntervalSeconds'>
}

/** An SLO as of its last measurement; `currentState` has its present state and the age of the measurement. */
export type MeasuredSlo = {
  slo: DescribedSlo
  currentState: CurrentState
  /** Last evaluation that the source answered; null: there was none yet. */
  measured: (StateRow & { measured_at: number }) | null
  budget: ErrorBudget
  windowBudget: WindowBudget
  /** Own window that ends at `measured_at`. */
  own: OwnWindow
  /** Share of the whole own window that exists since the first sample, 0..1; null: not known. */
  windowShare: number | null
  burnDown: BurnDownPoint[]
  /** Part of the own window that corrections leave out; null: none. `counted`: events, or seconds, of the window that count. */
  excluded: (Excluded & { counted: { good: number; total: number } }) | null
  /** Times at which used budget comes back. */
  calendar: BudgetReturn[]
  /** Burn rate over one of the requested windows, ending at `measured_at`; null: nothing was measured yet. */
  rateOver(seconds: number): WindowRate | null
  /** Seconds from `measured_at` until the budget is used up at this burn rate; null: it lasts, or is not known. */
  secondsToExhaustion(burnRate: number | null): number | null
  /** Members of a composite; null: the SLO is measured by queries, or nothing was measured yet. */
  members: Awaited<ReturnType<typeof readMembers>>
  /** Period in which all of this stays the same if nothing is stored. */
  validity: { untilMs: number; isValid: () => boolean }
}

/**
 * Budget burned from the start of the SLO's own window to a point. `bad`: failed events, or seconds. `burnedPercent`: in
 * percent of the budget of the whole window, null: nothing was measured by then, or the share of the window is not known.
 * `idealPercent`: remaining budget if it lasts exactly the window, a straight line from 100 to 0.
 */
type BurnDownPoint = {
  atSeconds: number
  bad: number
  burnedPercent: number | null
  idealPercent: number
  coverage: number
  /** `burnedPercent` as if nothing was left out; absent if corrections leave nothing out of the window. */
  burnedPercentWithout?: number | null
}

/**
 * Windows whose burn rates are needed, in seconds. `areForTiers`: rates as tiers read them, where time before the first sample
 * burns nothing; otherwise of what was measured. Neither is known while a backfill may add to the window.
 */
type RateWindows = { lengths: number[]; areForTiers: boolean }

/** Reads an SLO from stored data; no source is queried. */
export async function readMeasuredSlo(
  { db, clock, planner, config }: Deps,
  organizationId: number,
  sloId: number,
  windowsOf: (slo: SloRow) => RateWindows,
): Promise<MeasuredSlo> {
  const { slo, state } = await getState(db.read, organizationId, sloId)
  const nowMs = clock.now()
  const measuredAt = state?.measured_at ?? null
  const measured = state !== null && measuredAt !== null ? { ...state, measured_at: measuredAt } : null
  const ends = { endSeconds: Math.floor((measuredAt ?? 0) / 1000), nowSeconds: Math.floor(nowMs / 1000) }
  const own = ownWindow(slo, ends.endSeconds)
  const { startSeconds } = own
  const upTo = (endSeconds: number): Window => ({ startSeconds, endSeconds })
  const burnDownWindows = measured ? burnDownTimes(startSeconds, ends.endSeconds).map(upTo) : []
  const firstSeconds = (measured?.first_sample_at ?? 0) / 1000
  const finerWindows = measured ? finerTimesSince(startSeconds, ends.endSeconds, firstSeconds).map(upTo) : []
  const planned = measured && planner.plan(slo)
  const { lengths, areForTiers } = planned ? windowsOf(slo) : { lengths: [], areForTiers: false }
  const rateWindows = lengths.map((seconds) => ({
    startSeconds: ends.endSeconds - seconds,
    endSeconds: ends.endSeconds,
  }))
  const windows = [...burnDownWindows, ...rateWindows, ...finerWindows].map((one) => ({
    ...one,
    sloId: slo.id,
    revision: slo.revision,
  }))
  const sums = await sumWindows(db.read, windows, ends.nowSeconds)
  const burnSums = sums.slice(0, burnDownWindows.length)
  const windowShare = measured?.window_share ?? null
  const allowed = allowedBy(slo, burnSums, windowShare)
  const grid = burnDown(own, burnDownWindows, burnSums, allowed)
  const finer = burnDown(own, finerWindows, sums.slice(burnDownWindows.length + lengths.length), allowed)
  const isPartial = lengths.some((seconds, at) => (sums[burnDownWindows.length + at]?.coveredSeconds ?? 0) < seconds)
  const key = { sloId: slo.id, revision: slo.revision }
  const mayBeFilling = isPartial && (areForTiers || windowShare === null)
  const [reach = null] = mayBeFilling ? await listReaches(db.read, [key], ends.endSeconds) : []
  const rates = new Map<number, WindowRate>()
  lengths.forEach((seconds, at) => {
    const sum = sums[burnDownWindows.length + at]
    if (!planned || !sum) return
    const isFilling = reach !== null && existingShare(reach, ends.endSeconds - seconds, ends.endSeconds) === null
    const window = { seconds, endSeconds: ends.endSeconds, reach: areForTiers || isFilling ? reach : null }
    rates.set(seconds, tierRateOfSum(planned, sum, window))
  })
  const [excluded = null] = measured ? await excludedIn(db, [{ slo, ...upTo(ends.endSeconds) }]) : []
  const total = measured?.total_events ?? burnSums.at(-1)?.total ?? 0
  const counted = { good: (total * (measured?.own_value ?? 0)) / 100, total } // events are stored rounded, the SLI is not
  const budget = errorBudget(measured?.own_value ?? null, slo.target)
  const countsEvents = (measured?.total_events ?? null) !== null
  const scaled = windowBudget(budget.percentageUsed, slo.target, { windowShare, countsEvents })
  const isUsedUp = (scaled.usedPercent ?? 0) >= 100 && allowed !== null
  const points = isUsedUp ? await withUsedUp(db.read, slo, grid, { ...ends, own, allowed }) : grid
  const sorted = [...points, ...finer].toSorted((a, b) => a.atSeconds - b.atSeconds)
  const burned = excluded && {
    without: await burnedWithout(
      db.read,
      { ...key, startSeconds },
      { target: slo.target, total: burnSums.at(-1)?.total ?? 0, windowShare: windowShare ?? 1 },
      sorted,
    ),
  }
  const nextSecondMs = 1000 * (ends.nowSeconds + 1)
  return {
    slo,
    validity: {
      untilMs: Math.min(nextSecondMs, stateValidUntil(state, nowMs, config.evaluationIntervalSeconds)),
      isValid: () => planned === null || planner.plan(slo).plan === planned.plan,
    },
    currentState: readState(state, nowMs, config.evaluationIntervalSeconds),
    measured,
    members: measured && slo.composite !== null ? await readMembers({ db, planner }, slo, own, ends.nowSeconds) : null,
    budget,
    windowBudget: scaled,
    own,
    windowShare,
    excluded: excluded && { ...excluded, counted },
    burnDown: sorted.map((point, at) => {
      return burned ? { ...point, burnedPercentWithout: burned.without[at] ?? null } : point
    }),
    calendar: budgetCalendar({
      used: scaled.usedPercent ?? 0,
      targetPercent: slo.target,
      own,
      failed: grid,
    }),
    rateOver: (seconds) => rates.get(seconds) ?? null,
    secondsToExhaustion: (burnRate) => {
      if (scaled.usedPercent === null || burnRate === null) return null
      const burned = grid.map(({ atSeconds, burnedPercent: percent }) => ({ atSeconds, percent: percent ?? 0 }))
      const left = secondsToExhaustion({ usedPercent: scaled.usedPercent, burnRate, own, burned })
      return left ? left + (measured?.running_seconds ?? 0) : left
    },
  }
}

/**
 * Burn-down of the SLO's own window, from ledger sums: at each point the bad events since the window's start, divided by the
 * bad events that the whole window's total allows. The window is a rolling one: it begins with a full budget, and failures
 * before it do not count. Points lie on whole steps of UTC, the last at the end; `withUsedUp` adds one, `finerTimesSince` those
 * of a young SLO. If the ledger covers only part of the window, the budget is computed for that part, as in the SLI; only time
 * before the first sample adds to it.
 */
function burnDown(own: OwnWindow, windows: Window[], sums: WindowSum[], allowed: number | null): BurnDownPoint[] {
  return windows.map((window, at) => pointOf(own, window, allowed, sums[at]))
}

const allowedBy = ({ target }: SloRow, sums: WindowSum[], windowShare: number | null) =>
  windowShare === null ? null : allowedInWindow(sums.at(-1)?.total ?? 0, target, windowShare)
const nothing: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }

function pointOf(
  { wholeSeconds }: OwnWindow,
  { startSeconds, endSeconds }: Window,
  allowed: number | null,
  sum = nothing,
): BurnDownPoint {
  const bad = Math.max(0, sum.total - sum.good)
  return {
    atSeconds: endSeconds,
    bad,
    burnedPercent: sum.coveredSeconds > 0 && allowed !== null ? burnedPercent(bad, allowed) : null,
    idealPercent: 100 - (100 * (endSeconds - startSeconds)) / wholeSeconds,
    coverage: round10(sum.coveredSeconds / (endSeconds - startSeconds)),
  }
}

/** Adds the point at which the budget was used up, if that was before a whole step. */
async function withUsedUp(
  db: Db,
  slo: SloRow,
  points: BurnDownPoint[],
  { own, nowSeconds, allowed }: { own: OwnWindow; nowSeconds: number; allowed: number },
): Promise<BurnDownPoint[]> {
  const place = points.findIndex(({ burnedPercent: percent }) => (percent ?? 0) >= 100)
  const [previous, to] = [points[place - 1], points[place]]
  if (!to) return points
  const { id: sloId, revision } = slo
  const { startSeconds } = own
  const bounds = { sloId, revision, startSeconds }
  const burned = ({ atSeconds, bad, burnedPercent: percent }: BurnDownPoint) => ({
    atSeconds,
    bad,
    percent: percent ?? 0,
  })
  const from = previous ? burned(previous) : { atSeconds: startSeconds, bad: 0, percent: 0 }
  const sum = (windows: LedgerWindow[]) => sumWindows(db, windows, nowSeconds)
  const [usedUp] = await findUsedUp([{ ...bounds, allowed, from, to: burned(to) }], nowSeconds, sum)
  if (!usedUp || usedUp.atSeconds === to.atSeconds) return points
  const window = { ...bounds, endSeconds: usedUp.atSeconds }
  const [windowSum] = await sum([window])
  const point = { ...pointOf(own, window, allowed, windowSum), bad: usedUp.bad, burnedPercent: usedUp.percent }
  return points.toSpliced(place, 0, point)
}
