import { afterEach, describe, expect, test } from 'bun:test'
import { dayColumns } from '../../../src/web/page/charts/hours.ts'
import { readMoment, momentText } from '../../../src/web/page/address/time-text.ts'
import {
  formatClock,
  formatClockSeconds,
  formatDay,
  formatFull,
  formatHour,
  formatMoment,
  formatNumber,
  formatSecond,
  formatShort,
  formatUtcWeekday,
  zoneName,
} from '../../../src/web/page/format.ts'
import { localInput, momentOf, tomorrowMorning } from '../../../src/web/page/silence/ends.ts'
import { chosenZone, type ClockStyle, language } from '../../../src/web/page/zone.ts'

const at = (time: string) => Date.parse(`${time}Z`)

function choose(timeZone: string | null, clock: ClockStyle | null = '24h') {
  chosenZone.value = { timeZone, clock }
}

afterEach(() => {
  choose(null, null)
  language.value = undefined
})

describe('the time of day', () => {
  test.each([
    ['UTC', '2026-07-01T10:00', '10:00'],
    ['Europe/Zurich', '2026-07-01T10:00', '12:00'],
    ['Europe/Zurich', '2026-03-29T00:59', '01:59'],
    ['Europe/Zurich', '2026-03-29T01:00', '03:00'],
    ['Europe/Zurich', '2026-10-25T00:59', '02:59'],
    ['Europe/Zurich', '2026-10-25T01:00', '02:00'],
    ['Asia/Kolkata', '2026-07-01T10:00', '15:30'],
    ['Pacific/Chatham', '2026-04-04T13:59', '03:44'],
    ['Pacific/Chatham', '2026-04-04T14:00', '02:45'],
    ['America/Los_Angeles', '2026-03-08T09:59', '01:59'],
    ['America/Los_Angeles', '2026-03-08T10:00', '03:00'],
  ])('in %s at %s of UTC is %s', (timeZone, utc, text) => {
    choose(timeZone)
    expect(formatClock(at(utc))).toBe(text)
  })

  test('changes with the clock that is chosen', () => {
    choose('Europe/Zurich', '12h')
    const times = [formatClock(at('2026-07-01T22:05')), formatClockSeconds(at('2026-07-01T10:05:09')), formatHour(18)]
    expect(times.map((text) => text.replace('\u202f', ' '))).toEqual(['12:05 am', '12:05:09 pm', '6 pm'])
    choose('Europe/Zurich', '24h')
    expect([formatClock(at('2026-07-01T22:05')), formatHour(6)]).toEqual(['00:05', '06:00'])
  })

  test('the time of day is that of the language where no clock is chosen', () => {
    choose('UTC', null)
    const night = () => formatClock(at('2026-07-01T22:05')).replace('\u202f', ' ')
    language.value = 'en-US'
    expect(night()).toBe('10:05 PM')
    language.value = 'de-CH'
    expect(night()).toBe('22:05')
    language.value = 'en'
    expect(night()).toBe('22:05')
  })
})

describe('a moment', () => {
  const nowMs = at('2026-07-01T20:00')

  test('a moment has its weekday or date where it is another day in the zone', () => {
    choose('UTC')
    expect(formatMoment(at('2026-07-01T00:30'), nowMs)).toBe('00:30')
    choose('America/Los_Angeles')
    expect(formatMoment(at('2026-07-01T00:30'), nowMs)).toBe('Tue 17:30')
    expect(formatSecond(at('2026-07-01T00:30'), nowMs)).toBe('Tue 17:30')
    expect(formatMoment(at('2026-06-01T00:30'), nowMs)).toBe('Sun 31 May 17:30')
  })

  test('a moment has its year where it is another year in the zone', () => {
    choose('Pacific/Chatham')
    expect(formatDay(at('2025-12-31T12:00'), nowMs)).toBe('1 Jan')
    choose('UTC')
    expect(formatDay(at('2025-12-31T12:00'), nowMs)).toBe('31 Dec 2025')
  })

  test('in full is in the zone and in UTC', () => {
    choose('Asia/Kolkata')
    expect(formatFull(at('2026-07-01T20:00'))).toBe(
      'Thursday, 2 July 2026 at 01:30:00 GMT+5:30 · 2026-07-01 20:00:00 UTC',
    )
    expect(zoneName(nowMs)).toBe('GMT+5:30')
  })
})

