import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Db } from '../db/open.ts'
import type { StateRow } from '../db/tables/tables.ts'
import { type OverviewSlo, listActiveSloIds, listOverviewStates } from '../evaluation/state-store.ts'
import { readState, type CurrentState } from '../evaluation/read-state.ts'
import type { Deps } from '../evaluation/reads/measured-slo.ts'
import type { LedgerWindow } from '../ledger/window-spans.ts'
import { createReadSums, type ReadSums, sumWindows } from '../ledger/window-sums.ts'
import { sliOfSum, type WindowSum } from '../slos/arithmetic/window-sum.ts'
import { windowBudget } from '../slos/arithmetic/budget.ts'
import { burnRateOfWindow } from '../slos/arithmetic/burn-rates.ts'
import { burnRateToContinue, forecastBasis } from '../slos/arithmetic/forecast.ts'
import { windowSeconds } from '../slos/arithmetic/windows.ts'
import { listTeamPolicies } from '../slos/teams/store.ts'
import { type Burning, findExhaustions } from './overview-exhaustion.ts'
import { readStoredDays, type StoredDays } from './stored-days.ts'
import { day } from '../ledger/bucket.ts'

export type OverviewDeps = Pick<Deps, 'db' | 'clock' | 'config'>

/**
 * An SLO with everything that a list of SLOs shows. `days`: share of a day's budget that was used, in percent, on each of the
 * last 30 days in UTC, the last one today; null: nothing was measured. `exhaustsAtMs`: time at which the budget was used up, or
 * will be, as `/slos/:id/budget` forecasts it; null: neither.
 */
export type OverviewRow = {
  slo: OverviewSlo
  teamName: string | null
  /** `budget_policy` of its team, JSON. */
  teamPolicy: string
  currentState: CurrentState
  countsEvents: boolean
  exhaustsAtMs: number | null
  days: (number | null)[]
}

type SloState = { slo: OverviewSlo; state: StateRow | null }

const dayCount = 30
const recentSeconds = 600
const batchSize = 100 // labels may be 20 kB each
const openDays = 2 // the last days may not have a bucket yet

/** All active SLOs of an organization, from stored data. */
export async function overview(
  deps: OverviewDeps,
  organizationId: number,
  readSums = createReadSums(),
): Promise<OverviewRow[]> {
  const { db, clock, config } = deps
  const nowMs = clock.now()
  const nowSeconds = Math.floor(nowMs / 1000)
  const teams = new Map((await listTeamPolicies(db.read, organizationId)).map((team) => [team.id, team]))
  const states: SloState[] = []
  for (const ids of inChunks(await listActiveSloIds(db.read, organizationId), batchSize)) {
    states.push(...(await listOverviewStates(db.read, ids)))
    await yieldToEventLoop() // SQLite is synchronous
  }
  const slos = states.map(({ slo }) => slo)
  const stored = await readStoredDays(db.read, slos, firstDayOf(nowSeconds))
  const days = await daysOf(db.read, states, nowSeconds, { readSums, stored })
  const rows = states.map(({ slo, state }, at) => ({
    slo,
    measuredAtMs: state?.measured_at ?? null,
    runningSeconds: state?.running_seconds ?? 0,
    teamName: teams.get(slo.team_id)?.name ?? null,
    teamPolicy: teams.get(slo.team_id)?.budget_policy ?? '[]',
    countsEvents: (state?.total_events ?? null) !== null,
    currentState: readState(state, nowMs, config.evaluationIntervalSeconds),
    days: days[at] ?? [],
  }))
  const exhaustsAtMs = await exhaustions(db.read, rows, nowSeconds, { readSums, stored })
  return rows.map((row) => ({ ...row, exhaustsAtMs: exhaustsAtMs.get(row.slo.id) ?? null }))
}

function firstDayOf(nowSeconds: number): number {
  return (Math.floor(nowSeconds / day) - dayCount + 1) * day
}

/**
 * Budget used on each day. Today's figure is up to the last measurement, and includes the unfinished minute that the budget includes;
 * without a recent measurement, it is up to now.
 */
async function daysOf(
  db: Db,
  states: SloState[],
  nowSeconds: number,
  { readSums, stored }: { readSums: ReadSums; stored: StoredDays },
): Promise<(number | null)[][]> {
  const firstDay = firstDayOf(nowSeconds)
  const windows: LedgerWindow[] = []
  const storedDaysOf = ({ slo: { id: sloId, revision, target }, state }: SloState) => {
    const measuredSeconds = Math.floor((state?.measured_at ?? 0) / 1000)
    const isRecent = measuredSeconds > nowSeconds - recentSeconds && measuredSeconds <= nowSeconds
    const untilSeconds = isRecent ? measuredSeconds : Math.floor(nowSeconds / 60) * 60
    const dayPercents = Array.from({ length: dayCount }, (_, place): number | null => {
      const startSeconds = firstDay + place * day
      const bucket = stored.find(sloId, startSeconds)
      if (bucket || place < dayCount - openDays) return usedOfDay(bucket, target)
      const endSeconds = Math.min(startSeconds + day, untilSeconds)
      if (endSeconds > startSeconds) windows.push({ sloId, revision, startSeconds, endSeconds })
      return usedOfDay(runningIn(state, startSeconds), target)
    })
    return { dayPercents, target, state }
  }
  const days: ReturnType<typeof storedDaysOf>[] = []
  for (const chunk of inChunks(states, batchSize)) {
    days.push(...chunk.map(storedDaysOf))
    await yieldToEventLoop() // 60,000 days of 2,000 SLOs are too many for one turn
  }
  const dayOf = new Map(states.map(({ slo }, place) => [slo.id, days[place]]))
  for (const [at, sum] of (await sumWindows(db, windows, nowSeconds, readSums)).entries()) {
    const { sloId = 0, startSeconds = 0 } = windows[at] ?? {}
    const sloDays = dayOf.get(sloId)
    if (!sloDays) continue
    const { dayPercents, target, state } = sloDays
    dayPercents[(startSeconds - firstDay) / day] = usedOfDay(withRunning(sum, runningIn(state, startSeconds)), target)
  }
  return days.map(({ dayPercents }) => dayPercents)
}

