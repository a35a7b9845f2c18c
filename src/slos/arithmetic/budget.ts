import type { Status } from '../../db/tables/tables.ts'

export type { Status } from '../../db/tables/tables.ts'
export const statuses = ['healthy', 'warning', 'critical', 'unknown'] as const satisfies Status[]

/** All in percent. `used` and `remaining` count in points of SLI, `percentageUsed` in parts of the budget. */
export type ErrorBudget = {
  total: number
  used: number | null
  remaining: number | null
  percentageUsed: number | null
}

const tolerance = 1e-9

/**
 * The error budget of a window: of `100 - target` percent that may fail, `100 - sli` have. Never clamped: 250 means two
 * and a half budgets. A target of 100 leaves no budget: the first failure uses 100 % of it. Rule: docs/slo-math.md, "Budget".
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
 * Compares the current value with its target, both in percent, and looks at the budget remaining in the SLO's own window.
 * A budget that is not known counts as used up. Rule: docs/slo-math.md, "Status".
 */
export function assess(current: number | null, targetPercent: number, budgetUsedPercent: number | null): Status {
  if (current === null) return 'unknown'
  if (current >= targetPercent - tolerance) return 'healthy'
  return budgetUsedPercent !== null && 100 - budgetUsedPercent > 50 ? 'warning' : 'critical'
}

/**
 * What bad events burn of a budget that allows so many, in percent. Without a budget the first failure takes all of it, as in
 * `errorBudget`.
 */
export function burnedPercent(bad: number, allowed: number): number {
  if (bad === 0) return 0
  return allowed === 0 ? 100 : (100 * bad) / allowed
}

/** Without the dust of binary fractions: 100 - 99.9 is 0.1. What is not known stays so. */
export function tidy(value: number): number
export function tidy(value: number | null): number | null
export function tidy(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(10))
}
