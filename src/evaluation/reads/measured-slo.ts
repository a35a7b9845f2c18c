import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import type { SloRow, StateRow } from '../../db/tables/tables.ts'
import { type ErrorBudget, errorBudget } from '../../slos/arithmetic/budget.ts'
import { secondsToExhaustion } from '../../slos/arithmetic/forecast.ts'
import { windowSeconds } from '../../slos/arithmetic/windows.ts'
import { type BurnDownPoint, burnDown } from './burn-down.ts'
import { getState } from '../state-store.ts'
import { readState, type StateNow } from '../read-state.ts'
import { sumRates, type WindowRate } from '../../ledger/window-sums.ts'
import type { Planner } from '../../sli/plan/planner.ts'

export type Deps = {
  db: Database
  clock: Clock
  planner: Planner
  config: Pick<Config, 'evaluationIntervalSeconds'>
}

/** An SLO as it stood when it was last measured. How long ago that is, and what may be said of now, is in `now`. */
export type MeasuredSlo = {
  slo: SloRow
  now: StateNow
  /** The last evaluation that the source answered; null: there was none yet. */
  measured: (StateRow & { measured_at: number }) | null
  budget: ErrorBudget
  burnDown: BurnDownPoint[]
  /** Over a window that ends then; one of those asked for. Null: nothing was measured yet. */
  rateOver(seconds: number): WindowRate | null
  /** Seconds from then until the budget is used up at this burn rate; null: it lasts, or is not known. */
  exhaustionAt(burnRate: number | null): number | null
}

/** From what is stored; no source is asked. `windowsOf`: the lengths of the windows whose burn rates are wanted. */
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
  const points = measured ? await burnDown(db.read, slo, ends.endSeconds, ends.nowSeconds) : []
  const wanted = measured ? [{ planned: planner.plan(slo), lengths: windowsOf(slo) }] : []
  const rates = (await sumRates(db.read, wanted, ends.endSeconds, ends.nowSeconds)).get(slo.id)
  const budget = errorBudget(measured?.own_value ?? null, slo.target)
  return {
    slo,
    now: readState(state, nowMs, config.evaluationIntervalSeconds),
    measured,
    budget,
    burnDown: points,
    rateOver: (seconds) => rates?.get(seconds) ?? null,
    exhaustionAt: (burnRate) => {
      if (budget.percentageUsed === null || burnRate === null) return null
      const ownSeconds = windowSeconds(slo.time_window)
      const startSeconds = ends.endSeconds - ownSeconds
      const burned = points.map(({ atSeconds, burnedPercent }) => ({
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
