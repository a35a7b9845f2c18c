import { describe, expect, test } from 'bun:test'
import { burnOver, isOver, leadingTier, windowSeconds } from '../../../../src/web/page/slo/burn.ts'

const startMs = Date.parse('2026-11-22T12:00:00Z')
const point = (bad: number, total: number) => ({
  timestamp: '',
  sli: total > 0 ? 100 - (100 * bad) / total : null,
  good: total - bad,
  total,
})

describe('the burn rate over a window', () => {
  /** Burn rates over 15 minutes, in steps of five. `firstMinute`: minute of the first sample after the first step begins. */
  const over = (points: Parameters<typeof burnOver>[0], firstMinute = -60) => {
    const timed = points.map((one, n) => ({ ...one, timestamp: new Date(startMs + n * 300_000).toISOString() }))
    const firstMs = startMs + firstMinute * 60_000
    const window = { stepSeconds: 300, windowSeconds: 900, targetPercent: 99, firstMs }
    return burnOver(timed, window).map((rate) => rate && Number(rate.toFixed(9)))
  }

  test('the burn rate over a window is the failed share of its steps over the share that may fail', () => {
    expect(over([point(0, 100), point(3, 100), point(0, 100), point(0, 100), point(0, 100)])).toEqual([
      null,
      null,
      1,
      1,
      0,
    ])
  })

  test('the burn rate over a window weighs steps by their events', () => {
    expect(over([point(0, 900), point(10, 50), point(0, 50)])[2]).toBeCloseTo(1, 9)
  })

  test('the burn rate over a window leaves out steps without data, and is null where there is none', () => {
    expect(over([point(0, 0), point(2, 100), point(0, 0), point(0, 0), point(0, 0)])).toEqual([null, null, 2, 2, null])
  })

  test('the burn rate over a window counts the time before the first sample as burning nothing, as the tiers do, at every step', () => {
    const [none, all] = [point(0, 0), point(50, 50)]
    expect(over([none, none, all, all, all, all], 10)).toEqual([null, null, 33.333333333, 66.666666667, 100, 100])
    expect(over([none, none, point(20, 20), all, all], 13)[2]).toBeCloseTo((100 * 2) / 15, 6)
  })

  test('the burn rate over a window is that of what was measured where the first sample is not known', () => {
    expect(over([point(0, 0), point(0, 0), point(50, 50)], NaN)).toEqual([null, null, 100])
  })

  test('the burn rate over a window takes steps of an earlier revision as existing', () => {
    expect(over([point(50, 50), point(50, 50), point(50, 50)], 10)).toEqual([null, null, 100])
  })

  test('the burn rate over a window weighs steps that count time by the seconds measured', () => {
    const timed = (sli: number, coverage: number) => point(300 * coverage * (1 - sli / 100), 300 * coverage)
    expect(over([timed(100, 1), timed(97, 1), timed(100, 1)])[2]).toBeCloseTo(1, 9)
    expect(over([timed(100, 0.5), timed(97, 1), timed(100, 0.5)])[2]).toBeCloseTo(1.5, 9)
  })

  test('the burn rate over a window is null where a step is longer than half of the window', () => {
    expect(
      burnOver([point(1, 1)], { stepSeconds: 3600, windowSeconds: 3600, targetPercent: 99, firstMs: NaN }),
    ).toEqual([null])
  })
})

const tier = (long: number | null, short: number | null, factor: number) => ({
  factor,
  enabled: true,
  long_burn_rate: long,
  short_burn_rate: short,
})

test.each([
  [15, 15, true],
  [15, 1, false],
  [1, 15, false],
  [null, null, false],
] as const)('long %p and short %p over a threshold of 14.4: %p', (long, short, isIt) => {
  expect(isOver(tier(long, short, 14.4))).toBe(isIt)
})

test('the tier that leads is a burning one, else the one nearest to its threshold', () => {
  const calm = tier(1, 1, 14.4)
  const near = tier(2, 0, 3)
  const burning = tier(7, 7, 6)
  expect(leadingTier([calm, near, burning])).toBe(burning)
  expect(leadingTier([calm, near])).toBe(near)
  expect(leadingTier([{ ...burning, enabled: false }, calm])).toBe(calm)
  expect(leadingTier([tier(null, null, 6)])).toBeUndefined()
})

test('windows of the API in seconds', () => {
  expect(['30d', '1h', '5m', '2w'].map(windowSeconds)).toEqual([2_592_000, 3600, 300, 1_209_600])
  expect(windowSeconds('soon')).toBeNaN()
})
