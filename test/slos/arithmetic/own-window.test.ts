import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { isSameWindow, ownWindow, shareOfOwnWindow } from '../../../src/slos/arithmetic/own-window.ts'
import type { CalendarWindow } from '../../../src/slos/arithmetic/windows.ts'

const zones = ['UTC', 'Europe/Zurich', 'Asia/Kolkata', 'Pacific/Chatham', 'America/Los_Angeles']
const at = (iso: string) => Date.parse(iso) / 1000
const day = 86_400

function period(time_window: CalendarWindow, time_zone: string, endAt: string) {
  const { startSeconds, nextSeconds } = ownWindow({ time_window, time_zone }, at(endAt))
  return [startSeconds, nextSeconds ?? 0].map((seconds) => new Date(1000 * seconds).toISOString().slice(0, 16))
}

test('a window that moves with time is whole, and ends now', () => {
  expect(ownWindow({ time_window: '1d', time_zone: null }, 100 * day)).toEqual({
    startSeconds: 99 * day,
    endSeconds: 100 * day,
    seconds: day,
    name: '1d',
    wholeSeconds: day,
    nextSeconds: null,
  })
})

describe('a calendar period', () => {
  test.each([
    ['month', 'Europe/Zurich', '2026-03-10T00:00Z', '2026-02-28T23:00', '2026-03-31T22:00'], // begins in winter, ends in summer
    ['month', 'Asia/Kolkata', '2026-03-10T00:00Z', '2026-02-28T18:30', '2026-03-31T18:30'],
    ['month', 'Pacific/Chatham', '2026-04-20T00:00Z', '2026-03-31T10:15', '2026-04-30T11:15'],
    ['quarter', 'America/Los_Angeles', '2026-02-01T00:00Z', '2026-01-01T08:00', '2026-04-01T07:00'],
    ['year', 'UTC', '2028-02-29T12:00Z', '2028-01-01T00:00', '2029-01-01T00:00'], // a leap year
    ['week', 'Europe/Zurich', '2026-11-29T10:00Z', '2026-11-22T23:00', '2026-11-29T23:00'], // a Sunday
    ['week', 'UTC', '2027-01-02T10:00Z', '2026-12-28T00:00', '2027-01-04T00:00'], // ISO 8601: week 53 of 2026
  ] as const)('%s in %s at %s', (window, zone, endAt, startsAt, endsAt) => {
    expect(period(window, zone, endAt)).toEqual([startsAt, endsAt])
  })

  test('that ends at a moment is the one of that moment, and a second later it is the next', () => {
    const slo = { time_window: 'month', time_zone: 'Europe/Zurich' } as const
    const boundary = at('2026-03-31T22:00:00Z')
    expect(ownWindow(slo, boundary)).toMatchObject({ seconds: 31 * day - 3600, wholeSeconds: 31 * day - 3600 })
    expect(ownWindow(slo, boundary + 60)).toMatchObject({ startSeconds: boundary, seconds: 60, name: '1m' })
  })

  test('begins at the first moment of a day of its kind in its zone, and meets the next', () => {
    const windows = fc.constantFrom('week' as const, 'month' as const, 'quarter' as const, 'year' as const)
    const ends = fc.integer({ min: at('2020-01-01T00:00Z'), max: at('2040-01-01T00:00Z') })
    fc.assert(
      fc.property(windows, fc.constantFrom(...zones), ends, (time_window, timeZone, endSeconds) => {
        const slo = { time_window, time_zone: timeZone }
        const { startSeconds, nextSeconds, wholeSeconds } = ownWindow(slo, endSeconds)
        expect(startSeconds).toBeLessThan(endSeconds)
        expect(nextSeconds).toBeGreaterThanOrEqual(endSeconds)
        expect(startSeconds + wholeSeconds).toBe(nextSeconds ?? 0)
        expect(ownWindow(slo, startSeconds).nextSeconds).toBe(startSeconds)
        const [weekday, first, before] = localOf(timeZone, startSeconds)
        const isFirst = {
          week: weekday === 'Mon',
          month: first.endsWith('-01'),
          quarter: /-(01|04|07|10)-01$/.test(first),
          year: first.endsWith('-01-01'),
        }
        expect(isFirst[time_window]).toBe(true)
        expect(before).not.toBe(first)
      }),
    )
  })
})

/** Weekday and date at a time, and the date a second before, by the formats of the runtime. */
function localOf(timeZone: string, seconds: number): [weekday: string, date: string, before: string] {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone })
  const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'short' })
  return [weekday.format(1000 * seconds), date.format(1000 * seconds), date.format(1000 * (seconds - 1))]
}

test('of a running period as much exists as has passed of it since the first sample', () => {
  const own = ownWindow({ time_window: 'month', time_zone: 'UTC' }, at('2026-04-16T00:00Z'))
  const reach = (firstAt: string) => ({ firstSeconds: at(firstAt), completeFromSeconds: -Infinity, isFilling: false })
  expect(shareOfOwnWindow(reach('2026-01-01T00:00Z'), own)).toBe(0.5)
  expect(shareOfOwnWindow(reach('2026-04-07T00:00Z'), own)).toBe(0.3)
  expect(shareOfOwnWindow({ firstSeconds: null, completeFromSeconds: Infinity, isFilling: true }, own)).toBeNull()
})

test('windows are the same if their budgets are of the same time', () => {
  const moving = (time_window: '1d' | '24h' | '30d') => ({ time_window, time_zone: null })
  const month = (time_zone: string) => ({ time_window: 'month' as const, time_zone })
  expect(isSameWindow(moving('1d'), moving('24h'))).toBe(true)
  expect(isSameWindow(month('UTC'), month('UTC'))).toBe(true)
  expect(isSameWindow(month('UTC'), month('Europe/Zurich'))).toBe(false)
  expect(isSameWindow(moving('30d'), month('UTC'))).toBe(false)
})
