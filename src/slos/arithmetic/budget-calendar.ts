/**
 * `used`: of the budget of the window that ends at `endSeconds`, in percent. `failed`: how much had failed since its start
 * by a time, oldest first, the last at its end.
 */
export type WindowUse = {
  used: number
  targetPercent: number
  endSeconds: number
  windowSeconds: number
  failed: { atSeconds: number; bad: number }[]
}

/** What leaves the window in `[startSeconds, endSeconds)`, in percent of the budget, and what is used after it. */
export type BudgetReturn = { startSeconds: number; endSeconds: number; givesBack: number; usedAfter: number }

const day = 86_400

/** How finely returns are dated: by days of UTC, for shorter windows by hours, or by five minutes. */
export function calendarStep(windowSeconds: number): number {
  if (windowSeconds > day) return day
  return windowSeconds === day ? 3600 : 300
}

/**
 * When a rolling window gives back what was used of its budget, if nothing fails any more and traffic goes on as in the
 * window; without the days that give nothing back. They add up to `used`. Empty where it is not known when something
 * failed. Rule: docs/slo-math.md, "Budget calendar".
 */
export function budgetCalendar({ used, targetPercent, endSeconds, windowSeconds, failed }: WindowUse): BudgetReturn[] {
  const all = failed.at(-1)?.bad ?? 0
  if (used <= 0 || all <= 0) return []
  const step = calendarStep(windowSeconds)
  const returns: BudgetReturn[] = []
  let rest = all
  let before = used
  for (let start = endSeconds; start < endSeconds + windowSeconds;) {
    const end = Math.min(endSeconds + windowSeconds, (Math.floor(start / step) + 1) * step)
    const gone = failed.findLast(({ atSeconds }) => atSeconds <= end - windowSeconds)?.bad ?? 0
    rest = Math.min(rest, Math.max(0, all - gone)) // a day may hold less than its hours
    const usedAfter = usedOf(rest)
    if (usedAfter < before) {
      returns.push({ startSeconds: start, endSeconds: end, givesBack: before - usedAfter, usedAfter })
    }
    before = usedAfter
    start = end
  }
  return returns

  /** Without a budget all of it comes back with the last failure, as in `errorBudget`. */
  function usedOf(bad: number): number {
    if (targetPercent >= 100) return bad > 0 ? used : 0
    return (used * bad) / all
  }
}
