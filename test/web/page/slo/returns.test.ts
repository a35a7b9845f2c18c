import { describe, expect, test } from 'bun:test'
import {
  formatAmount,
  formatGain,
  formatReturn,
  formatReturnTime,
  largestReturn,
  largestReturns,
  noReturnWords,
} from '../../../../src/web/page/slo/returns.ts'

const now = Date.parse('2026-11-22T14:00:00Z')
const events = { good: 999, total: 1000, bad: 1, allowed_bad: 1, remaining_bad: 0 }
const month = { target: 99.9, time_window: '30d' as const, window_seconds: 2_592_000, events: null }
const onDay = (day: number, back: number, left = 0) => ({
  starts_at: `2026-11-${day}T00:00:00.000Z`,
  ends_at: `2026-11-${day + 1}T00:00:00.000Z`,
  gives_back_percent: back,
  remaining_after_percent: left,
})

describe('what comes back', () => {
  test('what comes back is listed by the five largest days, in the order of time; the rest are one', () => {
    const calendar = [3, 0.2, 17, 2, 8, 5, 1.5, 0.1].map((back, at) => onDay(22 + at, back))
    const { rows, others } = largestReturns(calendar)
    expect(rows.map(({ gives_back_percent }) => gives_back_percent)).toEqual([3, 17, 2, 8, 5])
    expect(others).toEqual({ count: 3, percent: expect.closeTo(1.8, 9) })
    expect(largestReturn(calendar)?.gives_back_percent).toBe(17)
  })

  test('lists the largest day where none gives back 1 %, and says nothing of it beside the number', () => {
    const calendar = [onDay(23, 0.2), onDay(24, 0.4), onDay(25, 0.1)]
    expect(largestReturns(calendar)).toEqual({
      rows: [onDay(24, 0.4)],
      others: { count: 2, percent: expect.closeTo(0.3, 9) },
    })
    expect(largestReturn(calendar)).toBeUndefined()
    expect(largestReturns([])).toEqual({ rows: [], others: { count: 0, percent: 0 } })
  })

  test('what comes back does not list what rounds to nothing', () => {
    expect(largestReturns([onDay(23, 17), onDay(24, 4e-14)]).others.count).toBe(0)
    expect(largestReturns([onDay(23, 17), onDay(24, 4e-14), onDay(25, 0.01)]).others).toEqual({
      count: 1,
      percent: 0.01,
    })
  })

  test('what comes back is dated by days of UTC, and by the clock for windows of a day and less', () => {
    expect(formatReturn(onDay(24, 17.2), month, now)).toBe('+17\u2009% on 24 Nov')
    expect(formatReturnTime(onDay(24, 17.2), month, now)).toBe('Tue 24 Nov')
    const hour = { ...onDay(22, 4.25), starts_at: '2026-11-22T15:00:00Z', ends_at: '2026-11-22T16:00:00Z' }
    expect(formatReturn(hour, { ...month, time_window: '24h' }, now)).toMatch(/^\+4.3\u2009% by \d\d:00$/)
  })
  test('a calendar period gives back on its first day, in its zone', () => {
    const period = {
      starts_at: '2026-10-31T23:00:00Z',
      ends_at: '2026-11-30T23:00:00Z',
      time_zone: 'Europe/Zurich',
    }
    const next = { ...onDay(30, 5.6, 100), starts_at: period.ends_at }
    expect(formatReturn(next, { ...month, time_window: 'month', period }, now)).toBe('+5.6\u2009% on Tue 1 Dec')
  })

  test.each([
    [0.02, 50, '< 0.1 %'],
    [17.2, 50, '+17 %'],
    [100, 100, 'all of it'],
    [667, 100, 'all of it'],
    [100, 40, '+100 %'],
    [667, -30, '+288 min'],
    [4000, -30, 'over 10 budgets'],
  ])('of %p percent, with %p left then, is %p: more than a budget is no percentage', (percent, left, text) => {
    expect(formatGain(onDay(24, percent, left), month).replaceAll('\u2009', ' ')).toBe(text)
  })

  test.each([
    [month, '288 min'],
    [{ target: 99, time_window: '1h', window_seconds: 3600, events: null } as const, '240 s'],
    [{ ...month, events }, '6.7 budgets'],
  ])('of more than a budget of %j is an amount in its unit', (slo, text) => {
    expect(formatAmount(667, slo).replaceAll('\u2009', ' ')).toBe(text)
  })
})

test.each([
  [null, 'Nothing was measured in the window.'],
  [0, 'Nothing was used, so nothing comes back.'],
  [1.2, 'Known a minute or two after the failure.'],
])('without returns, with %p percent used, it says "%s"', (used, words) => {
  expect(noReturnWords(used)).toBe(words)
})
