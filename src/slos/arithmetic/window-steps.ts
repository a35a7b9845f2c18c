import { apportion, type Counts } from './apportion.ts'
import { round10 } from './budget.ts'
import { type RunningSums, sumBetween } from './running-sums.ts'
import { sliOfSum } from './window-sum.ts'
import { daySeconds } from './windows.ts'

/**
 * A step of a window. `sli` in percent; `coverage` 0..1; `good` and `total` are null if no events are counted, or the step was not
 * measured.
 */
type WindowStep = {
  startSeconds: number
  sli: number | null
  coverage: number
  good: number | null
  total: number | null
}

const maxSteps = 200
/** Lengths of steps. The shortest one that gives at most 200 steps divides each window that is no calendar period. */
const lengths = [60, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, daySeconds]

/**
 * The window that ends with the sums, in at most 200 steps, or in days, oldest first. `events`: those of the whole window, to which the
 * events of its steps add up; null if it counts none.
 */
export function stepsOfWindow(
  sums: RunningSums,
  windowSeconds: number,
  events: Counts | null,
): { stepSeconds: number; steps: WindowStep[] } {
  const stepSeconds = lengths.find((one) => one >= sums.stepSeconds && windowSeconds / one <= maxSteps) ?? daySeconds
  const count = Math.ceil(windowSeconds / stepSeconds) // the first step of a calendar period may begin before it
  const first = sums.endSeconds - count * stepSeconds
  const starts = Array.from({ length: count }, (_, at) => first + at * stepSeconds)
  const stepSums = starts.map((start) => sumBetween(sums, start, start + stepSeconds))
  const counts = events ? apportion(events, stepSums) : []
  const steps = stepSums.map((sum, at) => {
    const { ratio, coverage } = sliOfSum(sum, stepSeconds)
    const { good, total } = counts[at] ?? { good: null, total: null }
    return { startSeconds: starts[at] ?? 0, sli: ratio === null ? null : round10(ratio * 100), coverage, good, total }
  })
  return { stepSeconds, steps }
}
