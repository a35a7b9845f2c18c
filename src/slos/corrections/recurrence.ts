import type { TimeSpan } from './spans.ts'

/** Weekday of a rule, 1 (Monday) to 7. `nth`: the nth such day of a month, from its end if negative; null: every one. */
type RuleDay = { weekday: number; nth: number | null }

/** Subset of RFC 5545: FREQ, INTERVAL, COUNT, UNTIL and BYDAY. */
export type Recurrence = {
  frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY'
  interval: number
  count: number | null
  /** UNTIL as sent, in UTC if it ends in `Z`, else in the rule's zone. No occurrence begins after that moment or date. */
  until: string | null
  days: RuleDay[]
}

/** Times of a recurring correction: the first begins at `fromSeconds` (Unix), the others at the same time of day in the zone. */
export type RecurringTimes = { fromSeconds: number; rrule: string; durationSeconds: number; zone: string }

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const maxInterval = 1000
const maxCount = 10_000

/** Reads an RRULE; returns the message of its first problem if it is not valid. */
export function readRecurrence(text: string): Recurrence | string {
  const parts = new Map<string, string>()
  for (const part of text
    .trim()
    .replace(/^RRULE:/i, '')
    .split(';')) {
    const [name = '', value, ...rest] = part.split('=')
    const key = name.toUpperCase()
    if (!value || rest.length > 0 || parts.has(key)) return 'must be parts like FREQ=WEEKLY;BYDAY=SU, each once'
    if (!['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY'].includes(key)) {
      return `must have FREQ, INTERVAL, COUNT, UNTIL and BYDAY only; got ${name.slice(0, 20)}`
    }
    parts.set(key, value.toUpperCase())
  }
  const frequency = parts.get('FREQ')
  if (frequency !== 'DAILY' && frequency !== 'WEEKLY' && frequency !== 'MONTHLY') {
    return 'must have FREQ=DAILY, FREQ=WEEKLY or FREQ=MONTHLY'
  }
  const interval = wholeNumber(parts.get('INTERVAL') ?? '1', maxInterval)
  if (interval === null) return `must have an INTERVAL from 1 to ${maxInterval}`
  const count = parts.has('COUNT') ? wholeNumber(parts.get('COUNT') ?? '', maxCount) : null
  if (parts.has('COUNT') && count === null) return `must have a COUNT from 1 to ${maxCount}`
  const until = parts.get('UNTIL') ?? null
  if (until !== null && count !== null) return 'must have COUNT or UNTIL, not both'
  if (until !== null && untilSeconds(until, 'UTC') === null)
    return 'must have an UNTIL like 20261231T220000Z or 20261231'
  const days = daysOf(parts.get('BYDAY'))
  if (days === null) return 'must have a BYDAY like MO,TH'
  if (days.some(({ nth }) => nth !== null) && frequency !== 'MONTHLY') return 'must number BYDAY with FREQ=MONTHLY only'
  return { frequency, interval, count, until, days }
}

function wholeNumber(text: string, max: number): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= max ? Number(text) : null
}

function daysOf(text: string | undefined): RuleDay[] | null {
  if (text === undefined) return []
  const days = text.split(',').map((one): RuleDay | null => {
    const [, nth = '', name = ''] = /^([+-]?[1-5])?([A-Z]{2})$/.exec(one) ?? []
    const weekday = weekdays.indexOf(name) + 1
    return weekday === 0 ? null : { weekday, nth: nth === '' ? null : Number(nth) }
  })
  return days.includes(null) ? null : days.filter((day) => day !== null)
}

