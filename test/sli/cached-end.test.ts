import { describe, expect, test } from 'bun:test'
import { cachedEnd } from '../../src/sli/query-cache.ts'

const nowMs = 1_795_255_259_000 // 10:00:59
const now = Math.floor(nowMs / 1000)
const endOf = (windowSeconds: number, secondsAgo?: number, expressions: string[] = []) => {
  const extendTime = secondsAgo === undefined ? undefined : new Date((now - secondsAgo) * 1000).toISOString()
  return cachedEnd({ extendTime, windowSeconds, expressions }, nowMs)
}

test.each([
  [300, 15],
  [3600, 15],
  [21_600, 21],
  [86_400, 60],
  [7_776_000, 60],
])('now, for a window of %p s, is the last whole %p s', (windowSeconds, stepSeconds) => {
  const endSeconds = Math.floor(now / stepSeconds) * stepSeconds
  expect(endOf(windowSeconds)).toEqual({ endSeconds, holdsMs: stepSeconds * 1000 })
})

test.each([
  [-30, 15_000],
  [0, 15_000],
  [300, 15_000],
  [301, null],
  [1_000_000, null],
])('a time %p s ago is exact, and holds for %p ms', (secondsAgo, holdsMs) => {
  expect(endOf(3600, secondsAgo)).toEqual({ endSeconds: now - secondsAgo, holdsMs })
})

describe('what lies long ago holds for ever', () => {
  test.each(['up offset 5m', 'sum(rate(x[5m]))', 'sum(rate(x[5m]  offset   5m))'])('with %p', (expression) => {
    expect(endOf(3600, 1000, ['up', expression]).holdsMs).toBeNull()
  })

  test.each([
    'up offset -5m',
    'up OFFSET  - 5m',
    'up offset # 1\n-5m',
    'up offset (-5m)',
    'up @ end()',
    'up @ 1795255200',
    'now() - x',
  ])('but not with %p', (expression) => {
    expect(endOf(3600, 1000, ['up', expression]).holdsMs).toBe(15_000)
  })
})

test('a time in the future is refused', () => {
  expect(() => endOf(3600, -31)).toThrow('Invalid request')
})
