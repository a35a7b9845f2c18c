import { windowSeconds } from '../charts/burn.ts'
import { apportion, type Counts } from './apportion.ts'
import { tidy } from './budget.ts'
import { ratioOf, sumBetween, type Sums } from './sums.ts'
import type { SloWindow } from './tiers.ts'

/** A step of a window; `timestamp`: its begin. */
export type WindowPoint = {
  timestamp: string
  sli: number | null
  coverage: number
  good: number | null
  total: number | null
}

const maxPoints = 200
const steps = [60, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200] // each divides the windows that use it

/**
 * Steps of the window that ends with the sums, at most 200, as in `history` of the server's preview. `events`: the events of
 * the whole window, to which the steps add up; null if events are not counted.
 */
export function pointsOf(sums: Sums, window: SloWindow, events: Counts | null): WindowPoint[] {
  const ownSeconds = windowSeconds(window)
  const step = steps.find((one) => one >= sums.stepSeconds && ownSeconds / one <= maxPoints) ?? ownSeconds
  const startSeconds = sums.endSeconds - ownSeconds
  const starts = Array.from({ length: ownSeconds / step }, (_, at) => startSeconds + at * step)
  const ofSteps = starts.map((start) => sumBetween(sums, start, start + step))
  const counts = events ? apportion(events, ofSteps) : []
  return ofSteps.map((sum, at) => {
    const ratio = ratioOf(sum, step)
    const { good, total } = counts[at] ?? { good: null, total: null }
    return {
      timestamp: new Date((starts[at] ?? 0) * 1000).toISOString(),
      sli: ratio === null ? null : tidy(ratio * 100),
      coverage: tidy(Math.min(1, sum.coveredSeconds / step)),
      good,
      total,
    }
  })
}
