import type { Budget } from '../../api/types.ts'
import { formatMoment, formatShare, formatWindow } from '../../format.ts'
import { hasLine } from '../../slo/budget-chart-lines.ts'
import { leftPercent, lowestWords, overWords } from '../../slo/budget-words.ts'

/** Sentences about the remaining budget, and when least of it was left. */
export function budgetSentence(budget: Budget, nowMs: number): string {
  const left = leftPercent(budget.error_budget)
  const measured = budget.burn_down.flatMap(({ timestamp, remaining_percent: percent }) =>
    percent === null ? [] : [{ timestamp, percent }],
  )
  const lowest = measured.reduce(
    (min, point) => (point.percent < (min?.percent ?? Infinity) ? point : min),
    measured[0],
  )
  if (left === null || !lowest) return 'Nothing was measured in the window.'
  const now = leftWords(left, formatWindow(budget.time_window))
  const sentence =
    lowest === measured.at(-1)
      ? `${now}; it was never lower in the window.`
      : `${now}; ${lowestWords(lowest.percent)}, ${formatMoment(Date.parse(lowest.timestamp), nowMs)}.`
  return hasLine(budget.burn_down) ? sentence : `${sentence} The line begins with the second minute of data.`
}

function leftWords(left: number, window: string): string {
  if (left < 0) return `The budget of ${window} is ${overWords(100 - left)}`
  return `${formatShare(left)} of the budget of ${window} is left`
}
