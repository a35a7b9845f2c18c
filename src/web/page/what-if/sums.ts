import type { Preview } from '../api/types.ts'

/** Data of a preview for other targets and windows. */
export type WhatIfData = NonNullable<Preview['what_if']>

/** Sum over a time; `good` and `total` are events, or seconds. */
export type Sum = { good: number; total: number; coveredSeconds: number }

/** Running sums at the ends of the steps, from `startSeconds` on, so that the sum of any window is one subtraction. */
export type Sums = {
  startSeconds: number
  endSeconds: number
  stepSeconds: number
  countsEvents: boolean
  good: Float64Array
  total: Float64Array
  covered: Float64Array
}

/** Sums over the given last seconds, or over all data if there is less. */
export function sumsOver({ steps }: WhatIfData, seconds: number): Sums {
  const { step_seconds: stepSeconds, counts_events: countsEvents, total, bad } = steps
  const endSeconds = Date.parse(steps.end_time) / 1000
  const first = Math.max(0, total.length - Math.round(seconds / stepSeconds))
  const count = total.length - first
  const sums = {
    startSeconds: endSeconds - count * stepSeconds,
    endSeconds,
    stepSeconds,
    countsEvents,
    good: new Float64Array(count + 1),
    total: new Float64Array(count + 1),
    covered: new Float64Array(count + 1),
  }
  for (let at = 0; at < count; at++) {
    const all = total[first + at] ?? null
    sums.good[at + 1] = (sums.good[at] ?? 0) + ((all ?? 0) - (bad[first + at] ?? 0))
    sums.total[at + 1] = (sums.total[at] ?? 0) + (all ?? 0)
    sums.covered[at + 1] = (sums.covered[at] ?? 0) + (all === null ? 0 : stepSeconds)
  }
  return sums
}

/** Sum over `[from, to)`; time outside of the sums counts as not measured. */
export function sumBetween(sums: Sums, fromSeconds: number, toSeconds: number): Sum {
  const [from, to] = [placeOf(sums, fromSeconds), placeOf(sums, toSeconds)]
  const over = (values: Float64Array) => (values[to] ?? 0) - (values[from] ?? 0)
  return { good: over(sums.good), total: over(sums.total), coveredSeconds: over(sums.covered) }
}

/** Sum from the start to a time, interpolated within a step. */
export function sumUntil(sums: Sums, toSeconds: number): Sum {
  const place = Math.max(0, Math.min(sums.total.length - 1, (toSeconds - sums.startSeconds) / sums.stepSeconds))
  const [before, after] = [Math.floor(place), Math.ceil(place)]
  const at = (values: Float64Array) => {
    const [from = 0, to = 0] = [values[before], values[after]]
    return from + (to - from) * (place - before)
  }
  return { good: at(sums.good), total: at(sums.total), coveredSeconds: at(sums.covered) }
}

/** Start of the first measured step in seconds; null if there is none. */
export function coveredFrom({ covered, startSeconds, stepSeconds }: Sums): number | null {
  const first = covered.findIndex((seconds) => seconds > 0)
  return first === -1 ? null : startSeconds + (first - 1) * stepSeconds
}

function placeOf({ startSeconds, stepSeconds, total }: Sums, seconds: number): number {
  return Math.min(total.length - 1, Math.max(0, Math.round((seconds - startSeconds) / stepSeconds)))
}

const minCoverage = 0.5

/** SLI of a sum, 0 to 1; null if less than half of the time was measured, or there were no events. */
export function ratioOf({ good, total, coveredSeconds }: Sum, seconds: number): number | null {
  if (coveredSeconds < seconds * minCoverage || total <= 0) return null
  return Math.min(1, Math.max(0, good / total))
}
