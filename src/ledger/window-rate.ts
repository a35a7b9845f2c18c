import { burnRateOfWindow, type TierWindow } from '../slos/arithmetic/burn-rates.ts'
import type { PlannedSlo } from '../sli/plan/planned-slo.ts'
import { countsEvents } from './measure/measure-ledger.ts'
import { sliOfSum, type WindowSum } from './window-sums.ts'

/** How fast the budget burned over a window, and what failed in it; `coverage`, 0..1, is the share that was measured. */
export type WindowRate = TierWindow & { coverage: number }

/** What the sum of a window of so many seconds says of an SLO's budget. */
export function rateOfSum({ slo, plan }: PlannedSlo, sum: WindowSum, seconds: number): WindowRate {
  const sli = sliOfSum(sum, seconds)
  const isKnown = sli.reason !== 'no_data' && countsEvents(plan)
  return {
    rate: burnRateOfWindow(sli, slo.target),
    badEvents: isKnown ? Math.max(0, Math.round(sum.total - sum.good)) : null,
    coverage: sli.coverage,
  }
}
