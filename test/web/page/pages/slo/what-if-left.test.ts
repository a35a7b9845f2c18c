import { expect, test } from 'bun:test'
import type { Budget } from '../../../../../src/web/page/api/types.ts'
import { errorBudget } from '../../../../../src/slos/arithmetic/budget.ts'
import { allowedEvents, exhaustedSince } from '../../../../../src/web/page/pages/slo/what-if-left.ts'

const now = Date.parse('2026-11-22T14:00:00Z')

test.each([
  [99.862, 99.9, -38],
  [99.95, 99, 95],
  [99.9, 100, 0],
])('an SLI of %p leaves of a target of %p: %p', (sli, target, left) => {
  expect(100 - errorBudget(sli, target).percentageUsed).toBeCloseTo(left, 6)
})

test('the budget of another target is gone since the burn-down passed its share', () => {
  const points = [100, 60, 20, -30].map((remaining_percent, at) => ({
    timestamp: new Date(now - (3 - at) * 3_600_000).toISOString(),
    remaining_percent,
    ideal_percent: 0,
    coverage: 1,
  }))
  const hoursAgo = (target: number) => {
    const since = exhaustedSince(points, 99.9, target)
    return since && [(now - since.atMs) / 3_600_000, since.isExact]
  }
  expect([99.99, 99.95, 99.9, 99.8, 100].map(hoursAgo)).toEqual([[2, false], [1, false], [0, true], null, null])
})

test.each([
  [0, 0],
  [500, 50],
])('a young SLO allows as many failures of the whole window with %p %% used as with nothing used', (used, ofWindow) => {
  const [first_sample_at, measured_at] = [now - 3 * 86_400_000, now].map((ms) => new Date(ms).toISOString())
  const error_budget = { percentage_used: used, window_percent_used: ofWindow } as Budget['error_budget']
  const events = { allowed_bad: 5 } as Budget['events']
  expect(
    allowedEvents({
      error_budget,
      events,
      first_sample_at: first_sample_at ?? null,
      measured_at: measured_at ?? null,
      target: 99.9,
      window_seconds: 2_592_000,
      period: null,
    }),
  ).toBeCloseTo(50, 9)
})
