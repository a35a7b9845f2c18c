import type { Budget } from '../../api/types.ts'
import { type CalendarWindow, isCalendarWindow } from '../../../../slos/arithmetic/windows.ts'
import {
  formatBurn,
  formatCount,
  formatDuration,
  formatMoment,
  formatPercent,
  formatShare,
  formatTarget,
  formatWindow,
  sentence,
} from '../../format.ts'
import { hasLine } from '../../slo/budget-chart-lines.ts'
import { leftPercent, lowestWords, overWords } from '../../slo/budget-words.ts'

/** Sentences about the remaining budget, and when least of it was left. */
export function budgetSentence(budget: Budget, nowMs: number): string {
  const left = leftPercent(budget.error_budget)
  const measured = budget.burn_down.flatMap(({ timestamp, remaining_percent: percent }) =>
    percent === null ? [] : [{ timestamp, percent }],
  )
  const lowest = measured.reduce(
    (min, point) => (point.percent < (min?.percent ?? Infinity) ? point : min),
    measured[0],
  )
  if (left === null || !lowest) return 'Nothing was measured in the window.'
  const summaryOfLeft = leftWords(left, formatWindow(budget.time_window))
  const summary =
    lowest === measured.at(-1)
      ? `${summaryOfLeft}; it was never lower in the window.`
      : `${summaryOfLeft}; ${lowestWords(lowest.percent)}, ${formatMoment(Date.parse(lowest.timestamp), nowMs)}.`
  return hasLine(budget.burn_down) ? summary : `${summary} The line begins with the second minute of data.`
}

function leftWords(left: number, window: string): string {
  if (left < 0) return `The budget of ${window} is ${overWords(100 - left)}`
  return `${formatShare(left)} of the budget of ${window} is left`
}

/** Title of the card of the SLI, with its window. */
export function sliTitle(window: string): string {
  return isCalendarWindow(window) ? `SLI, this ${window}` : `SLI, ${formatWindow(window)}`
}

/** Text below the share that was good. `target`: in percent. */
export function goodSentence(hasEvents: boolean, target: number): string {
  const goal = `${formatTarget(target)}\u202f%`
  return hasEvents
    ? `of what was counted was good; the target is ${goal}`
    : `of the time was good; the target is ${goal}`
}

/** Time with data, in seconds, of a window. */
export function measuredTimeWords(seconds: number, window: string): string {
  return `measured for ${formatDuration(seconds)} of ${formatWindow(window)}`
}

/** Share of a window that has data, in percent. */
export function measuredShareWords(percent: number): string {
  return `measured for ${formatPercent(percent, 1)} of the window`
}

/** Events that failed, and those that may. */
export function failedWords(failed: number, allowed: number): string {
  return `${formatCount(failed)} failed, ${formatCount(allowed)} allowed`
}

const pastTitles: Record<CalendarWindow, string> = {
  week: 'Past weeks',
  month: 'Past months',
  quarter: 'Past quarters',
  year: 'Past years',
}

/** Title of the calendar periods of an SLO that have ended. */
export function pastTitle(window: string): string {
  return isCalendarWindow(window) ? pastTitles[window] : 'Past periods'
}

/** Budget of a window, as time. */
export function allowedTimeWords(seconds: number): string {
  return `${formatDuration(seconds)} allowed`
}

/** When a budget comes back. */
export function comesBackWords(back: string): string {
  return `Comes back: ${back}`
}

export function burningWords(rate: number): string {
  return `Burning ${formatBurn(rate)}`
}

type TierRate = { rate: number; window: string; endMs: number; threshold: number }

/** Burn rate of a tier over its long window, and the rate above which it alerts: `11× over 1 h to 10:12, alerts above 14.4×`. */
export function tierRateWords({ rate, window, endMs, threshold }: TierRate, nowMs: number): string {
  const end = formatMoment(endMs, nowMs)
  return `${formatBurn(rate)} over ${formatWindow(window)} to ${end}, alerts above ${formatTarget(threshold)}×`
}

/** Duration of an incident that still fails. */
export function stillFailingWords<Part>(lasted: Part): (Part | string)[] {
  return sentence`still failing, ${lasted}`
}
