import type { OwnWindow } from './own-window.ts'
import { calendarStep, daySeconds } from './windows.ts'

/**
 * Budget use of a window. `used`: percent of its budget. `failed`: cumulative failures since its start, by time, oldest first; the
 * last entry is at its end.
 */
export type WindowUse = {
  used: number
  targetPercent: number
  own: OwnWindow
  failed: { atSeconds: number; bad: number }[]
}

/** Budget that returns in `[startSeconds, endSeconds)`, in percent of the budget, and the budget used after it. */
export type BudgetReturn = { startSeconds: number; endSeconds: number; givesBack: number; usedAfter: number }

/**
 * Times at which used budget returns to a rolling window, if nothing fails any more and traffic stays as in the window. Steps
 * in which nothing returns are left out; the others add up to `used`. Empty if it is unknown when failures happened. To a calendar
 * period all used budget returns on the first day of the next. Rule: docs/slo-math.md, "Budget calendar".
 */
export function budgetCalendar({ used, targetPercent, own, failed }: WindowUse): BudgetReturn[] {
  const { endSeconds, wholeSeconds: windowSeconds, nextSeconds } = own
  if (nextSeconds !== null) {
    const next = { startSeconds: nextSeconds, endSeconds: nextSeconds + daySeconds }
    return used > 0 ? [{ ...next, givesBack: used, usedAfter: 0 }] : []
  }
  const all = failed.at(-1)?.bad ?? 0
  if (used <= 0 || all <= 0) return []
  const step = calendarStep(windowSeconds)
  const returns: BudgetReturn[] = []
  let remaining = all
  let usedBefore = used
  for (let start = endSeconds; start < endSeconds + windowSeconds;) {
    const end = Math.min(endSeconds + windowSeconds, (Math.floor(start / step) + 1) * step)
    const expired = failed.findLast(({ atSeconds }) => atSeconds <= end - windowSeconds)?.bad ?? 0
    remaining = Math.min(remaining, Math.max(0, all - expired)) // a day's sum may be less than that of its hours
    const usedAfter = usedOf(remaining)
    if (usedAfter < usedBefore) {
      returns.push({ startSeconds: start, endSeconds: end, givesBack: usedBefore - usedAfter, usedAfter })
    }
    usedBefore = usedAfter
    start = end
  }
  return returns

  /** Budget used by the failures that remain. Without a budget all of it returns with the last failure, as in `errorBudget`. */
  function usedOf(bad: number): number {
    if (targetPercent >= 100) return bad > 0 ? used : 0
    return (used * bad) / all
  }
}
