import { expect, test } from 'bun:test'
import { lineInForce, policyInForce } from '../../../src/slos/arithmetic/budget-policy.ts'

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
  expect(lineInForce({ source: 'slo', lines }, left)?.percent_left ?? null).toBe(percent)
  expect(lineInForce({ source: 'slo', lines: lines.toReversed() }, left)?.percent_left ?? null).toBe(percent)
})

test('a policy of its own holds as a whole, without the lines of the team', () => {
  const [own] = lines.slice(-1)
  if (!own) throw new Error('must be a line')
  const policy = policyInForce([own], lines)
  expect(policy).toEqual({ source: 'slo', lines: [own] })
  expect(lineInForce(policy, 20)).toBeNull()
  expect(lineInForce(policy, 0)).toEqual({ ...own, source: 'slo' })
})

test('without one of its own, that of the team holds', () => {
  expect(policyInForce([], lines)).toEqual({ source: 'team', lines })
  expect(lineInForce(policyInForce([], lines), 20)).toMatchObject({ percent_left: 25, source: 'team' })
})

test('without lines there is no policy', () => {
  expect(policyInForce([], [])).toBeNull()
  expect(lineInForce(null, 0)).toBeNull()
})
