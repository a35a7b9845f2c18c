import { daysLabel } from './days-label.ts'

const cell = 3
const gap = 1
const height = 20

/**
 * Strip with one cell a day, the last one today. A cell is filled by the share of the day's error budget that was used, with the
 * critical colour from 100 %; a day without data is a short line. `days`: percent of the day's error budget.
 */
export function DayStrip({ days, target }: { days: (number | null)[]; target: number }) {
  const paths = dayPaths(days)
  const width = days.length * (cell + gap) - gap
  const label = daysLabel(days, target)
  return (
    <svg
      class="day-strip"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {Object.entries(paths).map(([name, path]) => path !== '' && <path key={name} class={name} d={path} />)}
    </svg>
  )
}

/** The strip as four paths, one for each colour: with an element for each cell, a list of 500 would not scroll smoothly. */
export function dayPaths(days: (number | null)[]): { track: string; used: string; over: string; missing: string } {
  const paths = { track: '', used: '', over: '', missing: '' }
  for (const [at, day] of days.entries()) {
    const x = at * (cell + gap)
    if (day === null) {
      paths.missing += `M${x} ${height - 1}h${cell}v1h-${cell}z`
      continue
    }
    const filled = Math.round(Math.max(0, Math.min(1, day / 100)) * height * 10) / 10
    paths.track += `M${x} 0h${cell}v${height}h-${cell}z`
    if (filled > 0) paths[day >= 100 ? 'over' : 'used'] += `M${x} ${height - filled}h${cell}v${filled}h-${cell}z`
  }
  return paths
}
