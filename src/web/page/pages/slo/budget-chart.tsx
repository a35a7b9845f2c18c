import { useMemo } from 'preact/hooks'
import type { Budget } from '../../api/types.ts'
import { Figure } from '../../charts/figure.tsx'
import { Plot } from '../../charts/plot.tsx'
import { formatShare, formatMoment, formatWindow } from '../../format.ts'
import { burnDownLines, hasLine } from '../../slo/budget-chart-lines.ts'
import { hasForecast, leftPercent, leftTick, leftWords, lowestWords, overWords } from '../../slo/budget-words.ts'
import { nowMs } from '../../ui/time.tsx'

type Zoom = (to: { fromMs: number; toMs: number } | null) => void

/** Remaining budget over the window, the ideal line, and the forecast at the current burn rate. */
export function BudgetChart({ budget, explore, onZoom }: { budget: Budget; explore: string; onZoom: Zoom }) {
  const { burn_down: points, forecast, calendar } = budget
  const drawn = useMemo(() => {
    const exhausts_at = hasForecast(budget.state) ? forecast.exhausts_at : null
    return burnDownLines({ ...budget, forecast: { exhausts_at } }, nowMs.peek())
  }, [points, forecast, calendar, budget.state])
  const left = leftPercent(budget.error_budget)
  const measured = points.flatMap(({ timestamp, remaining_percent: percent }) =>
    percent === null ? [] : [{ timestamp, percent }],
  )
  const lowest = measured.reduce(
    (min, point) => (point.percent < (min?.percent ?? Infinity) ? point : min),
    measured[0],
  )
  const isDrawn = hasLine(points)
  const now = nowMs.peek()
  return (
    <section class="card">
      <Figure
        title="Budget over the window"
        name={`budget-${budget.slo_id}`}
        explore={explore}
        sentence={
          left === null || !lowest ? (
            'Nothing was measured in the window.'
          ) : (
            <>
              {leftSentence(left, formatWindow(budget.time_window))};{' '}
              {lowest === measured.at(-1)
                ? 'it was never lower in the window.'
                : `${lowestWords(lowest.percent)}, ${formatMoment(Date.parse(lowest.timestamp), now)}.`}
              {!isDrawn && ' The line begins with the second minute of data.'}
            </>
          )
        }
        figures={() => ({
          columns: ['Time', 'Left, %', 'Ideal, %', 'Coverage'],
          rows: points
            .slice(points.findIndex(({ coverage }) => coverage > 0))
            .map(({ timestamp, remaining_percent, ideal_percent, coverage }) => [
              timestamp,
              remaining_percent,
              ideal_percent,
              coverage,
            ]),
        })}
      >
        {isDrawn ? (
          <Plot
            {...drawn}
            heightPx={heightPx}
            format={leftTick}
            read={leftWords}
            levels={zeroLevel}
            onZoom={onZoom}
            label="Budget left over time"
          />
        ) : (
          <div class="nothing" style={`--height: ${heightPx}px`} />
        )}
      </Figure>
    </section>
  )
}

function leftSentence(left: number, window: string): string {
  if (left < 0) return `The budget of ${window} is ${overWords(100 - left)}`
  return `${formatShare(left)} of the budget of ${window} is left`
}

const heightPx = 280
const zeroLevel = [{ value: 0, label: '', color: '--ink3' }]
