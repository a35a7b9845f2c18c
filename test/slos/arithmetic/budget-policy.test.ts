import { expect, test } from 'bun:test'
import { lineThatHolds } from '../../../src/slos/arithmetic/budget-policy.ts'

const lines = [50, 25, 10, 0].map((percent_left) => ({ percent_left, text: `at ${percent_left}`, url: '' }))

test.each([
  [100, null],
  [50.001, null],
  [50, 50],
  [25.5, 50],
  [25, 25],
  [9, 10],
  [0.1, 10],
  [0, 0],
  [-320, 0],
  [null, null],
])('with %p % left the line at %p holds', (left, percent) => {
  expect(lineThatHolds(lines, left)?.percent_left ?? null).toBe(percent)
  expect(lineThatHolds(lines.toReversed(), left)?.percent_left ?? null).toBe(percent)
})

test('a policy without lines says nothing', () => expect(lineThatHolds([], 0)).toBeNull())
