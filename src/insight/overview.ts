import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { listStates } from '../evaluation/state-store.ts'
import { readState, type StateNow } from '../evaluation/read-state.ts'
import type { Deps } from '../evaluation/reads/measured-slo.ts'
import { listDays } from '../ledger/ledger-store.ts'
import type { ReadRanges } from '../ledger/range-sums.ts'
import { sliOfSum, type WindowSum } from '../ledger/window-sums.ts'
import { burnRateOfWindow } from '../slos/arithmetic/burn-rates.ts'
import { forecastBasis } from '../slos/arithmetic/forecast.ts'
import { windowSeconds } from '../slos/arithmetic/windows.ts'
import { listTeamNames } from '../slos/teams/store.ts'
import { type Burning, findExhaustions } from './overview-exhaustion.ts'
import { sumInTurns } from './overview-sums.ts'

export type OverviewDeps = Pick<Deps, 'db' | 'clock' | 'config'>

/**
 * An SLO with all that a list of SLOs shows. `days`: of each of the last 30 days in UTC, the last one today, the share of
 * a day's budget that was used, in percent; null where nothing was measured. `exhaustsAtMs`: when the budget will be used
 * up as `/slos/:id/budget` forecasts it, or was used up; null: neither.
 */
export type OverviewRow = {
  slo: SloRow
  teamName: string | null
  now: StateNow
  exhaustsAtMs: number | null
  days: (number | null)[]
}

const dayCount = 30
const daySeconds = 86_400
const openDays = 2 // the last days that may have no bucket of their own yet

/** All active SLOs of an organization, from what is stored. */
export async function overview(deps: OverviewDeps, organizationId: number): Promise<OverviewRow[]> {
  const { db, clock, config } = deps
  const nowMs = clock.now()
  const nowSeconds = Math.floor(nowMs / 1000)
  const teams = new Map((await listTeamNames(db.read, organizationId)).map(({ id, name }) => [id, name]))
  const states = await listStates(db.read, organizationId)
  const slos = states.map(({ slo }) => slo)
  await nextTurn() // SQLite answers at once
  const read: ReadRanges = new Map()
  const days = await daysOf(db.read, slos, nowSeconds, read)
  await nextTurn()
  const rows = states.map(({ slo, state }, at) => ({
    slo,
    measuredAtMs: state?.measured_at ?? null,
    teamName: teams.get(slo.team_id) ?? null,
    now: readState(state, nowMs, config.evaluationIntervalSeconds),
    days: days[at] ?? [],
  }))
  const ends = await exhaustions(db.read, rows, nowSeconds, read)
  return rows.map((row) => ({ ...row, exhaustsAtMs: ends.get(row.slo.id) ?? null }))
}

async function daysOf(db: Db, slos: SloRow[], nowSeconds: number, read: ReadRanges): Promise<(number | null)[][]> {
  const today = Math.floor(nowSeconds / daySeconds) * daySeconds
  const firstDay = today - (dayCount - 1) * daySeconds
  const closed = new Map(slos.map(({ id }) => [id, new Map<number, WindowSum>()]))
  for (const bucket of await listDays(db, slos, firstDay)) closed.get(bucket.sloId)?.set(bucket.startSeconds, bucket)
  const windows = slos.flatMap(({ id: sloId, revision }) =>
    Array.from({ length: openDays }, (_, back) => ({
      sloId,
      revision,
      startSeconds: today - back * daySeconds,
      endSeconds: Math.min(today - back * daySeconds + daySeconds, Math.floor(nowSeconds / 60) * 60),
    })).filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds && !closed.get(sloId)?.has(startSeconds)),
  )
  const sums = await sumInTurns(db, windows, nowSeconds, read)
  windows.forEach(({ sloId, startSeconds }, at) => {
    const sum = sums[at]
    if (sum) closed.get(sloId)?.set(startSeconds, sum)
  })
  return slos.map(({ id, target }) => {
    const ofSlo = closed.get(id)
    return Array.from({ length: dayCount }, (_, day) => usedOfDay(ofSlo?.get(firstDay + day * daySeconds), target))
  })
}

/** The share of a day's budget that was used, in percent of what its traffic allowed. */
function usedOfDay(sum: WindowSum | undefined, targetPercent: number): number | null {
  if (!sum || sum.coveredSeconds === 0) return null
  const bad = Math.max(0, sum.total - sum.good)
  if (bad === 0) return 0
  const allowed = sum.total * (1 - targetPercent / 100)
  return allowed === 0 ? 100 : Number(((100 * bad) / allowed).toFixed(2))
}

type Measured = Pick<OverviewRow, 'slo' | 'now'> & { measuredAtMs: number | null }

/**
 * When each budget is used up. The ledger is asked only where it can be: what leaves a rolling window can but delay the
 * end, so a budget that would last its window without that is not forecast to end. One that is used up needs no burn rate.
 */
async function exhaustions(
  db: Db,
  rows: Measured[],
  nowSeconds: number,
  read: ReadRanges,
): Promise<Map<number, number | null>> {
  const measured = rows.flatMap(({ slo, now, measuredAtMs }) => {
    const usedPercent = now.budgetUsed
    return usedPercent === null || measuredAtMs === null || now.stale
      ? []
      : [{ slo, measuredAtMs, usedPercent, rate: null }]
  })
  const left = measured.filter(({ usedPercent }) => usedPercent < 100)
  const windows = left.map(({ slo, measuredAtMs }) => {
    const endSeconds = Math.floor(measuredAtMs / 1000)
    const startSeconds = endSeconds - windowSeconds(forecastBasis(slo.time_window))
    return { sloId: slo.id, revision: slo.revision, startSeconds, endSeconds }
  })
  const sums = await sumInTurns(db, windows, nowSeconds, read)
  const ending = left.flatMap((one, at): Burning[] => {
    const [sum, window] = [sums[at], windows[at]]
    if (!sum || !window) return []
    const rate = burnRateOfWindow(sliOfSum(sum, window.endSeconds - window.startSeconds), one.slo.target)
    const lasts = rate === null || rate * 100 <= 100 - one.usedPercent
    return lasts ? [] : [{ ...one, rate }]
  })
  const burning = [...measured.filter(({ usedPercent }) => usedPercent >= 100), ...ending]
  const ends = await findExhaustions(db, burning, nowSeconds, read)
  return new Map(burning.map(({ slo }, at) => [slo.id, ends[at] ?? null]))
}
