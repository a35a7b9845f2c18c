import { useMemo } from 'preact/hooks'
import type { Budget } from '../../api/types.ts'
import { Figure } from '../../charts/figure.tsx'
import { type Line, Plot } from '../../charts/plot.tsx'
import { formatBudget, formatMoment, formatPercent, formatWindow } from '../../format.ts'
import { nowMs } from '../../ui/time.tsx'

type Zoom = (to: { fromMs: number; toMs: number } | null) => void

/** What was left of the budget over the window, beside what would last exactly, and where the present pace leads. */
export function BudgetChart({ budget, onZoom }: { budget: Budget; onZoom: Zoom }) {
  const { burn_down: points, forecast } = budget
  const drawn = useMemo(() => burnDownLines(budget), [points, forecast])
  const left = budget.error_budget.percentage_remaining
  const lowest = points.reduce(
    (least, point) => (point.remaining_percent < (least?.remaining_percent ?? Infinity) ? point : least),
    points[0],
  )
  const now = nowMs.peek()
  return (
    <section class="card">
      <Figure
        title="Budget over the window"
        name={`budget-${budget.slo_id}`}
        sentence={
          left === null || !lowest ? (
            'Nothing was measured in the window.'
          ) : (
            <>
              {formatBudget(left)} of the budget of {formatWindow(budget.time_window)} is left; the lowest was{' '}
              {formatBudget(lowest.remaining_percent)} on {formatMoment(Date.parse(lowest.timestamp), now)}.
            </>
          )
        }
        figures={() => ({
          columns: ['Time', 'Left, %', 'Ideal, %', 'Coverage'],
          rows: points.map(({ timestamp, remaining_percent, ideal_percent, coverage }) => [
            timestamp,
            remaining_percent,
            ideal_percent,
            coverage,
          ]),
        })}
      >
        <Plot
          {...drawn}
          heightPx={280}
          format={(value) => formatPercent(value)}
          levels={zeroLevel}
          onZoom={onZoom}
          label="Budget left over time"
        />
      </Figure>
    </section>
  )
}

const zeroLevel = [{ value: 0, label: '', color: '--ink3' }]

/** The lines of the burn-down: what was left, the ideal, and the forecast as far as an eighth of the window ahead. */
export function burnDownLines({ burn_down: points, forecast }: Pick<Budget, 'burn_down' | 'forecast'>): {
  times: number[]
  lines: Line[]
  range: [number, number]
} {
  const times = points.map(({ timestamp }) => Date.parse(timestamp) / 1000)
  const left: (number | null)[] = points.map(({ remaining_percent, coverage }) =>
    coverage > 0 ? remaining_percent : null,
  )
  const ideal: (number | null)[] = points.map(({ ideal_percent }) => ideal_percent)
  const last = points.at(-1)
  const from = times.at(-1)
  const lines: Line[] = [
    { label: 'Left', values: left, color: '--accent', widthPx: 2 },
    { label: 'Ideal', values: ideal, color: '--ink3', dash: [5, 4], widthPx: 1 },
  ]
  const goneAt = forecast?.exhausts_at ? Date.parse(forecast.exhausts_at) / 1000 : null
  if (last && from !== undefined && goneAt !== null && goneAt > from && last.remaining_percent > 0) {
    const ahead = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 8
    const until = Math.min(goneAt, from + ahead)
    const then = last.remaining_percent * (1 - (until - from) / (goneAt - from))
    times.push(until)
    left.push(null)
    ideal.push(null)
    lines.push({
      label: 'Forecast',
      values: [...points.map((_, at) => (at === points.length - 1 ? last.remaining_percent : null)), then],
      color: '--warn',
      dash: [2, 3],
      widthPx: 2,
    })
  }
  const lowest = Math.min(0, ...points.map(({ remaining_percent }) => remaining_percent))
  return { times, lines, range: [lowest < 0 ? lowest * 1.08 : 0, 104] }
}
