import { describe, expect, test } from 'bun:test'
import { burnDownLines } from '../../../../src/web/page/pages/slo/budget-chart-lines.ts'
import { readRange, stepFor } from '../../../../src/web/page/pages/slo/over-time/range.ts'
import { leftWith } from '../../../../src/web/page/pages/slo/what-if-left.ts'

const now = Date.parse('2026-11-22T14:00:00Z')

describe('the range of the address', () => {
  test('is the window of the SLO where it says nothing, or nonsense', () => {
    for (const query of ['', 'range=1y', 'from=5', 'from=9&to=8']) {
      expect(readRange(query, '30d', now)).toMatchObject({ name: '30d', query: 'period=30d&step=120m' })
    }
  })

  test('may be one of a few names', () => {
    expect(readRange('range=6h', '30d', now)).toMatchObject({ name: '6h', query: 'period=6h&step=1m' })
  })

  test('may be from one moment to another, on whole steps', () => {
    const from = Date.parse('2026-11-18T02:03:00Z')
    const range = readRange(`from=${from}&to=${from + 86_400_000}`, '30d', now)
    expect(range).toMatchObject({
      name: 'custom',
      stepSeconds: 300,
      query: expect.stringContaining('start=2026-11-18T02:00:00.000Z'),
    })
  })

  test('never asks for more than 400 points', () => {
    for (const seconds of [600, 3600, 86_400, 7 * 86_400, 30 * 86_400, 90 * 86_400]) {
      expect(seconds / stepFor(seconds)).toBeLessThanOrEqual(400)
    }
  })
})

describe('the burn-down', () => {
  const points = [100, 80, 50].map((remaining_percent, at) => ({
    timestamp: new Date(now - (2 - at) * 86_400_000).toISOString(),
    remaining_percent,
    ideal_percent: 100 - at * 30,
    coverage: 1,
  }))

  test('goes on as forecast, to the end at most', () => {
    const exhausts_at = new Date(now + 3_600_000).toISOString()
    const { times, lines } = burnDownLines({
      burn_down: points,
      forecast: { exhausted: false, exhausts_at, burn_rate: 5, basis_window: '24h' },
    })
    expect(times.at(-1)).toBe((now + 3_600_000) / 1000)
    expect(lines.at(-1)).toMatchObject({ label: 'Forecast', values: [null, null, 50, 0] })
  })

  test('has no forecast where the budget lasts', () => {
    const { lines } = burnDownLines({
      burn_down: points,
      forecast: { exhausted: false, exhausts_at: null, burn_rate: 0.5, basis_window: '24h' },
    })
    expect(lines.map(({ label }) => label)).toEqual(['Left', 'Ideal'])
  })

  test('reaches below zero where more was used than there is', () => {
    const over = [
      ...points,
      { timestamp: new Date(now).toISOString(), remaining_percent: -38, ideal_percent: 0, coverage: 1 },
    ]
    expect(burnDownLines({ burn_down: over, forecast: null }).range[0]).toBeLessThan(-38)
  })
})

test.each([
  [99.862, 99.9, -38],
  [99.95, 99, 95],
  [99.9, 100, null],
])('an SLI of %p leaves of a target of %p: %p', (sli, target, left) => {
  const found = leftWith(sli, target)
  if (left === null) expect(found).toBeNull()
  else expect(found).toBeCloseTo(left, 6)
})
