import type { WindowSum } from './window-sum.ts'

/** Events of a window, or of a step; whole numbers. */
export type Counts = { good: number; total: number }

/** Failing shares up to this are rounding errors of binary fractions. */
const maxRoundingError = 1e-9

/**
 * Divides the events of a window among its steps, in proportion to what was measured in each: whole numbers that add up to the
 * events of the window. Null for a step that was not measured, and for all steps if no events were.
 */
export function apportion(window: Counts, steps: readonly WindowSum[]): (Counts | null)[] {
  const totals = steps.map(({ total }) => Math.max(0, total))
  const all = sum(totals)
  if (all === 0 && window.total > 0) return steps.map(() => null)
  const goods = steps.map(({ good }) => Math.max(0, good))
  const bads = steps.map(({ good, total }) => Math.max(0, total - good))
  // where no step has good (or bad) events, those of the window are divided by all events
  const weightsOf = (weights: number[]) => (sum(weights) > all * maxRoundingError ? weights : totals)
  const good = shares(window.good, weightsOf(goods))
  const bad = shares(window.total - window.good, weightsOf(bads))
  return steps.map(({ coveredSeconds }, at) => {
    if (coveredSeconds <= 0) return null
    const goodCount = good[at] ?? 0
    return { good: goodCount, total: goodCount + (bad[at] ?? 0) }
  })
}

/** Whole numbers that add up to `total`, in proportion to the weights: their running sum is rounded, never a single share. */
function shares(total: number, weights: readonly number[]): number[] {
  const all = sum(weights)
  let [weight, assigned] = [0, 0]
  return weights.map((itemWeight) => {
    weight += itemWeight
    const upToHere = all > 0 ? Math.round(total * (weight / all)) : 0
    const share = upToHere - assigned
    assigned = upToHere
    return share
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
