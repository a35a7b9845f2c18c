import { describe, expect, test } from 'bun:test'
import { assess, errorBudget, windowBudget } from '../../../src/slos/arithmetic/budget.ts'

describe('the error budget', () => {
  test.each([
    [100, 99.9, { total: 0.1, used: 0, remaining: 0.1, percentageUsed: 0 }],
    [99.95, 99.9, { total: 0.1, used: 0.05, remaining: 0.05, percentageUsed: 50 }],
    [99.9, 99.9, { total: 0.1, used: 0.1, remaining: 0, percentageUsed: 100 }],
    [99.75, 99.9, { total: 0.1, used: 0.25, remaining: -0.15, percentageUsed: 250 }],
    [98, 99.9, { total: 0.1, used: 2, remaining: -1.9, percentageUsed: 2000 }],
    [0, 99, { total: 1, used: 100, remaining: -99, percentageUsed: 10_000 }],
    [100, 100, { total: 0, used: 0, remaining: 0, percentageUsed: 0 }],
    [99.999, 100, { total: 0, used: 0.001, remaining: -0.001, percentageUsed: 100 }],
    [null, 99.9, { total: 0.1, used: null, remaining: null, percentageUsed: null }],
  ])('of %p percent against %p percent', (sli, target, budget) => {
    expect(errorBudget(sli, target)).toEqual(budget)
  })
})

describe('the status', () => {
  test.each([
    [99.95, 99.9, 50, 'healthy'],
    [99.9, 99.9, 5000, 'healthy'],
    [99.9 - 1e-10, 99.9, 5000, 'healthy'],
    [99.9 - 1e-8, 99.9, 0, 'warning'],
    [99.5, 99.9, 49.9, 'warning'],
    [99.5, 99.9, 50, 'critical'],
    [99.5, 99.9, 250, 'critical'],
    [99.5, 99.9, null, 'critical'],
    [null, 99.9, 0, 'unknown'],
    [100, 100, 0, 'healthy'],
    [99.99, 100, 100, 'critical'],
  ] as const)(
    'of %p percent against %p percent with %p percent of the budget used is %p',
    (current, target, used, status) => {
      expect(assess(current, target, used)).toBe(status)
    },
  )
})

describe('the budget of the window', () => {
  test.each([
    [101, 99.9, 0.0001, true, { usedPercent: 0.0101, isEstimated: true }],
    [101, 99.9, 0.0001, false, { usedPercent: 0.0101, isEstimated: false }],
    [250, 99.9, 0.1, true, { usedPercent: 25, isEstimated: false }],
    [250, 99.9, 1, true, { usedPercent: 250, isEstimated: false }],
    [100, 100, 0.0001, true, { usedPercent: 100, isEstimated: false }],
    [null, 99.9, 0.5, true, { usedPercent: null, isEstimated: false }],
    [50, 99.9, null, true, { usedPercent: null, isEstimated: false }],
  ])('of %p percent used against %p percent, of which a share of %p exists', (used, target, share, events, budget) => {
    expect(windowBudget(used, target, { windowShare: share, countsEvents: events })).toEqual(budget)
  })
})
