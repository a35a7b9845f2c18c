import { expect, test } from 'bun:test'
import { nextOccurrence, occurrencesIn, readRecurrence, ruleText } from '../../../src/slos/corrections/recurrence.ts'

const seconds = (iso: string) => Date.parse(iso) / 1000
const year = { startSeconds: seconds('2026-01-01T00:00Z'), endSeconds: seconds('2027-01-01T00:00Z') }
const zurich = 'Europe/Zurich'

/** Begins of a rule of an hour, in a window, by default of 2026. */
function begins(from: string, rrule: string, zone = zurich, window = year): string[] {
  const spans = occurrencesIn({ fromSeconds: seconds(from), rrule, durationSeconds: 3600, zone }, window)
  return spans.map(({ startSeconds }) => new Date(1000 * startSeconds).toISOString().slice(0, 16))
}

test.each([
  [
    'a weekly time keeps its hour over both changes of the clock',
    '2026-03-22T02:00:00+01:00',
    'FREQ=WEEKLY;BYDAY=SU;COUNT=2',
    ['2026-03-22T01:00', '2026-03-29T01:00'], // 02:00 is skipped that night: 03:00, summer time
  ],
  [
    'an hour that comes twice is the first one',
    '2026-10-18T02:00:00+02:00',
    'FREQ=WEEKLY;COUNT=3',
    ['2026-10-18T00:00', '2026-10-25T00:00', '2026-11-01T01:00'],
  ],
  [
    'every third day',
    '2026-12-20T12:00:00Z',
    'FREQ=DAILY;INTERVAL=3',
    ['20', '23', '26', '29'].map((d) => `2026-12-${d}T12:00`),
  ],
  [
    'days of the week, of every second week',
    '2026-06-03T10:00:00+02:00', // a Wednesday
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=4',
    ['2026-06-03T08:00', '2026-06-15T08:00', '2026-06-17T08:00', '2026-06-29T08:00'],
  ],
  [
    'the first Sunday of each month, up to a day',
    '2026-01-01T03:00:00+01:00',
    'FREQ=MONTHLY;BYDAY=1SU;UNTIL=20260405',
    ['2026-01-04T02:00', '2026-02-01T02:00', '2026-03-01T02:00', '2026-04-05T01:00'],
  ],
  [
    'the last Friday',
    '2026-10-01T12:00:00Z',
    'FREQ=MONTHLY;BYDAY=-1FR',
    ['2026-10-30T13:00', '2026-11-27T13:00', '2026-12-25T13:00'],
  ],
  [
    'a day that not each month has',
    '2026-01-31T00:00:00+01:00',
    'FREQ=MONTHLY;COUNT=3',
    ['2026-01-30T23:00', '2026-03-30T22:00', '2026-05-30T22:00'],
  ],
  [
    'the end of the time that is given is the last',
    '2026-05-01T06:00:00Z',
    'FREQ=DAILY;UNTIL=20260502T060000Z',
    ['2026-05-01T06:00', '2026-05-02T06:00'],
  ],
])('%s', (_, from, rrule, expected) => expect(begins(from, rrule)).toEqual(expected))

test('a window far ahead has the same times as one from the begin on', () => {
  for (const rrule of [
    'FREQ=DAILY;INTERVAL=7',
    'FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,FR',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=2WE',
    'FREQ=MONTHLY',
  ]) {
    const all = begins('2024-02-09T01:30:00+01:00', rrule, zurich, {
      ...year,
      startSeconds: seconds('2024-01-01T00:00Z'),
    })
    const ahead = all.filter((text) => text >= '2026-01-01')
    expect(ahead.length).toBeGreaterThan(3)
    expect(begins('2024-02-09T01:30:00+01:00', rrule)).toEqual(ahead)
  }
})

test('a time that has begun before the window and reaches into it is one of it', () => {
  const window = { startSeconds: seconds('2026-05-02T06:30Z'), endSeconds: seconds('2026-05-02T07:00Z') }
  expect(begins('2026-05-01T06:00:00Z', 'FREQ=DAILY', 'UTC', window)).toEqual(['2026-05-02T06:00'])
})

test.each([
  ['FREQ=YEARLY', 'must have FREQ=DAILY'],
  ['FREQ=DAILY;BYHOUR=3', 'must have FREQ, INTERVAL, COUNT, UNTIL and BYDAY only; got BYHOUR'],
  ['FREQ=DAILY;FREQ=DAILY', 'each once'],
  ['FREQ=DAILY;INTERVAL=0', 'must have an INTERVAL from 1 to 1000'],
  ['FREQ=DAILY;COUNT=x', 'must have a COUNT from 1 to 10000'],
  ['FREQ=DAILY;COUNT=2;UNTIL=20260101', 'must have COUNT or UNTIL, not both'],
  ['FREQ=DAILY;UNTIL=2026-01-01', 'must have an UNTIL like'],
  ['FREQ=DAILY;UNTIL=20260230', 'must have an UNTIL like'],
  ['FREQ=WEEKLY;BYDAY=XX', 'must have a BYDAY like MO,TH'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'must number BYDAY with FREQ=MONTHLY only'],
  ['', 'must be parts like'],
])('the rule %p is refused', (text, message) => expect(readRecurrence(text)).toContain(message))

test.each([
  ['rrule:freq=weekly;byday=su', 'FREQ=WEEKLY;BYDAY=SU'],
  ['FREQ=MONTHLY;BYDAY=+1SU,-1FR;INTERVAL=2', 'FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1FR'],
  ['FREQ=DAILY;COUNT=3', 'FREQ=DAILY;COUNT=3'],
  ['FREQ=DAILY;UNTIL=20260705', 'FREQ=DAILY;UNTIL=20260705T215959Z'],
  ['FREQ=DAILY;UNTIL=20260105T120000', 'FREQ=DAILY;UNTIL=20260105T110000Z'],
  ['FREQ=DAILY;UNTIL=20260502T060000Z', 'FREQ=DAILY;UNTIL=20260502T060000Z'],
])('the rule %j is written for other readers as %j', (rrule, text) => {
  const rule = readRecurrence(rrule)
  expect(typeof rule === 'string' ? rule : ruleText(rule, zurich)).toBe(text)
})

test('the end of a rule is at most in the last year that a reader knows', () => {
  const rule = readRecurrence('FREQ=DAILY;UNTIL=99991231T235959')
  expect(typeof rule !== 'string' && ruleText(rule, 'America/New_York')).toBe('FREQ=DAILY;UNTIL=99991231T235959Z')
})

test('the next occurrence is the first that ends after a time, if that is within 400 days', () => {
  const next = (rrule: string, after: string) => {
    const times = { fromSeconds: seconds('2026-03-01T02:00Z'), rrule, durationSeconds: 3600, zone: 'UTC' }
    const found = nextOccurrence(times, seconds(after))
    return found && new Date(1000 * found.startSeconds).toISOString().slice(0, 16)
  }
  expect(next('FREQ=MONTHLY', '2026-04-01T02:59:59Z')).toBe('2026-04-01T02:00')
  expect(next('FREQ=MONTHLY', '2026-04-01T03:00Z')).toBe('2026-05-01T02:00')
  expect(next('FREQ=MONTHLY;INTERVAL=24', '2026-03-02T00:00Z')).toBeNull()
  expect(next('FREQ=MONTHLY;COUNT=2', '2026-04-02T00:00Z')).toBeNull()
})
