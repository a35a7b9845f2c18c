import { describe, expect, test } from 'bun:test'
import { duePeriods, lastPeriod, periodHolding, periodSlug, periodTitle } from '../../src/reports/period.ts'

const at = (iso: string) => Date.parse(iso) / 1000
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace(':00.000Z', '')

describe('the period that holds a time', () => {
  test.each([
    ['month', 'UTC', '2026-10-15T00:00:00Z', '2026-10-01T00:00', '2026-11-01T00:00', 744],
    ['month', 'Europe/Zurich', '2026-10-15T00:00:00Z', '2026-09-30T22:00', '2026-10-31T23:00', 745],
    ['month', 'Europe/Zurich', '2026-03-15T00:00:00Z', '2026-02-28T23:00', '2026-03-31T22:00', 743],
    ['week', 'America/Los_Angeles', '2026-11-01T12:00:00Z', '2026-10-26T07:00', '2026-11-02T08:00', 169],
    ['week', 'Asia/Kolkata', '2026-01-01T00:00:00Z', '2025-12-28T18:30', '2026-01-04T18:30', 168],
    ['quarter', 'Pacific/Chatham', '2026-05-01T00:00:00Z', '2026-03-31T10:15', '2026-06-30T11:15', 2185],
    ['quarter', 'UTC', '2028-02-29T00:00:00Z', '2028-01-01T00:00', '2028-04-01T00:00', 2184],
  ] as const)('of a %s in %s at %s is %s to %s, %i hours', (interval, time_zone, time, start, end, hours) => {
    const { startSeconds, endSeconds } = periodHolding({ interval, time_zone }, at(time))
    expect([iso(startSeconds), iso(endSeconds)]).toEqual([start, end])
    expect((endSeconds - startSeconds) / 3600).toBe(hours)
  })

  test('begins with its first second, and ends before the first of the next', () => {
    const month = { interval: 'month', time_zone: 'Europe/Zurich' } as const
    const end = at('2026-10-31T23:00:00Z')
    expect(periodHolding(month, end - 1).endSeconds).toBe(end)
    expect(periodHolding(month, end).startSeconds).toBe(end)
    expect(lastPeriod(month, end).endSeconds).toBe(end)
    expect(lastPeriod(month, end - 1).endSeconds).toBe(at('2026-09-30T22:00:00Z'))
  })
})

describe('the periods that are due', () => {
  const weekly = { interval: 'week', time_zone: 'UTC', made_until: at('2026-10-05T00:00:00Z') } as const

  test('are none before the next has ended', () => {
    expect(duePeriods(weekly, at('2026-10-11T23:59:59Z'))).toEqual([])
  })

  test('are the one that has just ended', () => {
    const due = [{ startSeconds: at('2026-10-05T00:00:00Z'), endSeconds: at('2026-10-12T00:00:00Z') }]
    expect(duePeriods(weekly, at('2026-10-12T00:00:00Z'))).toEqual(due)
  })

  test('are the newest six after a long time off, oldest first', () => {
    const ends = duePeriods(weekly, at('2027-10-12T00:00:00Z')).map(({ endSeconds }) => iso(endSeconds).slice(0, 10))
    expect(ends).toEqual(['2027-09-06', '2027-09-13', '2027-09-20', '2027-09-27', '2027-10-04', '2027-10-11'])
  })

  test('are none after the clock was set back', () => {
    expect(duePeriods(weekly, at('2026-01-01T00:00:00Z'))).toEqual([])
  })
})

test.each([
  ['week', '2026-01-01T12:00:00Z', 'Week 1, 2026', '2026-w01'],
  ['week', '2027-01-01T12:00:00Z', 'Week 53, 2026', '2026-w53'],
  ['month', '2026-10-01T12:00:00Z', 'October 2026', '2026-10'],
  ['quarter', '2026-10-01T12:00:00Z', 'Q4 2026', '2026-q4'],
] as const)('a %s at %s is called %s, and %s in a file name', (interval, time, title, slug) => {
  const zoned = { interval, time_zone: 'Europe/Zurich' }
  expect([periodTitle(zoned, at(time)), periodSlug(zoned, at(time))]).toEqual([title, slug])
})
