import { useMemo } from 'preact/hooks'
import type { Budget } from '../../api/types.ts'
import type { Zoom } from '../../charts/plot-types.ts'
import { BudgetOverTime } from '../../slo/budget-over-time.tsx'
import { hasForecast } from '../../slo/budget-words.ts'
import { nowMs } from '../../ui/time.tsx'
import { budgetSentence } from './words.ts'

const heightPx = 280

/** Remaining budget over the window, the ideal line, and the forecast at the current burn rate. */
export function BudgetChart({
  budget,
  explore,
  onZoom,
}: {
  budget: Budget
  explore: string | undefined
  onZoom: Zoom
}) {
  const { burn_down: points, forecast, calendar } = budget
  const drawnBudget = useMemo(() => {
    const exhausts_at = hasForecast(budget.state) ? forecast.exhausts_at : null
    return { ...budget, forecast: { exhausts_at } }
  }, [points, forecast, calendar, budget.state])
  return (
    <section class="card">
      <BudgetOverTime
        title="Budget over the window"
        name={`budget-${budget.slo_id}`}
        explore={explore}
        sentence={budgetSentence(budget, nowMs.peek())}
        budget={drawnBudget}
        heightPx={heightPx}
        onZoom={onZoom}
      />
    </section>
  )
}
