import type { SloRow } from '../db/tables/tables.ts'
import { assess, type ErrorBudget, errorBudget, type Status } from '../slos/arithmetic/budget.ts'
import type { Measured } from './measure/measured.ts'
import type { SliPlan } from './plan/plan.ts'
import { type Sli, type SliUnit, sliOf, unitOf } from './sli.ts'

/** What two windows say of an SLO: `current` is held against the target, `own` spends the budget. */
export type Assessments = { current: Sli; own: Sli; budget: ErrorBudget; status: Status }

type Assessed = { plan: SliPlan; unit: SliUnit | null; targetPercent: number }

/** Rules: docs/slo-math.md, "Budget" and "Status". */
export function assessWindows({ plan, unit, targetPercent }: Assessed, current: Measured, own: Measured): Assessments {
  const failingShare = plan.sides?.counts === 'bad'
  const [currentSli, ownSli] = [sliOf(current, unit, failingShare), sliOf(own, unit, failingShare)]
  const budget = errorBudget(percentOf(ownSli), targetPercent)
  const status = assess(percentOf(currentSli), targetPercent, budget.percentageUsed)
  return { current: currentSli, own: ownSli, budget, status }
}

/** The unit of a plan's values, as far as the SLO, the query's text or the values tell it. */
export function unitOfPlan(
  plan: SliPlan,
  slo: Pick<SloRow, 'query_unit' | 'inferred_unit'>,
  measured: Pick<Measured, 'result'>[],
): SliUnit | null {
  if (plan.isAssessed) return 'ratio'
  return unitOf({ wanted: slo.query_unit, byText: plan.unitByText, inferred: slo.inferred_unit }, measured)
}

export function percentOf(sli: Sli): number | null {
  return 'percent' in sli ? sli.percent : null
}
