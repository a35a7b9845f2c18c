import { describe, expect, test } from 'bun:test'
import { runSync } from '../../../src/concurrency/cooperative.ts'
import type { CorrectionRow } from '../../../src/db/tables/tables.ts'
import { feedOf } from '../../../src/slos/calendar/feed.ts'
import { occurrencesIn } from '../../../src/slos/corrections/recurrence.ts'
import { beginsOf, componentsOf, readCalendar, textOf, valueOf } from '../../support/ical-reader.ts'

const seconds = (text: string) => Date.parse(text) / 1000
const nowMs = Date.parse('2026-11-20T12:00:00Z')
const announced: CorrectionRow = {
  id: 7,
  organization_id: 1,
  slo_ids: '[1,2]',
  team_id: null,
  labels: null,
  starts_at: seconds('2026-11-22T02:00:00Z'),
  ends_at: seconds('2026-11-22T04:00:00Z'),
  rrule: null,
  duration_seconds: null,
  time_zone: null,
  category: 'planned_maintenance',
  text: '',
  silence_id: null,
  created_by: 1,
  created_at: nowMs - 3_600_000,
  updated_at: nowMs - 60_000,
}
const recurring = (changes: Partial<CorrectionRow>): CorrectionRow => ({
  ...announced,
  ends_at: null,
  rrule: 'FREQ=WEEKLY',
  duration_seconds: 7200,
  time_zone: 'Europe/Zurich',
  ...changes,
})
const names = {
  organization: 'Shop, Ltd',
  slos: new Map([
    [1, 'Checkout; fast'],
    [2, 'Größe\nof all'],
  ]),
  teams: new Map([[3, 'Payments']]),
}
const textFor = (...corrections: CorrectionRow[]) =>
  runSync(feedOf({ corrections, names, nowMs, instanceId: 'abc', pageUrl: 'https://slo.example/corrections' }))
const read = (...corrections: CorrectionRow[]) => readCalendar(textFor(...corrections))
const eventsOf = (...corrections: CorrectionRow[]) => componentsOf(read(...corrections), 'VEVENT')

test('a correction announced once is an event in UTC, and its calendar says how often to read it again', () => {
  expect(textFor({ ...announced, text: 'Moving the database' }).split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//nines//Corrections//EN',
    'CALSCALE:GREGORIAN',
    String.raw`NAME:Corrections of Shop\, Ltd`,
    String.raw`X-WR-CALNAME:Corrections of Shop\, Ltd`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    'BEGIN:VEVENT',
    'UID:correction-7@abc',
    'DTSTAMP:20261120T115900Z',
    'DTSTART:20261122T020000Z',
    'DTEND:20261122T040000Z',
    'SUMMARY:Planned maintenance: Moving the database',
    'DESCRIPTION:Moving the database\\n\\nNot counted: Checkout\\; fast\\, Größe\\n',
    ' of all',
    'CATEGORIES:Planned maintenance',
    'URL:https://slo.example/corrections',
    'STATUS:CONFIRMED',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ])
})

test.each([
  [{}, 'Not counted: Checkout; fast, Größe\nof all'],
  [{ slo_ids: '[1,9]' }, 'Not counted: Checkout; fast, SLO 9'],
  [{ slo_ids: '[1,21,22,23,24,25,26,27,28,29,30,31]' }, /, SLO 29 and 2 more$/],
  [{ slo_ids: null, team_id: 3 }, 'Not counted: SLOs of team Payments'],
  [{ slo_ids: null, team_id: 4 }, 'Not counted: SLOs of team 4'],
  [{ slo_ids: null, labels: '{"tier":"1","region":"eu"}' }, 'Not counted: SLOs with tier=1, region=eu'],
] as const)('the description of %j says which SLOs it covers', (changes, text) => {
  const [event] = eventsOf({ ...announced, ...changes })
  expect(event && textOf(event, 'DESCRIPTION')).toMatch(text)
})

