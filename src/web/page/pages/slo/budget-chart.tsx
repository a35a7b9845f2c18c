import { useMemo } from 'preact/hooks'
import type { Budget } from '../../api/types.ts'
import type { Zoom } from '../../charts/plot-types.ts'
import { formatShare, formatMoment, formatWindow } from '../../format.ts'
import { hasLine } from '../../slo/budget-chart-lines.ts'
import { BudgetOverTime } from '../../slo/budget-over-time.tsx'
import { hasForecast, leftPercent, lowestWords, overWords } from '../../slo/budget-words.ts'
import { nowMs } from '../../ui/time.tsx'

const heightPx = 280

/** Remaining budget over the window, the ideal line, and the forecast at the current burn rate. */
export function BudgetChart({ budget, explore, onZoom }: { budget: Budget; explore: string; onZoom: Zoom }) {
  const { burn_down: points, forecast, calendar } = budget
  const drawn = useMemo(() => {
    const exhausts_at = hasForecast(budget.state) ? forecast.exhausts_at : null
    return { ...budget, forecast: { exhausts_at } }
  }, [points, forecast, calendar, budget.state])
  return (
    <section class="card">
      <BudgetOverTime
        title="Budget over the window"
        name={`budget-${budget.slo_id}`}
        explore={explore}
        sentence={sentenceOf(budget)}
        budget={drawn}
        heightPx={heightPx}
        onZoom={onZoom}
      />
    </section>
  )
}

function sentenceOf(budget: Budget): string {
  const left = leftPercent(budget.error_budget)
  const measured = budget.burn_down.flatMap(({ timestamp, remaining_percent: percent }) =>
    percent === null ? [] : [{ timestamp, percent }],
  )
  const lowest = measured.reduce(
    (min, point) => (point.percent < (min?.percent ?? Infinity) ? point : min),
    measured[0],
  )
  if (left === null || !lowest) return 'Nothing was measured in the window.'
  const worst =
    lowest === measured.at(-1)
      ? 'it was never lower in the window.'
      : `${lowestWords(lowest.percent)}, ${formatMoment(Date.parse(lowest.timestamp), nowMs.peek())}.`
  const young = hasLine(budget.burn_down) ? '' : ' The line begins with the second minute of data.'
  return `${leftSentence(left, formatWindow(budget.time_window))}; ${worst}${young}`
}

function leftSentence(left: number, window: string): string {
  if (left < 0) return `The budget of ${window} is ${overWords(100 - left)}`
  return `${formatShare(left)} of the budget of ${window} is left`
}
