import type { Budget } from '../../api/types.ts'
import type { Line } from '../../charts/plot.tsx'

type Drawn = Pick<Budget, 'burn_down'> & { forecast: Pick<Budget['forecast'], 'exhausts_at'> }

/** The lines of the burn-down: what was left, the ideal, and the forecast as far as an eighth of the window ahead. */
export function burnDownLines({ burn_down: points, forecast }: Drawn): {
  times: number[]
  lines: Line[]
  range: [number, number]
} {
  const times = points.map(({ timestamp }) => Date.parse(timestamp) / 1000)
  const left: (number | null)[] = points.map(({ remaining_percent, coverage }) =>
    coverage > 0 ? remaining_percent : null,
  )
  const ideal: (number | null)[] = points.map(({ ideal_percent }) => ideal_percent)
  const last = points.at(-1)?.remaining_percent ?? null
  const from = times.at(-1)
  const lines: Line[] = [
    { label: 'Left', values: left, color: '--accent', widthPx: 2 },
    { label: 'Ideal', values: ideal, color: '--ink3', dash: [5, 4], widthPx: 1 },
  ]
  const goneAt = forecast.exhausts_at ? Date.parse(forecast.exhausts_at) / 1000 : null
  if (last !== null && last > 0 && from !== undefined && goneAt !== null && goneAt > from) {
    const ahead = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 8
    const until = Math.min(goneAt, from + ahead)
    const then = last * (1 - (until - from) / (goneAt - from))
    times.push(until)
    left.push(null)
    ideal.push(null)
    lines.push({
      label: 'Forecast',
      values: [...points.map((_, at) => (at === points.length - 1 ? last : null)), then],
      color: '--warn',
      dash: [2, 3],
      widthPx: 2,
    })
  }
  const lowest = Math.min(0, ...points.map(({ remaining_percent }) => remaining_percent ?? 0))
  return { times, lines, range: [lowest < 0 ? lowest * 1.08 : 0, 104] }
}
