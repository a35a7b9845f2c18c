import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { suggestTarget } from '../../../../src/web/page/what-if/suggest-target.ts'
import type { WhatIfData } from '../../../../src/web/page/what-if/sums.ts'

const step = 300
const day = 86_400
const hours = (n: number) => (n * 3600) / step

/** A history of these steps that ends now: total and bad events of each; null: not measured. */
function dataOf(steps: readonly ([total: number, bad: number] | null)[], countsEvents = true): WhatIfData {
  const endMs = Date.UTC(2026, 10, 22)
  return {
    windows: [],
    steps: {
      start_time: new Date(endMs - steps.length * step * 1000).toISOString(),
      end_time: new Date(endMs).toISOString(),
      step_seconds: step,
      counts_events: countsEvents,
      total: steps.map((one) => one && one[0]),
      bad: steps.map((one) => one?.[1] ?? 0),
    },
  }
}
const steady = (count: number, total: number, bad: number) =>
  Array.from({ length: count }, (): [number, number] => [total, bad])

describe('the suggested target', () => {
  test('the suggested target is what the worst window reached, not the one that ends now', () => {
    const data = dataOf([...steady(hours(24), 1000, 10), ...steady(hours(36), 1000, 1)])
    expect(suggestTarget(data, '24h', 99.9)).toEqual({ target: 99, reason: 'The worst 24 hours reached 99.0\u2009%.' })
    const later = dataOf([...steady(hours(12), 1000, 10), ...steady(hours(36), 1000, 1)])
    expect(suggestTarget(later, '24h', 99.9)).toEqual({
      target: 99,
      reason: 'The worst 24 hours reached 99.4\u2009%.',
    })
  })

  test('the suggested target is not above what was measured over the window itself', () => {
    const data = dataOf(steady(hours(24), 1000, 0))
    expect(suggestTarget(data, '24h', 99.93)).toEqual({
      target: 99.9,
      reason: 'The worst 24 hours reached 99.93\u2009%.',
    })
  })

  test('the suggested target leaves a budget that holds one failure', () => {
    expect(suggestTarget(dataOf(steady(hours(24), 5, 0)), '24h', 100)).toEqual({
      target: 99.9,
      reason: 'The worst 24 hours reached 100\u2009%; the budget of a higher target would not hold one failure.',
    })
    // 86 s; a target of 99.95 allows 43 s
    expect(suggestTarget(dataOf(steady(hours(24), step, 0), false), '24h', 100).target).toBe(99.9)
    expect(suggestTarget(dataOf([...steady(hours(23), 0, 0), ...steady(hours(1), 0.05, 0)]), '24h', 100)).toEqual({
      target: null,
      reason: 'The worst 24 hours reached 100\u2009%: no target below that leaves a budget for one failure.',
    })
  })

  test('the suggested target is none, and says why, where there is too little past or nothing was counted', () => {
    const young = dataOf([...Array.from({ length: hours(13) }, () => null), ...steady(hours(11), 1000, 0)])
    expect(suggestTarget(young, '24h', 100)).toEqual({
      target: null,
      reason: 'Less than half of the last 24 hours has data: too little past to suggest a target.',
    })
    expect(suggestTarget(dataOf(steady(hours(24), 0, 0)), '24h', null)).toEqual({
      target: null,
      reason: 'Nothing was counted in the past that could suggest a target.',
    })
  })

  test('the suggested target is a step, or below 90 a whole percent, and never above the worst window', () => {
    const stretch = fc.tuple(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    fc.assert(
      fc.property(
        fc.array(stretch, { minLength: 1, maxLength: 10 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (all, sli) => {
          const steps = all.flatMap(([count, total, share]) => steady(count * 12, total, Math.round(total * share)))
          const data = dataOf(steps)
          const { target } = suggestTarget(data, '24h', sli)
          const size = day / step
          const reached: number[] = []
          let [total, bad] = [0, 0] // of the window that ends with the step; counts are whole numbers, so nothing is rounded
          for (const [at, [counted, failed]] of steps.entries()) {
            const [leftTotal, leftBad] = steps[at - size] ?? [0, 0]
            total += counted - leftTotal
            bad += failed - leftBad
            if (at >= size - 1) reached.push(100 - (100 * bad) / total)
          }
          if (reached.length === 0) return expect(target === null || target <= sli).toBe(true)
          if (target === null) return
          expect(target).toBeLessThanOrEqual(Math.min(sli, ...reached) + 1e-9)
          const isStep =
            target >= 90
              ? [90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99, 99.999].includes(target)
              : Number.isInteger(target)
          expect(isStep).toBe(true)
        },
      ),
      { seed: 20_261_124, numRuns: 100 },
    )
  })
})
