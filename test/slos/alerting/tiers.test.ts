import { describe, expect, test } from 'bun:test'
import type { SloWindow } from '../../../src/slos/arithmetic/windows.ts'
import type { TierSetting } from '../../../src/slos/arithmetic/burn-rates.ts'
import { tiersOf } from '../../../src/slos/alerting/tiers.ts'

const minute = 60
const hour = 3600

const standard = (time_window: SloWindow, target: number) => tiersOf({ time_window, target, burn_rate_tiers: null })

describe('the standard tiers of a window', () => {
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
    const tiers = standard(window, 99.9)
    expect(tiers.map((t) => [t.severity, t.longSeconds, t.shortSeconds, t.factor, t.budgetPercent])).toEqual(
      expected.map((row) => [...row]),
    )
    expect(tiers.every((t) => t.refused === null && t.enabled && t.minEvents === 0)).toBe(true)
  })

  test.each([
    ['30d', 93.1, [false, false, false, false]], // maximum burn rate 14.49
    ['30d', 93, [true, false, false, false]], // 14.29
    ['90d', 94, [true, true, false, false]], // 16.67
    ['24h', 60, [true]], // 2.5
    ['30d', 100, [true, true, true, true]],
  ] as const)(
    '%s are refused for a target of %p where even a full outage would not fire them',
    (window, target, refused) => {
      expect(standard(window, target).map((tier) => tier.refused !== null)).toEqual([...refused])
    },
  )

  test('say why they are refused', () => {
    expect(standard('30d', 93)[0]?.refused).toBe(
      'with a target of 93 the budget burns at most 14.2857 times as fast as it may, even when everything fails',
    )
    expect(standard('1h', 100)[0]?.refused).toBe('a target of 100 leaves no budget that could burn')
  })
})

describe('the tiers of an SLO of its own', () => {
  const setting: TierSetting = {
    severity: 'ticket',
    longSeconds: 2 * hour,
    shortSeconds: 10 * minute,
    factor: 7,
    minEvents: 20,
    enabled: false,
  }
  const own = (time_window: SloWindow, target: number, ...settings: TierSetting[]) =>
    tiersOf({ time_window, target, burn_rate_tiers: JSON.stringify(settings) })

  test('are those, with what they cost of the budget', () => {
    expect(own('7d', 99, setting)).toEqual([{ ...setting, budgetPercent: 8.3333333333, refused: null }])
    expect(own('7d', 99)).toEqual([])
  })

  test.each([
    [85.7, true], // maximum burn rate 6.99
    [85.8, false], // 7.04
  ])('are refused, factor 7, for a target of %p: %p', (target, refused) => {
    expect(own('24h', target, setting).map((tier) => tier.refused !== null)).toEqual([refused])
  })

  test('are refused where they look further back than the SLO does', () => {
    expect(own('1h', 99, setting)[0]?.refused).toBe('a window of 2h is longer than that of the SLO, 1h')
  })
})
