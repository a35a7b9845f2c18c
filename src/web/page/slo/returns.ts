import type { Budget } from '../api/types.ts'
import { windowSeconds } from './burn.ts'
import { formatShare, formatMoment, formatUtcDay, formatUtcWeekday } from '../format.ts'

/** A time in which budget comes back, with its amount in percent. */
export type Return = Budget['calendar'][number]

const minPercent = 1
const listed = 5

/**
 * Returns to list, in order of time: the five largest of at least 1 %, or the largest if all are smaller. `others`: number and
 * sum of the rest.
 */
export function largestReturns(calendar: readonly Return[]): {
  rows: Return[]
  others: { count: number; percent: number }
} {
  const bySize = calendar.toSorted((a, b) => b.gives_back_percent - a.gives_back_percent)
  const worth = bySize.filter(({ gives_back_percent }) => gives_back_percent >= minPercent)
  const chosen = new Set(bySize.slice(0, Math.min(listed, Math.max(1, worth.length))))
  const rest = calendar.filter((row) => !chosen.has(row))
  return {
    rows: calendar.filter((row) => chosen.has(row)),
    others: { count: rest.length, percent: rest.reduce((sum, { gives_back_percent }) => sum + gives_back_percent, 0) },
  }
}

/** Return with the most budget, if that is at least 1 %. */
export function largestReturn(calendar: readonly Return[]): Return | undefined {
  const [first] = calendar.toSorted((a, b) => b.gives_back_percent - a.gives_back_percent)
  return first && first.gives_back_percent >= minPercent ? first : undefined
}

/** True if the returns of a window are days, in UTC, as the server sums them. Shorter windows have hours or minutes. */
export function hasDays(timeWindow: string): boolean {
  return windowSeconds(timeWindow) > 86_400
}

/** Maximum number of returns of a window: one for each day, hour or five minutes. */
export function countSteps(timeWindow: string): number {
  const seconds = windowSeconds(timeWindow)
  if (hasDays(timeWindow)) return seconds / 86_400
  return seconds === 86_400 ? 24 : seconds / 300
}

/** Time of a return in a list: its day, `Tue 24 Nov`, or its end, `by 15:00`. */
export function formatReturnTime(row: Return, timeWindow: string, nowMs: number): string {
  const start = Date.parse(row.starts_at)
  if (hasDays(timeWindow)) return formatUtcWeekday(start)
  return `by ${formatMoment(Date.parse(row.ends_at), nowMs)}`
}

/** A return in a sentence or a chart: `+17 % on 24 Nov`, `+17 % by 15:00`. */
export function formatReturn(row: Return, timeWindow: string, nowMs: number): string {
  const percent = formatGain(row.gives_back_percent)
  if (hasDays(timeWindow)) return `${percent} on ${formatUtcDay(Date.parse(row.starts_at))}`
  return `${percent} ${formatReturnTime(row, timeWindow, nowMs)}`
}

/** Budget that comes back: `+17 %`. */
export function formatGain(percent: number): string {
  return `+${formatShare(percent)}`.replace('+>', '>\u2009+').replace(/\+\u2009/, '+')
}
