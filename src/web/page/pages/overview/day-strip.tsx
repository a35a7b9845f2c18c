import { daysLabel } from './days-label.ts'

const cellPx = 3
const gapPx = 1
const heightPx = 20

/**
 * Strip with one cell a day, the last one today. A cell is filled by the share of the day's error budget that was used, with the
 * critical colour from 100 %; a day without data is a short line. `days`: percent of the day's error budget.
 */
export function DayStrip({ days, target }: { days: (number | null)[]; target: number }) {
  const paths = dayPaths(days)
  const width = days.length * (cellPx + gapPx) - gapPx
  const label = daysLabel(days, target)
  return (
    <svg
      class="day-strip"
      viewBox={`0 0 ${width} ${heightPx}`}
      width={width}
      height={heightPx}
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
    const x = at * (cellPx + gapPx)
    if (day === null) {
      paths.missing += `M${x} ${heightPx - 1}h${cellPx}v1h-${cellPx}z`
      continue
    }
    const filled = Math.round(Math.max(0, Math.min(1, day / 100)) * heightPx * 10) / 10
    paths.track += `M${x} 0h${cellPx}v${heightPx}h-${cellPx}z`
    if (filled > 0) paths[day >= 100 ? 'over' : 'used'] += `M${x} ${heightPx - filled}h${cellPx}v${filled}h-${cellPx}z`
  }
  return paths
}