/** Checks since the last whole minute, if the budget used includes them and they began on this day. */
function runningIn(state: StateRow | null, dayStartSeconds: number): WindowSum | undefined {
  if (!state?.running_total) return undefined
  const { running_good: good, running_total: total, running_seconds: coveredSeconds } = state
  const isOfDay = Math.floor((state.measured_at ?? 0) / 1000 / day) * day === dayStartSeconds
  return isOfDay ? { good, total, coveredSeconds } : undefined
}

function withRunning(sum: WindowSum, running: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }): WindowSum {
  return {
    good: sum.good + running.good,
    total: sum.total + running.total,
    coveredSeconds: sum.coveredSeconds + running.coveredSeconds,
  }
}

/** Share of a day's budget that was used, in percent of what its traffic allowed. */
function usedOfDay(sum: WindowSum | undefined, targetPercent: number): number | null {
  if (!sum || sum.coveredSeconds === 0) return null
  const bad = Math.max(0, sum.total - sum.good)
  if (bad === 0) return 0
  const allowed = sum.total * (1 - targetPercent / 100)
  return allowed === 0 ? 100 : Number(((100 * bad) / allowed).toFixed(2))
}

/**
 * True if the burn rate of the last evaluation is less than half of the rate at which the budget would be used up within the window.
 * False if the SLO was edited since then.
 */
function clearlyLasts({
  slo,
  usedPercent,
  currentState: { burnRates, evaluatedAtMs },
}: Burning & { currentState: CurrentState }): boolean {
  const basisSeconds = windowSeconds(forecastBasis(slo.time_window))
  const long = burnRates.find(({ long_seconds }) => long_seconds === basisSeconds)?.long ?? null
  return long !== null && (evaluatedAtMs ?? 0) > slo.updated_at && long * 100 < (100 - usedPercent) / 2
}

type Measured = Pick<OverviewRow, 'slo' | 'currentState'> & { measuredAtMs: number | null; runningSeconds: number }

/**
 * Times in ms at which the budgets were or will be used up, by SLO id. Queries the ledger only for budgets that may be used up within the
 * window. Failures that leave a rolling window only delay this, so a budget that lasts even without them has no forecast. A budget
 * that is already used up needs no burn rate.
 */
async function exhaustions(
  db: Db,
  rows: Measured[],
  nowSeconds: number,
  reads: { readSums: ReadSums; stored: StoredDays },
): Promise<Map<number, number | null>> {
  const measured = rows.flatMap(({ slo, currentState, measuredAtMs, runningSeconds }) => {
    const { usedPercent } = windowBudget(currentState.budgetUsed, slo.target, currentState)
    const { windowShare } = currentState
    return usedPercent === null || windowShare === null || measuredAtMs === null || currentState.isStale
      ? []
      : [{ slo, measuredAtMs, runningSeconds, usedPercent, windowShare, rate: null, currentState }]
  })
  const remaining = measured.filter(({ usedPercent }) => usedPercent < 100)
  const burningFast = remaining.flatMap((one) => {
    const rate = burnRateToContinue(one.currentState)
    return rate === null ? [] : [{ ...one, rate }]
  })
  const uncertain = remaining.filter((one) => burnRateToContinue(one.currentState) === null && !clearlyLasts(one))
  const windows = uncertain.map(({ slo, measuredAtMs }) => {
    const endSeconds = Math.floor(measuredAtMs / 1000)
    const startSeconds = endSeconds - windowSeconds(forecastBasis(slo.time_window))
    return { sloId: slo.id, revision: slo.revision, startSeconds, endSeconds }
  })
  const sums = await sumWindows(db, windows, nowSeconds, reads.readSums)
  const ending = uncertain.flatMap((one, at): Burning[] => {
    const [sum, window] = [sums[at], windows[at]]
    if (!sum || !window) return []
    const rate = burnRateOfWindow(sliOfSum(sum, window.endSeconds - window.startSeconds), one.slo.target)
    const lasts = rate === null || rate * 100 <= 100 - one.usedPercent
    return lasts ? [] : [{ ...one, rate }]
  })
  const burning = [...measured.filter(({ usedPercent }) => usedPercent >= 100), ...burningFast, ...ending]
  const exhaustedMs = await findExhaustions(db, burning, nowSeconds, reads)
  return new Map(burning.map(({ slo }, at) => [slo.id, exhaustedMs[at] ?? null]))
}
