import type { WindowSum } from './window-sum.ts'

/**
 * Running sums at the ends of steps of one length, beginning with 0 at `startSeconds`: the sum of any window is one subtraction.
 * `covered` is in seconds.
 */
export type RunningSums = {
  startSeconds: number
  endSeconds: number
  stepSeconds: number
  good: Float64Array
  total: Float64Array
  covered: Float64Array
}

type Span = Pick<RunningSums, 'startSeconds' | 'endSeconds' | 'stepSeconds'>

/** Adds up the steps of a span, oldest first. */
export function addUpSteps(steps: readonly WindowSum[], span: Span): RunningSums {
  const count = steps.length
  const sums = {
    ...span,
    good: new Float64Array(count + 1),
    total: new Float64Array(count + 1),
    covered: new Float64Array(count + 1),
  }
  for (const [at, { good, total, coveredSeconds }] of steps.entries()) {
    sums.good[at + 1] = (sums.good[at] ?? 0) + good
    sums.total[at + 1] = (sums.total[at] ?? 0) + total
    sums.covered[at + 1] = (sums.covered[at] ?? 0) + coveredSeconds
  }
  return sums
}

/** Sum over `[fromSeconds, toSeconds)`, both rounded to the end of a step; nothing was measured outside of the span. */
export function sumBetween(sums: RunningSums, fromSeconds: number, toSeconds: number): WindowSum {
  const [from, to] = [indexAt(sums, fromSeconds), indexAt(sums, toSeconds)]
  const difference = (values: Float64Array) => (values[to] ?? 0) - (values[from] ?? 0)
  return { good: difference(sums.good), total: difference(sums.total), coveredSeconds: difference(sums.covered) }
}

/** Sum from the start of the span up to a time; within a step it grows evenly. */
export function sumUntil(sums: RunningSums, toSeconds: number): WindowSum {
  const index = Math.max(0, Math.min(sums.total.length - 1, (toSeconds - sums.startSeconds) / sums.stepSeconds))
  const [lowerIndex, upperIndex] = [Math.floor(index), Math.ceil(index)]
  const at = (values: Float64Array) => {
    const [from = 0, to = 0] = [values[lowerIndex], values[upperIndex]]
    return from + (to - from) * (index - lowerIndex)
  }
  return { good: at(sums.good), total: at(sums.total), coveredSeconds: at(sums.covered) }
}

/** Start of the first step that was measured; null: none was. */
export function coveredFrom({ covered, startSeconds, stepSeconds }: RunningSums): number | null {
  const first = covered.findIndex((seconds) => seconds > 0)
  return first === -1 ? null : startSeconds + (first - 1) * stepSeconds
}

function indexAt({ startSeconds, stepSeconds, total }: RunningSums, seconds: number): number {
  return Math.min(total.length - 1, Math.max(0, Math.round((seconds - startSeconds) / stepSeconds)))
}
