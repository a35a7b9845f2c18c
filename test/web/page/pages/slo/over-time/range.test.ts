import { describe, expect, test } from 'bun:test'
import { readFields } from '../../../../../../src/web/page/address/fields.ts'
import {
  fixedAddress,
  queryFrom,
  rangeOfData,
  rangeFields,
  rangesOf,
  readRange as rangeOf,
  shiftedRange,
  stepFor,
  viewOf,
} from '../../../../../../src/web/page/pages/slo/over-time/range.ts'

const now = Date.parse('2026-11-22T14:00:00Z')
const hour = 3_600_000
const readRange = (query: string, ownWindow: string, nowMs: number) =>
  rangeOf(readFields(rangeFields, query), ownWindow, nowMs)

describe('the range of the address', () => {
  test('the range of the address is the window of the SLO where it says nothing, or nonsense', () => {
    for (const query of ['', 'range=1y', 'from=5', 'from=9&to=8']) {
      expect(readRange(query, '30d', now)).toMatchObject({ name: '30d', query: 'period=30d&step=120m' })
    }
  })

  test('may be one of a few names', () => {
    expect(readRange('range=6h', '30d', now)).toMatchObject({ name: '6h', query: 'period=6h&step=1m' })
  })

  test('the range of the address is fixed in a link that is copied', () => {
    const address = fixedAddress('http://nines/slos/3?range=6h&tab=burn', '30d', now)
    const range = readRange(address.split('?')[1] ?? '', '30d', now + 86_400_000)
    expect(range).toMatchObject({ name: 'custom', fromMs: now - 6 * 3_600_000, toMs: now })
    expect(address).toContain('tab=burn')
    expect(fixedAddress('http://nines/slos/3', '30d', now)).toBe('http://nines/slos/3')
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

  test('the range of the address moves by its length, back without end and on up to now', () => {
    const range = { fromMs: now - 9 * hour, toMs: now - 3 * hour }
    expect(shiftedRange(range, -1, now)).toEqual({ fromMs: now - 15 * hour, toMs: now - 9 * hour })
    expect(shiftedRange(range, 1, now)).toEqual({ fromMs: now - 6 * hour, toMs: now })
    expect(shiftedRange({ fromMs: now - 6 * hour, toMs: now - 10 }, 1, now)).toBeNull()
  })

  test('the range of the address is one of those below the window, or the window', () => {
    expect(rangesOf('24h')).toEqual(['1h', '6h', '24h'])
    expect(rangesOf('90d')).toEqual(['1h', '6h', '24h', '7d', '30d', '90d'])
  })

  test('never asks for more than 400 points', () => {
    for (const seconds of [600, 3600, 86_400, 7 * 86_400, 30 * 86_400, 90 * 86_400]) {
      expect(seconds / stepFor(seconds)).toBeLessThanOrEqual(400)
    }
  })
})

test('a range that reaches into the time to come ends now, and all charts show what was chosen', () => {
  const now = Date.parse('2026-11-22T14:00:30Z')
  const range = readRange(`from=${now - 3_600_000}&to=${now + 3_600_000}`, '30d', now)
  expect(range).toMatchObject({ name: 'custom', toMs: now })
  expect(range.query).toContain('end=2026-11-22T14:00:30.000Z')
  const of = { ownWindow: '30d', usual: '30d', firstMs: Number.NaN }
  expect(viewOf(range, of)).toEqual({ fromSeconds: range.fromMs / 1000, toSeconds: now / 1000 })
  expect(viewOf(readRange('', '30d', now), of)).toBeNull()
  expect(readRange(`from=${now + 1}&to=${now + 3_600_000}`, '30d', now).name).toBe('30d')
})

test.each([
  ['an hour of a service that is older', Number.NaN, 3600],
  ['the 25 minutes that exist', now - 1_500_000, 1500],
  ['ten minutes of a service that is younger', now - 60_000, 600],
])('the usual range of an SLO shows %s', (_, firstMs, seconds) => {
  const of = { ownWindow: '30d', usual: '1h', firstMs }
  expect(viewOf(readRange('range=1h', '30d', now), of)).toEqual({
    fromSeconds: now / 1000 - seconds,
    toSeconds: now / 1000,
  })
})

test('a range that was chosen is shown as it is', () => {
  const of = { ownWindow: '30d', usual: '1h', firstMs: now - 60_000 }
  expect(viewOf(readRange('range=6h', '30d', now), of)?.fromSeconds).toBe(now / 1000 - 6 * 3600)
})

describe('the range that shows all data', () => {
  const hour = 3600
  const measured = (hoursAgo: number[], coverage: number) => ({
    burn_down: hoursAgo.map((ago, at) => ({
      timestamp: new Date(now - ago * hour * 1000).toISOString(),
      coverage: at >= hoursAgo.length - 2 ? coverage : 0,
    })),
    coverage,
    time_window: '30d',
  })

  test('of a young SLO is the shortest that holds them', () => {
    expect(rangeOfData(measured([24, 18, 12, 6, 0], 0.001))).toBe('1h')
    expect(rangeOfData(measured([24, 18, 12, 6, 0], 0.01))).toBe('24h')
  })

  test('the range that shows all data is the window where the data begin with it, or nothing is measured', () => {
    const whole = { ...measured([720, 360, 0], 1), burn_down: measured([720, 360, 0], 1).burn_down }
    expect(rangeOfData({ ...whole, burn_down: whole.burn_down.map((point) => ({ ...point, coverage: 1 })) })).toBe(
      '30d',
    )
    expect(rangeOfData({ burn_down: [], coverage: null, time_window: '30d' })).toBe('30d')
  })
})

test('a range begins earlier by a window, with the finest step that the API answers', () => {
  const named = readRange('range=1h', '30d', now)
  expect(queryFrom(named, 3600)).toBe('period=120m&step=1m')
  expect(queryFrom(named, 24 * 3600)).toBe('period=1500m&step=5m')
  expect(queryFrom(readRange('', '30d', now), 3600)).toBe('period=43320m&step=120m')
  const custom = readRange(`from=${now - 2 * hour}&to=${now - hour}`, '30d', now)
  expect(queryFrom(custom, 3600)).toBe('start=2026-11-22T11:00:00.000Z&end=2026-11-22T13:00:00.000Z&step=1m')
})
