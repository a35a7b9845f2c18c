/** Results of comparing an SLI with its target; `unknown`: there is no SLI to compare. */
export const statuses = ['healthy', 'warning', 'critical', 'unknown'] as const
export type Status = (typeof statuses)[number]

/** Error budget in percent: `used` and `remaining` in percentage points of the SLI, `percentageUsed` of the budget. */
export type ErrorBudget = {
  total: number
  used: number | null
  remaining: number | null
  percentageUsed: number | null
}

/** Budget of a window that has an SLI. */
export type KnownBudget = { [Part in keyof ErrorBudget]: number }

const tolerance = 1e-9

/**
 * Error budget of a window: `100 - target` percent may fail, `100 - sli` have failed. Never clamped: 250 means two and a half
 * budgets. A target of 100 leaves no budget: the first failure uses 100 % of it. Rule: docs/slo-math.md, "Budget".
 */
export function errorBudget(sliPercent: number, targetPercent: number): KnownBudget
export function errorBudget(sliPercent: number | null, targetPercent: number): ErrorBudget
export function errorBudget(sliPercent: number | null, targetPercent: number): ErrorBudget {
  const total = round10(100 - targetPercent)
  if (sliPercent === null) return { total, used: null, remaining: null, percentageUsed: null }
  const used = round10(100 - sliPercent)
  const remaining = round10(total - used)
  if (total === 0) return { total, used, remaining, percentageUsed: used === 0 ? 0 : 100 }
  return { total, used, remaining, percentageUsed: round10(((100 - sliPercent) / total) * 100) }
}

/** Share of a window since the first sample, 0..1, below which the used budget of events counts as an estimate. */
const estimatedBelow = 0.1

/** Budget of the whole window that is used, in percent; `isEstimated`: its traffic is not known well yet. */
export type WindowBudget = { usedPercent: number | null; isEstimated: boolean }

export const unknownWindowBudget: WindowBudget = { usedPercent: null, isEstimated: false }

/**
 * Part of the whole window's budget that is used, if traffic stays as it is. `windowShare`: share of the window since the first
 * sample, 0..1; null: not known. A target of 100 is not scaled. Rule: docs/slo-math.md, "Budget of the window".
 */
export function windowBudget(
  percentageUsed: number | null,
  targetPercent: number,
  { windowShare, countsEvents }: { windowShare: number | null; countsEvents: boolean },
): WindowBudget {
  if (percentageUsed === null || windowShare === null) return unknownWindowBudget
  if (targetPercent >= 100) return { usedPercent: percentageUsed, isEstimated: false }
  return {
    usedPercent: round10(percentageUsed * windowShare),
    isEstimated: countsEvents && windowShare < estimatedBelow,
  }
}

/**
 * Compares the current value with its target, both in percent, and considers the budget remaining in the SLO's window. An
 * unknown budget counts as used up. Rule: docs/slo-math.md, "Status".
 */
export function assess(current: number | null, targetPercent: number, budgetUsedPercent: number | null): Status {
  if (current === null) return 'unknown'
  if (current >= targetPercent - tolerance) return 'healthy'
  return budgetUsedPercent !== null && 100 - budgetUsedPercent > 50 ? 'warning' : 'critical'
}

/** Number of events, or seconds, that may fail out of `total`. */
export function allowedBad(total: number, targetPercent: number): number {
  return round10((total * round10(100 - targetPercent)) / 100)
}

/** Number of events, or seconds, that may fail in the whole window, if traffic stays as it was since the first sample. */
export function allowedInWindow(total: number, targetPercent: number, windowShare: number): number {
  return (total * (100 - targetPercent)) / 100 / windowShare
}

/** A percentage of a window in minutes, to 6 decimals. */
export function minutesOf(windowSeconds: number, percent: number): number {
  return Number(((windowSeconds / 60) * (percent / 100)).toFixed(6))
}

/**
 * Share of a budget of `allowed` bad events that `bad` events burn, in percent. Without a budget the first failure uses all of
 * it, as in `errorBudget`.
 */
export function burnedPercent(bad: number, allowed: number): number {
  if (bad === 0) return 0
  return allowed === 0 ? 100 : (100 * bad) / allowed
}

/** Rounds to 10 decimal places, against binary rounding errors: 100 - 99.9 is 0.1. Null stays null. */
export function round10(value: number): number
export function round10(value: number | null): number | null
export function round10(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(10))
}
