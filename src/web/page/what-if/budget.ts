/** All in percent: `total`, `used` and `remaining` in points of SLI, `percentageUsed` in parts of the budget. */
export type ErrorBudget = { total: number; used: number; remaining: number; percentageUsed: number }

/** The error budget of a window, as the server computes it: docs/slo-math.md, "Budget". */
export function errorBudget(sliPercent: number, targetPercent: number): ErrorBudget {
  const total = tidy(100 - targetPercent)
  const used = tidy(100 - sliPercent)
  const remaining = tidy(total - used)
  if (total === 0) return { total, used, remaining, percentageUsed: used === 0 ? 0 : 100 }
  return { total, used, remaining, percentageUsed: tidy(((100 - sliPercent) / total) * 100) }
}

/** How many of so many events may fail. */
export function allowedBad(total: number, targetPercent: number): number {
  return tidy((total * tidy(100 - targetPercent)) / 100)
}

/** How many minutes of a window may fail wholly. */
export function allowedMinutes(windowSeconds: number, targetPercent: number): number {
  return Number(((windowSeconds / 60) * (tidy(100 - targetPercent) / 100)).toFixed(6))
}

/** What bad events burn of a budget that allows so many, in percent. */
export function burnedPercent(bad: number, allowed: number): number {
  if (bad === 0) return 0
  return allowed === 0 ? 100 : (100 * bad) / allowed
}

/** Without the dust of binary fractions: 100 - 99.9 is 0.1. */
export function tidy(value: number): number {
  return Number(value.toFixed(10))
}
