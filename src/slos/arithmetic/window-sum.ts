import { round10 } from './budget.ts'

/** Sum of a window: `good` and `total` are events, or seconds if time is measured; none is negative. */
export type WindowSum = { good: number; total: number; coveredSeconds: number }

/** Share of a window that must be measured for it to have an SLI. Rule: docs/slo-math.md, "Ledger". */
const minCoverage = 0.5

/** SLI of a sum, 0..1; null if less than half of the window was measured, or nothing happened in it. */
export function ratioOf({ good, total, coveredSeconds }: WindowSum, windowSeconds: number): number | null {
  if (!isCovered(coveredSeconds, windowSeconds) || total <= 0) return null
  return Math.min(1, Math.max(0, good / total))
}

/** Like `ratioOf`, with the share of the window that was measured, 0..1, and the reason if there is no SLI. */
export function sliOfSum(
  sum: WindowSum,
  windowSeconds: number,
): { ratio: number | null; coverage: number; reason: 'no_data' | 'no_traffic' | null } {
  const ratio = ratioOf(sum, windowSeconds)
  const coverage = round10(Math.min(1, sum.coveredSeconds / windowSeconds))
  if (ratio !== null) return { ratio, coverage, reason: null }
  return { ratio, coverage, reason: isCovered(sum.coveredSeconds, windowSeconds) ? 'no_traffic' : 'no_data' }
}

function isCovered(coveredSeconds: number, windowSeconds: number): boolean {
  return coveredSeconds >= windowSeconds * minCoverage
}
