import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { suggestTarget } from '../../../src/insight/suggestions/target.ts'

const past = (sliPercent: number | null, events: number | null, knownDays = 30) => ({
  sliPercent,
  events,
  knownDays,
  daysPercent: [],
  isEstimate: false,
})

// Values of the table of "Suggested target" in docs/slo-math.md, and one for a share of time.
test.each([
  [99.93, 1_000_000, 99.9],
  [99.9, 1_000_000, 99.9],
  [99.899_999_999_999_9, 1_000_000, 99.9],
  [99.899, 1_000_000, 99.8],
  [100, 1_000_000, 99.999],
  [100, 5000, 99.95],
  [87.4, 1000, 87],
  [100, 1, null],
  [100, null, 99.99],
  [0, 1000, null],
])('%p percent of %p events suggest %p', (reached, events, target) => {
  expect(suggestTarget(past(reached, events)).target).toBe(target)
})

test('neither a target nor what to begin with is above what was reached, unless less than 1 % was', () => {
  const percent = fc.double({ min: 0, max: 100, noNaN: true })
  const events = fc.option(fc.integer({ min: 0, max: 1e9 }))
  fc.assert(
    fc.property(percent, events, fc.integer({ min: 1, max: 30 }), (reached, count, days) => {
      const { target, start } = suggestTarget(past(reached, count, days))
      if (target !== null) expect(target).toBeLessThanOrEqual(reached + 1e-9)
      if (reached >= 1) expect(start).toBeLessThanOrEqual(reached + 1e-9)
      expect(start).toBeGreaterThan(0)
    }),
  )
})

test('an unknown past suggests the usual target to begin with, and none', () => {
  expect(suggestTarget(null)).toMatchObject({ target: null, start: 99.9 })
  expect(suggestTarget(past(null, 0, 0))).toMatchObject({ target: null, start: 99.9 })
})

test('an estimate suggests no target, but one to begin with', () => {
  expect(suggestTarget({ ...past(99.97, 1e6), isEstimate: true })).toMatchObject({ target: null, start: 99.9 })
})

test('a day of little traffic begins with a target whose budget of 30 such days holds a failure', () => {
  const reason = 'Only one day of the last 30 is known; it reached 100 %.'
  expect(suggestTarget(past(100, 6, 1))).toEqual({ target: null, start: 99, reason })
  expect(suggestTarget(past(97.5, 40, 1))).toMatchObject({ target: null, start: 95 })
})
