import { describe, expect, test } from 'bun:test'
import {
  burnRate,
  burnRateOfWindow,
  burnRatesOf,
  parseBurnRates,
  isTierFiring,
  type Tier,
  type TierWindow,
} from '../../../src/slos/arithmetic/burn-rates.ts'

const minute = 60
const hour = 3600

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
  minEvents: 0,
  enabled: true,
  budgetPercent: 2,
  refused: null,
}

const long = (rate: number | null, badEvents: number | null = null): TierWindow => ({ rate, badEvents })

describe('a tier', () => {
  test.each([
    [14.5, 14.5, true],
    [14.4, 20, false],
    [20, 14.4, false],
    [0, 0, false],
    [null, 20, null],
    [20, null, null],
    [null, 0, null],
  ])('of factor 14.4 with a long rate of %p and a short one of %p fires: %p', (rate, short, firing) => {
    expect(isTierFiring(tier, long(rate), short)).toBe(firing)
  })

  test.each([
    [20, 9, 20, false],
    [20, 10, 20, true],
    [14, 10, 20, false],
    [20, 9, null, null],
    [null, null, 20, null],
    [20, null, 20, true], // for an SLO that counts time
  ])(
    'that wants 10 failed events, with a long rate of %p of %p and a short one of %p, fires: %p',
    (rate, bad, short, firing) => {
      expect(isTierFiring({ ...tier, minEvents: 10 }, long(rate, bad), short)).toBe(firing)
    },
  )

  test.each([
    [20, true, 20, true],
    [20, false, 20, false],
    [14, true, 20, false],
    [20, true, null, null],
  ])(
    'over a partial window, with a long rate of %p beyond chance (%p) and a short one of %p, fires: %p',
    (rate, isBeyond, short, firing) => {
      const partial = { existingRate: 4 * rate, isBeyondChance: isBeyond }
      expect(isTierFiring(tier, { ...long(rate), partial }, short)).toBe(firing)
    },
  )

  test('with a short window that is partial is not known, while its rate is shown as that of a long one', () => {
    const windows = new Map([
      [hour, long(20)],
      [5 * minute, { ...long(12), partial: { existingRate: 60, isBeyondChance: true } }],
    ])
    expect(burnRatesOf([tier], (seconds) => windows.get(seconds) ?? long(null))).toMatchObject([
      { long: 20, short: 12, firing: null },
    ])
  })

  test('that is refused is not unknown: it does not fire', () => {
    const refused = { ...tier, refused: 'it cannot' }
    expect([isTierFiring(refused, long(null), null), isTierFiring(refused, long(Infinity), Infinity)]).toEqual([
      false,
      false,
    ])
  })

  test('is read over its own two windows, enabled or not', () => {
    const windows = new Map([
      [hour, long(15.25, 732)],
      [5 * minute, long(31, 120)],
    ])
    const disabled = { ...tier, minEvents: 5, enabled: false }
    expect(burnRatesOf([disabled], (seconds) => windows.get(seconds) ?? long(null))).toEqual([
      {
        severity: 'page',
        long_seconds: 3600,
        short_seconds: 300,
        factor: 14.4,
        min_events: 5,
        enabled: false,
        long: 15.25,
        short: 31,
        long_bad_events: 732,
        firing: true,
      },
    ])
  })
})

test('a stored reading of before tiers had settings is read with the usual ones', () => {
  const old = {
    severity: 'page',
    long_seconds: 3600,
    short_seconds: 300,
    factor: 14.4,
    long: 1,
    short: 2,
    firing: false,
  }
  const now = { ...old, min_events: 3, enabled: false, long_bad_events: 7 }
  expect(parseBurnRates({ burn_rates: JSON.stringify([old, now]) })).toMatchObject([
    { ...old, min_events: 0, enabled: true, long_bad_events: null },
    now,
  ])
})
