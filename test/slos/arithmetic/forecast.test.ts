import { describe, expect, test } from 'bun:test'
import { basisOf, forecastBasis, secondsLeft, secondsToExhaustion } from '../../../src/slos/arithmetic/forecast.ts'
import type { OwnWindow } from '../../../src/slos/arithmetic/own-window.ts'

const windowSeconds = 10_000
const moving: OwnWindow = {
  startSeconds: 0,
  endSeconds: windowSeconds,
  seconds: windowSeconds,
  name: '1h',
  wholeSeconds: windowSeconds,
  nextSeconds: null,
}

/** Forecast for a window in which this budget burned in each tenth. */
function after(tenths: number[], burnRate: number): number | null {
  let percent = 0
  const burned = tenths.map((share, i) => ({ atSeconds: (i + 1) * 1000, percent: (percent += share) }))
  return secondsToExhaustion({ usedPercent: percent, burnRate, own: moving, burned })
}

const tenths = (...first: number[]) => [...first, ...Array.from({ length: 10 - first.length }, () => 0)]

test.each([
  ['nothing burns', tenths(0, 0, 0, 90), 0, null],
  ['nothing has burned, and it burns twice as fast as it may', tenths(), 2, 5000],
  ['what burned last stays in the window longest', [...tenths().slice(1), 60], 2, 2000],
  ['what burned first leaves it first, so that there is more time', tenths(60), 2, 5000],
  ['it burns slower than it may, and what burned before leaves in time', tenths(10, 10, 10, 10, 10), 0.9, null],
  ['it burns slower than it may, but all of it burned lately', [...tenths().slice(2), 40, 45], 0.5, 3000],
  ['the budget is used up', tenths(100), 0, 0],
  ['there is more than all of it gone', tenths(70, 70), 3, 0],
  ['there is no budget, and something fails', tenths(), Infinity, 0],
])('when %s', (_, burned, burnRate, seconds) => {
  expect(after(burned, burnRate)).toBe(seconds)
})

test('a budget that burns faster than it may is used up within one window, however empty that was', () => {
  for (const first of [0, 30, 99]) expect(after(tenths(first), 1.01)).toBeLessThanOrEqual(windowSeconds)
})

describe('in a calendar period', () => {
  const period: OwnWindow = { ...moving, endSeconds: 4000, seconds: 4000, nextSeconds: 10_000 }
  const burned = [{ atSeconds: 4000, percent: 50 }]

  test('what burned does not leave', () => {
    expect(secondsToExhaustion({ usedPercent: 50, burnRate: 1, own: period, burned })).toBe(5000)
  })

  test('a budget that lasts until its end is not used up', () => {
    expect(secondsToExhaustion({ usedPercent: 50, burnRate: 0.8, own: period, burned })).toBeNull()
    expect(secondsLeft(50, 0.8, period)).toBeNull()
    expect(secondsLeft(50, 1, period)).toBe(5000)
  })
})

test.each([
  ['1h', '5m'],
  ['24h', '1h'],
  ['7d', '24h'],
  ['30d', '24h'],
  ['90d', '24h'],
  ['week', '24h'],
  ['year', '24h'],
] as const)('the forecast of %s carries on the last %s', (window, basis) => {
  expect(forecastBasis(window)).toBe(basis)
})

test.each([
  [300, 'the burn rate of the last 5m'],
  [86_400, 'the burn rate of the last 24h'],
  [214, 'the burn rate of the last 4m'],
  [3590, 'the burn rate of the last 1h'],
  [34.5, 'the burn rate of the last 35s'],
])('the basis of a forecast over %p seconds is %p', (seconds, basis) => {
  expect(basisOf(seconds)).toEqual({ basis, basis_seconds: seconds })
})
