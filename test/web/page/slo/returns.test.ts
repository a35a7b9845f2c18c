import { describe, expect, test } from 'bun:test'
import { formatReturn, formatReturnTime, largestReturn, largestReturns } from '../../../../src/web/page/slo/returns.ts'

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
