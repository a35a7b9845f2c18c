import { formatPercent } from '../../../format.ts'
import { daysLabel } from './words.ts'

const width = 96
const height = 20
const pad = 2
const minRange = 0.1 // percent; a smaller range is noise

/** Daily SLI between the worst day and 100 %, with gaps for days without data. `days` in percent, the last one ends now. */
export function Sparkline({ days }: { days: readonly (number | null)[] }) {
  const known = days.filter((day) => day !== null)
  if (known.length === 0) return <span class="spark" />
  const worst = Math.min(...known)
  const label = daysLabel(known.length, formatPercent(Math.floor(worst * 100) / 100, 2))
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={sparkPath(days)} />
    </svg>
  )
}

/** SVG path with lines between consecutive days; a single day is a short line. */
export function sparkPath(days: readonly (number | null)[]): string {
  const known = days.filter((day) => day !== null)
  const range = Math.max(minRange, 100 - Math.min(...known))
  const step = (width - 2 * pad) / Math.max(1, days.length - 1)
  const x = (at: number) => round(days.length === 1 ? width / 2 : pad + at * step)
  const y = (day: number) => round(pad + ((100 - day) / range) * (height - 2 * pad))
  return days
    .map((day, at) => {
      if (day === null) return ''
      const isNew = (days[at - 1] ?? null) === null
      const isAlone = isNew && (days[at + 1] ?? null) === null
      return isAlone ? `M${x(at) - 2} ${y(day)}h4` : `${isNew ? 'M' : 'L'}${x(at)} ${y(day)}`
    })
    .join('')
}

const round = (n: number) => Math.round(n * 10) / 10
