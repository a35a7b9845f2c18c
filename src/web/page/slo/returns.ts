import type { Budget } from '../api/types.ts'
import { timeOf } from './budget-words.ts'
import { windowSeconds } from './burn.ts'
import { noisePercent } from '../../../slos/arithmetic/share.ts'
import { calendarStep, daySeconds } from '../../../slos/arithmetic/windows.ts'
import { formatMoment, formatShare, formatUtcDay, formatUtcWeekday, formatWeekdayIn, timesWords } from '../format.ts'

/** A time in which budget comes back, with its amount in percent. */
export type Return = Budget['calendar'][number]
/** SLO whose budget comes back. `events` null: it counts time. `period` is absent, or null, if its window moves with time. */
export type Returning = Pick<Budget, 'target' | 'time_window' | 'window_seconds' | 'events'> & {
  period?: Budget['period']
}
type Dated = Pick<Returning, 'time_window' | 'period'>

const minPercent = 1
const maxListed = 5

/**
 * Returns to list, in order of time: the five largest of at least 1 %, or the largest if all are smaller. `others`: number and
 * sum of the rest, without what rounds to 0 %.
 */
export function largestReturns(calendar: readonly Return[]): {
  rows: Return[]
  others: { count: number; percent: number }
} {
  const bySize = calendar.toSorted((a, b) => b.gives_back_percent - a.gives_back_percent)
  const large = bySize.filter(({ gives_back_percent }) => gives_back_percent >= minPercent)
  const chosen = new Set(bySize.slice(0, Math.min(maxListed, Math.max(1, large.length))))
  const rest = calendar.filter((row) => !chosen.has(row) && row.gives_back_percent > noisePercent)
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
  return calendarStep(windowSeconds(timeWindow)) === daySeconds
}

/** Maximum number of returns of a window: one for each day, hour or five minutes. */
export function countSteps(timeWindow: string): number {
  const seconds = windowSeconds(timeWindow)
  return seconds / calendarStep(seconds)
}

/** Time of a return in a list: its day, `Tue 24 Nov`, in UTC or in the zone of the calendar period, or its end, `by 15:00`. */
export function formatReturnTime(row: Return, { time_window, period }: Dated, nowMs: number): string {
  const start = Date.parse(row.starts_at)
  if (period) return formatWeekdayIn(period.time_zone, start)
  if (hasDays(time_window)) return formatUtcWeekday(start)
  return `by ${formatMoment(Date.parse(row.ends_at), nowMs)}`
}

/** A return in a sentence or a chart: `+17 % on 24 Nov`, `+17 % by 15:00`. */
export function formatReturn(row: Return, slo: Returning, nowMs: number): string {
  const gain = formatGain(row, slo)
  if (slo.period) return `${gain} on ${formatReturnTime(row, slo, nowMs)}`
  if (hasDays(slo.time_window)) return `${gain} on ${formatUtcDay(Date.parse(row.starts_at))}`
  return `${gain} ${formatReturnTime(row, slo, nowMs)}`
}

/** Budget that comes back with a return: `+17 %`, `+288 min`, or `all of it` for one that `isWhole`. */
export function formatGain(row: Return, slo: Returning): string {
  return isWhole(row) ? 'all of it' : signedAmount(row.gives_back_percent, slo)
}

/** Budget that comes back, with a sign before a number: `+17 %`, `+288 min`. */
export function signedAmount(percent: number, slo: Returning): string {
  const amount = formatAmount(percent, slo)
  return /^\d/.test(amount) ? `+${amount}` : amount
}

/** True if a return gives back the whole budget or more, and nothing of the budget is used after it. */
export function isWhole({ gives_back_percent, remaining_after_percent }: Return): boolean {
  return gives_back_percent >= 100 && remaining_after_percent >= 100
}

/**
 * Used budget that leaves the window: `17 %`; of more than there is, the time that failed, `288 min`, or `6.7 budgets` of events; above
 * ten, `over 10 budgets`.
 */
export function formatAmount(percent: number, slo: Returning): string {
  if (percent <= 100) return formatShare(percent)
  if (percent > 1000) return 'over 10 budgets'
  return slo.events === null ? timeOf(percent, slo) : timesWords(percent).replace('times', 'budgets')
}

/** Reason why no return is listed. The minute of a failure is listed once it is over. */
export function noReturnWords(usedPercent: number | null): string {
  if (usedPercent === null) return 'Nothing was measured in the window.'
  return usedPercent === 0 ? 'Nothing was used, so nothing comes back.' : 'Known a minute or two after the failure.'
}
