import { describe, expect, test } from 'bun:test'
import { findTimeZone, timeWriter, utc } from '../src/zone.ts'

const at = (time: string) => `${time}.000Z`
const second = (timeZone: string, time: string) => timeWriter({ timeZone, clock: '24h' }).second(at(time))
const minute = (timeZone: string, time: string) => timeWriter({ timeZone, clock: '24h' }).minute(at(time))

describe('a time in a message', () => {
  test.each([
    ['UTC', '10:00:05 UTC'],
    ['Europe/Zurich', '12:00:05 (10:00:05 UTC)'],
    ['Europe/London', '11:00:05 (10:00:05 UTC)'],
    ['Asia/Kolkata', '15:30:05 (10:00:05 UTC)'],
    ['Pacific/Chatham', '22:45:05 (10:00:05 UTC)'],
    ['America/Los_Angeles', '03:00:05 (10:00:05 UTC)'],
  ])('in %s is %s', (zone, text) => {
    expect(second(zone, '2026-07-01T10:00:05')).toBe(text)
  })

  test.each([
    ['Europe/London', '2026-12-01T10:00:05', '10:00:05 UTC'], // London has the time of UTC
    ['Europe/Zurich', '2026-03-29T00:59:59', '01:59:59 (00:59:59 UTC)'],
    ['Europe/Zurich', '2026-03-29T01:00:00', '03:00:00 (01:00:00 UTC)'],
    ['Europe/Zurich', '2026-10-25T00:59:59', '02:59:59 (00:59:59 UTC)'],
    ['Europe/Zurich', '2026-10-25T01:00:00', '02:00:00 (01:00:00 UTC)'],
    ['Pacific/Chatham', '2026-04-04T14:00:00', '02:45:00 (14:00:00 UTC)'],
    ['America/Los_Angeles', '2026-11-01T09:00:00', '01:00:00 (09:00:00 UTC)'],
  ])('follows daylight-saving time: in %s at %s it is %s', (zone, time, text) => {
    expect(second(zone, time)).toBe(text)
  })

  test('has the date of UTC where that is another day', () => {
    expect(minute('Europe/Zurich', '2026-11-21T10:00:00')).toBe('2026-11-21 11:00 (10:00 UTC)')
    expect(minute('Europe/Zurich', '2026-11-20T23:30:00')).toBe('2026-11-21 00:30 (2026-11-20 23:30 UTC)')
    expect(minute('America/Los_Angeles', '2026-11-21T04:00:00')).toBe('2026-11-20 20:00 (2026-11-21 04:00 UTC)')
  })

  test('is of 12 hours where that is chosen, with UTC in 24', () => {
    const times = timeWriter({ timeZone: 'Europe/Zurich', clock: '12h' })
    expect(times.second(at('2026-11-21T23:05:09'))).toBe('12:05:09 AM (23:05:09 UTC)')
    expect(times.minute(at('2026-11-21T11:30:00'))).toBe('2026-11-21 12:30 PM')
    expect(timeWriter({ ...utc, clock: '12h' }).minute(at('2026-11-21T06:46:00'))).toBe('2026-11-21 6:46 AM UTC')
  })

  test('has UTC beside it once, and again after a change of the offset', () => {
    const times = timeWriter({ timeZone: 'Europe/Zurich', clock: '24h' })
    const written = ['00:10', '00:50', '01:10', '01:20'].map((time) => times.minute(at(`2026-10-25T${time}:00`)))
    expect(written).toEqual([
      '2026-10-25 02:10 (00:10 UTC)',
      '2026-10-25 02:50',
      '2026-10-25 02:10 (01:10 UTC)',
      '2026-10-25 02:20',
    ])
  })

  test('has its date where it is another day in the zone', () => {
    const since = (zone: string, now: string) =>
      timeWriter({ timeZone: zone, clock: '24h' }).since(at('2026-11-20T23:30:00'), at(now))
    expect(since('UTC', '2026-11-21T00:10:00')).toBe('2026-11-20 23:30 UTC')
    expect(since('Europe/Zurich', '2026-11-21T00:10:00')).toBe('00:30 (23:30 UTC)')
    expect(since('Asia/Kolkata', '2026-11-21T19:00:00')).toBe('2026-11-21 05:00 (2026-11-20 23:30 UTC)')
  })
})

test.each([
  ['UTC', 'UTC'],
  ['america/los_angeles', 'America/Los_Angeles'],
  ['Mars/Olympus', undefined],
  ['+02:00', undefined],
  ['', undefined],
  ['Europe/Zurich ', undefined],
])('the zone of the name %j is %j', (name, zone) => {
  expect(findTimeZone(name)).toBe(zone)
})
