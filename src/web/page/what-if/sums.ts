import { addUpSteps, type RunningSums } from '../../../slos/arithmetic/running-sums.ts'
import type { Preview } from '../api/types.ts'

/** Data of a preview for other targets and windows. */
export type WhatIfData = NonNullable<Preview['what_if']>

/** Sums of the steps of a preview; `countsEvents` false: they are seconds. */
export type Sums = RunningSums & { countsEvents: boolean }

/** Running sums over the last `seconds` of the steps of a preview; over all steps if they cover less. */
export function sumsOver({ steps }: WhatIfData, seconds: number): Sums {
  const { step_seconds: stepSeconds, counts_events: countsEvents, total, bad } = steps
  const endSeconds = Date.parse(steps.end_time) / 1000
  const first = Math.max(0, total.length - Math.round(seconds / stepSeconds))
  const ofSteps = total.slice(first).map((all, at) => ({
    good: (all ?? 0) - (bad[first + at] ?? 0),
    total: all ?? 0,
    coveredSeconds: all === null ? 0 : stepSeconds,
  }))
  const startSeconds = endSeconds - ofSteps.length * stepSeconds
  return { ...addUpSteps(ofSteps, { startSeconds, endSeconds, stepSeconds }), countsEvents }
}