test('the zone that the browser does not know is as if none were chosen', () => {
  choose('Mars/Olympus')
  expect(formatClock(at('2026-07-01T10:00'))).toBe('10:00')
})

test.each([
  ['en-US', 'Mon Nov 23', '1,234.5'],
  ['en-GB', 'Mon 23 Nov', '1,234.5'],
  ['de-DE', 'Mo 23. Nov.', '1.234,5'],
  ['sv-SE', 'mån 23 nov.', '1\u00a0234,5'],
])('dates and numbers are written as in %s', (tag, day, number) => {
  language.value = tag
  expect(formatUtcWeekday(at('2026-11-23T00:00'))).toBe(day)
  expect([formatNumber(1234.5, 1), formatShort(1234.5, 4)]).toEqual([number, number])
  expect([formatNumber(-0.2), formatNumber(-2)]).toEqual(['0', '−2'])
})

test.each(['fa-IR', 'ar-EG', 'th-TH'])('digits and years of %s are those of the rest of the page', (tag) => {
  language.value = tag
  expect(formatNumber(12)).toBe('12')
  expect(formatDay(at('2025-12-31T12:00'), at('2026-07-01T00:00'))).toContain('2025')
})

test('a language that is none is as English', () => {
  language.value = 'C'
  expect(formatNumber(1234.5, 1)).toBe('1,234.5')
})

describe('what is typed in a field', () => {
  test.each([
    ['Europe/Zurich', '2026-07-01T12:00', '2026-07-01T10:00'],
    ['Asia/Kolkata', '2026-07-01T15:30', '2026-07-01T10:00'],
    ['Pacific/Chatham', '2026-07-01T22:45', '2026-07-01T10:00'],
    ['Europe/Zurich', '2026-10-25T02:30', '2026-10-25T00:30'], // the first of two
    ['Europe/Zurich', '2026-03-29T01:30', '2026-03-29T00:30'],
    ['America/Los_Angeles', '2026-11-01T00:30', '2026-11-01T07:30'],
  ])('what is typed in a field is a time in %s: %s is %s of UTC, and reads so again', (timeZone, local, utc) => {
    choose(timeZone)
    expect(momentOf(local)).toBe(at(utc))
    expect(localInput(at(utc))).toBe(local)
    const typed = local.replace('T', ' ')
    expect(readMoment(typed, 0)).toBe(at(utc))
    expect(momentText(String(at(utc)))).toBe(typed)
  })

  test('what is typed in a field is an hour later where daylight-saving time skips it', () => {
    choose('Europe/Zurich')
    expect(momentOf('2026-03-29T02:30')).toBe(at('2026-03-29T01:30'))
    expect(momentOf('')).toBeUndefined()
  })

  test('what is typed in a field is a day that begins at midnight of the zone', () => {
    choose('Asia/Kolkata')
    expect(readMoment('2026-11-18', 0)).toBe(at('2026-11-17T18:30'))
  })
})

test.each([
  ['Europe/Zurich', '2026-10-24T20:00', '2026-10-25T08:00'],
  ['Europe/Zurich', '2026-03-28T20:00', '2026-03-29T07:00'],
  ['America/Los_Angeles', '2026-07-01T05:00', '2026-07-01T16:00'], // it is still 30 June
  ['Pacific/Chatham', '2026-07-01T20:00', '2026-07-02T20:15'],
])('tomorrow 09:00 in %s at %s is %s', (timeZone, now, morning) => {
  choose(timeZone)
  expect(tomorrowMorning(at(now))).toBe(at(morning))
})

test('hours are of the days of the zone', () => {
  choose('America/Los_Angeles')
  const points = ['06:00', '07:00', '08:00'].map((time) => ({
    timestamp: `2026-07-01T${time}:00Z`,
    sli: 100,
    good: 1,
    total: 1,
    coverage: 1,
    resolution_seconds: 3600,
    revision: 1,
  }))
  const columns = dayColumns(points)
  expect(columns.map((day) => day.flatMap((point, hour) => (point ? [hour] : [])))).toEqual([[23], [0, 1]])
})
