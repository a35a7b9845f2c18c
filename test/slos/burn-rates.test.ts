import { describe, expect, test } from 'bun:test'
import {
  burnRate,
  burnRateOfWindow,
  burnRatesOf,
  burnRateTiers,
  readTier,
  type Tier,
} from '../../src/slos/burn-rates.ts'

const minute = 60
const hour = 3600

describe('the tiers of a window', () => {
  test.each([
    ['1h', [['page', 5 * minute, minute, 3, 25]]],
    ['24h', [['page', 2 * hour, 10 * minute, 3, 25]]],
    [
      '7d',
      [
        ['page', hour, 5 * minute, 3.36, 2],
        ['page', 6 * hour, 30 * minute, 1.4, 5],
      ],
    ],
    [
      '30d',
      [
        ['page', hour, 5 * minute, 14.4, 2],
        ['page', 6 * hour, 30 * minute, 6, 5],
        ['ticket', 24 * hour, 2 * hour, 3, 10],
        ['ticket', 72 * hour, 6 * hour, 1, 10],
      ],
    ],
    [
      '90d',
      [
        ['page', hour, 5 * minute, 43.2, 2],
        ['page', 6 * hour, 30 * minute, 18, 5],
        ['ticket', 24 * hour, 2 * hour, 9, 10],
        ['ticket', 72 * hour, 6 * hour, 3, 10],
      ],
    ],
  ] as const)('%s are those of the table, scaled', (window, expected) => {
    const tiers = burnRateTiers(window, 99.9)
    expect(tiers.map((t) => [t.severity, t.longSeconds, t.shortSeconds, t.factor, t.budgetPercent])).toEqual(
      expected.map((row) => [...row]),
    )
    expect(tiers.every(({ refused }) => refused === null)).toBe(true)
  })

  test.each([
    ['30d', 93.1, [false, false, false, false]], // at most 14.49 times as fast
    ['30d', 93, [true, false, false, false]], // 14.29
    ['90d', 94, [true, true, false, false]], // 16.67
    ['24h', 60, [true]], // 2.5
    ['30d', 100, [true, true, true, true]],
  ] as const)(
    '%s are refused for a target of %p where even a full outage would not fire them',
    (window, target, refused) => {
      expect(burnRateTiers(window, target).map((tier) => tier.refused !== null)).toEqual([...refused])
    },
  )

  test('say why they are refused', () => {
    expect(burnRateTiers('30d', 93)[0]?.refused).toBe(
      'with a target of 93 the budget burns at most 14.2857 times as fast as it may, even when everything fails',
    )
    expect(burnRateTiers('1h', 100)[0]?.refused).toBe('a target of 100 leaves no budget that could burn')
  })
})

describe('the burn rate', () => {
  test.each([
    [1, 99.9, 0],
    [0.999, 99.9, 1],
    [0.9856, 99.9, 14.4],
    [0.9, 99, 10],
    [0, 99.9, 1000],
    [0.99987, 99.93, 0.185714],
    [1, 100, 0],
    [0.999999, 100, Infinity],
  ])('of an SLI of %p against %p percent is %p', (ratio, target, rate) => {
    expect(burnRate(ratio, target)).toBe(rate)
  })

  test.each([
    [{ ratio: 0.98, reason: null }, 2],
    [{ ratio: null, reason: 'no_traffic' }, 0],
    [{ ratio: null, reason: 'no_data' }, null],
  ])('of a window with %p is %p', (sli, rate) => {
    expect(burnRateOfWindow(sli, 99)).toBe(rate)
  })
})

const tier: Tier = {
  severity: 'page',
  longSeconds: hour,
  shortSeconds: 5 * minute,
  factor: 14.4,
  budgetPercent: 2,
  refused: null,
}

describe('a tier', () => {
  test.each([
    [14.5, 14.5, true],
    [14.4, 20, false],
    [20, 14.4, false],
    [0, 0, false],
    [null, 20, null],
    [20, null, null],
    [null, 0, null],
  ])('of factor 14.4 with a long rate of %p and a short one of %p fires: %p', (long, short, firing) => {
    expect(readTier(tier, long, short)).toBe(firing)
  })

  test('that is refused is not unknown: it does not fire', () => {
    const refused = { ...tier, refused: 'it cannot' }
    expect([readTier(refused, null, null), readTier(refused, Infinity, Infinity)]).toEqual([false, false])
  })

  test('is read over its own two windows', () => {
    const rates = new Map([
      [hour, 15.25],
      [5 * minute, 31],
    ])
    expect(burnRatesOf([tier], (seconds) => rates.get(seconds) ?? null)).toEqual([
      { severity: 'page', long_seconds: 3600, short_seconds: 300, factor: 14.4, long: 15.25, short: 31, firing: true },
    ])
  })
})