test('the summary has the first line of the text, and no text can add a line to the calendar', () => {
  const text = `Move; all, \\n of it\r\nEND:VEVENT\r\nBEGIN:VEVENT\n\u0000${'😀'.repeat(300)}`
  const [event, ...others] = eventsOf({ ...announced, text })
  expect(others).toEqual([])
  expect(event && textOf(event, 'SUMMARY')).toBe('Planned maintenance: Move; all, \\n of it')
  const shown = text.replaceAll('\r', '').replace('\u0000', '')
  expect(event && textOf(event, 'DESCRIPTION')).toBe(`${shown}\n\nNot counted: Checkout; fast, Größe\nof all`)
})

describe('a correction is in the feed', () => {
  const day = 86_400
  const [now, madeAt] = [nowMs / 1000, nowMs - 200 * day * 1000]
  const once = (from: number, to: number) => ({ starts_at: now + from, ends_at: now + to, created_at: madeAt })
  const rule = (changes: Partial<CorrectionRow>) =>
    recurring({
      starts_at: seconds('2026-01-04T03:00:00Z'),
      created_at: seconds('2026-01-01T00:00:00Z') * 1000,
      ...changes,
    })
  test.each([
    ['that is ahead', true, { ...announced, ...once(day, 2 * day) }],
    ['that is running', true, { ...announced, ...once(-day, day) }],
    ['that ended 89 days ago', true, { ...announced, ...once(-90 * day, -89 * day) }],
    ['that ended 90 days ago', false, { ...announced, ...once(-91 * day, -90 * day) }],
    ['that was made after its end', false, { ...announced, ...once(-day, -day / 2), created_at: nowMs }],
    ['whose rule goes on', true, rule({})],
    ['whose rule ended this month', true, rule({ rrule: 'FREQ=WEEKLY;UNTIL=20261101' })],
    ['whose rule ended in March', false, rule({ rrule: 'FREQ=WEEKLY;UNTIL=20260301' })],
    ['whose last time was in March', false, rule({ rrule: 'FREQ=WEEKLY;COUNT=10' })],
    [
      'whose rule was made after its last time',
      false,
      rule({ rrule: 'FREQ=WEEKLY;UNTIL=20261101', created_at: nowMs }),
    ],
    ['whose rule never occurs', false, rule({ rrule: 'FREQ=DAILY;INTERVAL=7;BYDAY=TU' })],
  ])('%s: %p', (_, isThere, correction) => {
    expect(eventsOf(correction)).toHaveLength(isThere ? 1 : 0)
  })
})

describe('a rule occurs for a reader of RFC 5545 when it does in nines', () => {
  const rules = [
    'FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=3;BYDAY=MO,TU,WE,TH,FR',
    'rrule:freq=weekly;byday=su',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;COUNT=40',
    'FREQ=WEEKLY;UNTIL=20270314',
    'FREQ=WEEKLY;BYDAY=TU,SU;UNTIL=20270404T023000',
    'FREQ=MONTHLY;COUNT=9',
    'FREQ=MONTHLY;BYDAY=1SU,-1FR',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=+2SU',
  ]
  const zones = ['Europe/Zurich', 'America/Los_Angeles', 'Pacific/Chatham', 'Asia/Kolkata', 'Africa/Casablanca', 'UTC']
  const hours = ['T00:30', 'T02:30', 'T03:10', 'T23:45']
  const window = { startSeconds: seconds('2026-09-01T00:00:00Z'), endSeconds: seconds('2027-12-01T00:00:00Z') }
  test.each(zones.flatMap((zone) => rules.map((rule) => [zone, rule] as const)))('%s %s', (zone, rrule) => {
    for (const hour of hours) {
      for (const day of ['2026-09-30', '2026-10-31']) {
        const starts_at = Temporal.PlainDateTime.from(`${day}${hour}`).toZonedDateTime(zone).epochMilliseconds / 1000
        const calendar = read(recurring({ rrule, time_zone: zone, starts_at, created_at: 1000 * starts_at - 1 }))
        const [event] = componentsOf(calendar, 'VEVENT')
        if (!event) throw new Error('no event')
        const times = { fromSeconds: starts_at, rrule, durationSeconds: 7200, zone }
        const own = occurrencesIn(times, window).map(({ startSeconds }) => startSeconds)
        expect(beginsOf(calendar, event, window.endSeconds)).toEqual(own)
        expect(own.length).toBeGreaterThan(3)
        expect(valueOf(event, 'DURATION')).toBe('PT7200S')
      }
    }
  })
})
