import { describe, expect, test } from 'bun:test'
import { allowedOf, budgetShareOf, heatOf, dayColumns, sentenceOf } from '../../../../src/web/page/charts/hours.ts'
import type { SeriesPoint } from '../../../../src/web/page/api/types.ts'

const start = new Date(2026, 9, 20, 5).getTime()
const point = (hours: number, change: Partial<SeriesPoint> = {}): SeriesPoint => ({
  timestamp: new Date(start + hours * 3_600_000).toISOString(),
  sli: 99,
  coverage: 1,
  good: 990,
  total: 1000,
  resolution_seconds: 3600,
  revision: 1,
  ...change,
})

test('the hours of 30 days stand by day, 24 each, where the viewer has them', () => {
  const days = dayColumns(Array.from({ length: 48 }, (_, at) => point(at)))
  expect(days.map((hours) => hours.length)).toEqual([24, 24, 24])
  expect(days[0]?.findIndex((one) => one !== null)).toBe(5)
  expect(days[2]?.filter((one) => one !== null)).toHaveLength(5)
  for (const hours of days) {
    for (const [hour, one] of hours.entries()) if (one) expect(new Date(one.timestamp).getHours()).toBe(hour)
  }
})

test.each([
  [100, 0],
  [99.95, 0],
  [99.85, 1],
  [99.7, 2],
  [99.4, 3],
  [98, 4],
  [94, 5],
  [null, '-none'],
] as const)('an SLI of %p against 99.9 has the heat %p', (sli, heat) => {
  expect(heatOf({ sli }, 99.9)).toBe(heat)
})

describe('an hour in words', () => {
  const now = start + 40 * 86_400_000
  const events = allowedOf({
    events: { good: 1, total: 1, bad: 0, allowed_bad: 40, remaining_bad: 40 },
    minutes: { allowed: 10, used: 0, remaining: 10 },
  })
  const minutes = allowedOf({ events: null, minutes: { allowed: 10, used: 0, remaining: 10 } })

  test('an hour in words says what failed, of how much, and what that is of the budget', () => {
    expect(sentenceOf(point(0), events, now)).toMatch(
      /^Tue 20 Oct 05:00 to Tue 20 Oct 06:00 · 1\.000\u2009% failed · 10 of 1,000 · 25\u2009% of the budget$/,
    )
  })

  test('an hour in words counts time where the SLO does', () => {
    expect(sentenceOf(point(0, { good: 3540, total: 3600 }), minutes, now)).toMatch(
      / · 1\u2009min of 1\u2009h · 10\u2009% of the budget$/,
    )
  })

  test('an hour in words says of more than all of a budget how many times it is', () => {
    const words = sentenceOf(point(0), { bad: 2, isTime: false }, now)
    expect(words).toEndWith(' · 5 times the budget')
  })

  test('an hour in words says that there was no data', () => {
    expect(sentenceOf(point(0, { sli: null, good: 0, total: 0 }), events, now)).toMatch(/06:00 · no data$/)
    expect(sentenceOf(null, events, now)).toBe('This hour is not part of the range.')
  })

  test('an hour in words knows no share where nothing may fail, or the budget is not known', () => {
    expect(budgetShareOf(point(0), null)).toBeNull()
    expect(budgetShareOf(point(0), { bad: 0, isTime: false })).toBeNull()
  })
})
