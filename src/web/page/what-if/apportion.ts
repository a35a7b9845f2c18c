import type { Sum } from './sums.ts'

export type Counts = { good: number; total: number }

/** A failing share this small is the rounding of binary fractions. */
const dust = 1e-9

/**
 * The events of a window as those of its steps, as the preview of the server apportions them: whole numbers whose sums are those
 * of the window. Null for a step that was not measured, and for all where no event was.
 */
export function apportion(window: Counts, steps: readonly Sum[]): (Counts | null)[] {
  const totals = steps.map(({ total }) => Math.max(0, total))
  const all = added(totals)
  if (all === 0 && window.total > 0) return steps.map(() => null)
  const weightsOf = (weights: number[]) => (added(weights) > all * dust ? weights : totals)
  const goods = weightsOf(steps.map(({ good }) => Math.max(0, good)))
  const bads = weightsOf(steps.map(({ good, total }) => Math.max(0, total - good)))
  const good = shares(window.good, goods)
  const bad = shares(window.total - window.good, bads)
  return steps.map(({ coveredSeconds }, at) => {
    if (coveredSeconds <= 0) return null
    const own = good[at] ?? 0
    return { good: own, total: own + (bad[at] ?? 0) }
  })
}

/** Whole numbers that add up to `whole`: the running sum of the weights is rounded. */
function shares(whole: number, weights: readonly number[]): number[] {
  const all = added(weights)
  let [weight, given] = [0, 0]
  return weights.map((own) => {
    weight += own
    const upToHere = all > 0 ? Math.round(whole * (weight / all)) : 0
    const share = upToHere - given
    given = upToHere
    return share
  })
}

function added(numbers: readonly number[]): number {
  return numbers.reduce((before, one) => before + one, 0)
}