/** Last Unix second at which an occurrence may begin; null: not a valid UNTIL. */
function untilSeconds(until: string, zone: string): number | null {
  const [, year, month, day, hour = '23', minute = '59', second = '59', utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(until) ?? []
  if (year === undefined) return null
  try {
    const time = Temporal.PlainDateTime.from(`${year}-${month}-${day}T${hour}:${minute}:${second}`)
    return Math.floor(time.toZonedDateTime(utc === 'Z' ? 'UTC' : zone).epochMilliseconds / 1000)
  } catch {
    return null
  }
}

/**
 * Spans of the occurrences that overlap a window, oldest first. Each begins at the time of day of the first in the zone; if daylight saving
 * time skips that time, later by what is skipped. Each lasts `durationSeconds`, also over a change of the clock. A month without the day (as
 * the 31st) has no occurrence. The first day occurs, and counts for COUNT, only if BYDAY names it or is absent.
 */
export function occurrencesIn(
  { fromSeconds, rrule, durationSeconds, zone }: RecurringTimes,
  window: TimeSpan,
): TimeSpan[] {
  const rule = readRecurrence(rrule)
  if (typeof rule === 'string') return []
  const first = Temporal.Instant.fromEpochMilliseconds(1000 * fromSeconds).toZonedDateTimeISO(zone)
  const [firstDay, time] = [first.toPlainDate(), first.toPlainTime()]
  const lastSeconds = Math.min(window.endSeconds - 1, untilOf(rule, zone))
  const spans: TimeSpan[] = []
  let count = 0
  for (let step = firstStep(rule, firstDay, window.startSeconds - durationSeconds, zone); ; step += 1) {
    for (const date of datesOf(rule, firstDay, step)) {
      if (Temporal.PlainDate.compare(date, firstDay) < 0) continue
      const startSeconds = date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds / 1000
      count += 1
      if (startSeconds > lastSeconds || (rule.count !== null && count > rule.count)) return spans
      const endSeconds = startSeconds + durationSeconds
      if (endSeconds > window.startSeconds) spans.push({ startSeconds, endSeconds })
    }
    const begin = beginOf(rule, firstDay, step)
    if (begin === null || begin.toZonedDateTime(zone).epochMilliseconds / 1000 > lastSeconds) return spans
  }
}

function untilOf({ until }: Recurrence, zone: string): number {
  return until === null ? Infinity : (untilSeconds(until, zone) ?? Infinity)
}

/**
 * Number of the step (of `interval` days, weeks or months) to begin with, one before that of `sinceSeconds`; 0 with COUNT, for which
 * all occurrences are counted.
 */
function firstStep(
  { frequency, interval, count }: Recurrence,
  firstDay: Temporal.PlainDate,
  sinceSeconds: number,
  zone: string,
) {
  if (count !== null) return 0
  const sinceDay = Temporal.Instant.fromEpochMilliseconds(1000 * sinceSeconds)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
  const { months, days } = firstDay.until(sinceDay, { largestUnit: frequency === 'MONTHLY' ? 'month' : 'day' })
  const passed = frequency === 'MONTHLY' ? months : frequency === 'WEEKLY' ? Math.floor(days / 7) : days
  return Math.max(0, Math.floor(passed / interval) - 1)
}

/** First day of a step; null: beyond the end of the calendar. */
function beginOf(
  { frequency, interval }: Recurrence,
  firstDay: Temporal.PlainDate,
  step: number,
): Temporal.PlainDate | null {
  try {
    const number = step * interval
    if (frequency === 'DAILY') return firstDay.add({ days: number })
    if (frequency === 'WEEKLY') return firstDay.subtract({ days: firstDay.dayOfWeek - 1 }).add({ weeks: number })
    return firstDay.with({ day: 1 }).add({ months: number })
  } catch {
    return null
  }
}

/** Dates of a step, in order. */
function datesOf(rule: Recurrence, firstDay: Temporal.PlainDate, step: number): Temporal.PlainDate[] {
  const begin = beginOf(rule, firstDay, step)
  if (begin === null) return []
  const named = new Set(rule.days.map(({ weekday }) => weekday))
  if (rule.frequency === 'DAILY') return named.size === 0 || named.has(begin.dayOfWeek) ? [begin] : []
  if (rule.frequency === 'WEEKLY') {
    const weekdaysOfWeek = named.size === 0 ? [firstDay.dayOfWeek] : [...named].toSorted((a, b) => a - b)
    return weekdaysOfWeek.map((weekday) => begin.add({ days: weekday - 1 }))
  }
  if (named.size === 0) return firstDay.day <= begin.daysInMonth ? [begin.with({ day: firstDay.day })] : []
  const all = Array.from({ length: begin.daysInMonth }, (_, at) => begin.with({ day: at + 1 }))
  return all.filter((date) => rule.days.some((day) => isDay(day, date)))
}

function isDay({ weekday, nth }: RuleDay, date: Temporal.PlainDate): boolean {
  if (date.dayOfWeek !== weekday) return false
  if (nth === null) return true
  return nth > 0 ? Math.ceil(date.day / 7) === nth : Math.ceil((date.daysInMonth - date.day + 1) / 7) === -nth
}

/** Lengths of the windows in which the next occurrence is searched, one after the other: most rules occur within the first. */
const searchedDays = [8, 400]

/** First occurrence that ends after a time; null: none within 400 days of it. */
export function nextOccurrence(times: RecurringTimes, afterSeconds: number): TimeSpan | null {
  for (const days of searchedDays) {
    const [next] = occurrencesIn(times, { startSeconds: afterSeconds, endSeconds: afterSeconds + 86_400 * days })
    if (next) return next
  }
  return null
}

const dayNames = (days: readonly RuleDay[]) => days.map(({ weekday, nth }) => `${nth ?? ''}${weekdays[weekday - 1]}`)

/** Last moment that a DATE-TIME of RFC 5545 can have. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Rule as a client of RFC 5545 reads it, beside a DTSTART in its zone: in capitals, with UNTIL in UTC. */
export function ruleText(rule: Recurrence, zone: string): string {
  const untilMs = Math.min(1000 * untilOf(rule, zone), lastMs)
  const until = new Date(untilMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return [
    `FREQ=${rule.frequency}`,
    ...(rule.interval > 1 ? [`INTERVAL=${rule.interval}`] : []),
    ...(rule.count === null ? [] : [`COUNT=${rule.count}`]),
    ...(rule.until === null ? [] : [`UNTIL=${until}`]),
    ...(rule.days.length === 0 ? [] : [`BYDAY=${dayNames(rule.days).join(',')}`]),
  ].join(';')
}
