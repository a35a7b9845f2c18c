import { expect, test } from 'bun:test'
import { daysLabel } from '../../../../../src/web/page/pages/overview/days-label.ts'

test.each([
  [[56_164], 99.9, 'On 1 of 1 days of UTC 0.1\u2009% or more failed; on the worst 56\u2009%'],
  [[null, 0, 10], 99, 'On 0 of 2 days of UTC 1\u2009% or more failed; on the worst 0.1\u2009%'],
  [[99.9, 100], 99, 'On 1 of 2 days of UTC 1\u2009% or more failed; on the worst 1.0\u2009%'],
  [[0, 0], 99.95, 'On 0 of 2 days of UTC 0.05\u2009% or more failed; on the worst 0\u2009%'],
  [[0, 100], 100, 'On 1 of 2 days of UTC more than 0\u2009% failed'],
  [[null, null], 99.9, 'No data in these days'],
] as const)('days with %p of what %p allows: "%s"', (days, target, label) => {
  expect(daysLabel(days, target)).toBe(label)
})
