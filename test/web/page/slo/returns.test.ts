import { describe, expect, test } from 'bun:test'
import type { Budget } from '../../../../src/web/page/api/types.ts'
import {
  formatReturn,
  formatReturnTime,
  largestReturn,
  largestReturns,
  outlook,
} from '../../../../src/web/page/slo/returns.ts'

const now = Date.parse('2026-11-22T14:00:00Z')
const onDay = (day: number, back: number, left = 0) => ({
  starts_at: `2026-11-${day}T00:00:00.000Z`,
  ends_at: `2026-11-${day + 1}T00:00:00.000Z`,
  gives_back_percent: back,
  remaining_after_percent: left,
})

describe('what comes back', () => {
  test('is listed by the five largest days, in the order of time; the rest are one', () => {
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

  test('is dated by days of UTC, and by the clock for windows of a day and less', () => {
    expect(formatReturn(onDay(24, 17.2), '30d', now)).toBe('+17\u2009% on 24 Nov')
    expect(formatReturnTime(onDay(24, 17.2), '30d', now)).toBe('Tue 24 Nov')
    const hour = { ...onDay(22, 4.25), starts_at: '2026-11-22T15:00:00Z', ends_at: '2026-11-22T16:00:00Z' }
    expect(formatReturn(hour, '24h', now)).toMatch(/^\+4.3\u2009% by \d\d:00$/)
  })
})

describe('how long the rest lasts', () => {
  const said = (left: number | null, change: Partial<Budget> = {}) =>
    outlook(
      {
        error_budget: { total: 0.1, used: null, remaining: null, percentage_used: null, percentage_remaining: left },
        forecast: { exhausted: false, exhausts_at: null, burn_rate: 0.5, basis_window: '24h' },
        calendar: [],
        time_window: '30d',
        stale: false,
        ...change,
      } as Budget,
      now,
    )
  const at = (burn_rate: number | null, exhausts_at: string | null = null) => ({
    forecast: { exhausted: false, exhausts_at, burn_rate, basis_window: '24h' } as Budget['forecast'],
  })

  test('is said with the window whose rate goes on', () => {
    expect(said(40, at(3, '2026-11-26T03:00:00Z'))).toMatch(
      /^At the rate of the last 24\u2009h the rest lasts until \w{3} \d\d:00\.$/,
    )
    expect(said(40)).toBe('At the rate of the last 24\u2009h the budget lasts.')
    expect(said(40, at(0))).toBe('Nothing failed in the last 24\u2009h.')
  })

  test('of a budget that is used up is when some is left again', () => {
    const calendar = [onDay(23, 10, -28), onDay(24, 40, 12)]
    expect(said(-38, { calendar })).toBe(
      'The budget is used up. If nothing else fails, some is left again on Tue 24 Nov.',
    )
    expect(said(-38)).toBe('The budget is used up.')
  })

  test('is not said where it is not known', () => {
    expect(said(null)).toBeNull()
    expect(said(40, at(null))).toBeNull()
    expect(said(40, { stale: true })).toBeNull()
  })
})
