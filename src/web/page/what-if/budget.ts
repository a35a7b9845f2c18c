/**
 * An error budget in percent: `total`, `used` and `remaining` in points of the SLI, `percentageUsed` relative to the budget.
 */
export type ErrorBudget = { total: number; used: number; remaining: number; percentageUsed: number }

/** Error budget of a window, computed as on the server: docs/slo-math.md, "Budget". */
export function errorBudget(sliPercent: number, targetPercent: number): ErrorBudget {
  const total = tidy(100 - targetPercent)
  const used = tidy(100 - sliPercent)
  const remaining = tidy(total - used)
  if (total === 0) return { total, used, remaining, percentageUsed: used === 0 ? 0 : 100 }
  return { total, used, remaining, percentageUsed: tidy(((100 - sliPercent) / total) * 100) }
}

/** Number of events that may fail, of a total. */
export function allowedBad(total: number, targetPercent: number): number {
  return tidy((total * tidy(100 - targetPercent)) / 100)
}

/** Minutes of complete failure that a window allows. */
export function allowedMinutes(windowSeconds: number, targetPercent: number): number {
  return Number(((windowSeconds / 60) * (tidy(100 - targetPercent) / 100)).toFixed(6))
}

/** Share of the budget that bad events use, in percent. */
export function burnedPercent(bad: number, allowed: number): number {
  if (bad === 0) return 0
  return allowed === 0 ? 100 : (100 * bad) / allowed
}

/** Rounds to 10 decimals, to remove floating-point noise: 100 - 99.9 is 0.1. */
export function tidy(value: number): number {
  return Number(value.toFixed(10))
}
