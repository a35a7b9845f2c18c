import type { Sum } from './sums.ts'

export type Counts = { good: number; total: number }

/** Failing shares up to this size are floating-point noise. */
const dust = 1e-9

/**
 * Distributes the events of a window over its steps as the server's preview does: whole numbers that add up to those of the
 * window. Null for a step that was not measured, and for all steps if the window has events but no step does.
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

/** Whole numbers in proportion to the weights that add up to `whole`, from the rounded running sum. */
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
