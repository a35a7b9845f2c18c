import type { Status } from '../../db/tables/tables.ts'

export type { Status } from '../../db/tables/tables.ts'
export const statuses = ['healthy', 'warning', 'critical', 'unknown'] as const satisfies Status[]

/** Error budget in percent: `used` and `remaining` in percentage points of the SLI, `percentageUsed` of the budget. */
export type ErrorBudget = {
  total: number
  used: number | null
  remaining: number | null
  percentageUsed: number | null
}

const tolerance = 1e-9

/**
 * Error budget of a window: `100 - target` percent may fail, `100 - sli` have failed. Never clamped: 250 means two and a half
 * budgets. A target of 100 leaves no budget: the first failure uses 100 % of it. Rule: docs/slo-math.md, "Budget".
 */
export function errorBudget(sliPercent: number | null, targetPercent: number): ErrorBudget {
  const total = tidy(100 - targetPercent)
  if (sliPercent === null) return { total, used: null, remaining: null, percentageUsed: null }
  const used = tidy(100 - sliPercent)
  const remaining = tidy(total - used)
  if (total === 0) return { total, used, remaining, percentageUsed: used === 0 ? 0 : 100 }
  return { total, used, remaining, percentageUsed: tidy(((100 - sliPercent) / total) * 100) }
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

/**
 * Share of a budget of `allowed` bad events that `bad` events burn, in percent. Without a budget the first failure uses all of
 * it, as in `errorBudget`.
 */
export function burnedPercent(bad: number, allowed: number): number {
  if (bad === 0) return 0
  return allowed === 0 ? 100 : (100 * bad) / allowed
}

/** Rounds to 10 decimal places, against binary rounding errors: 100 - 99.9 is 0.1. Null stays null. */
export function tidy(value: number): number
export function tidy(value: number | null): number | null
export function tidy(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(10))
}
