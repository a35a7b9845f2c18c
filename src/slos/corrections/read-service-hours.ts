import { assertNone, type Problem } from '../../errors.ts'
import { findTimeZone } from '../../zone.ts'
import type { ServiceHours } from './service-hours.ts'

/** Maximum numbers of entries in `hours`, and of holidays. */
export const maxRanges = 14
export const maxHolidays = 100

/** Reads service hours as sent into JSON with every field; null: the SLO counts at all times. Throws `invalid`, naming each problem. */
export function readServiceHours(sent: unknown): string | null {
  assertNone(serviceHoursProblems(sent))
  if (sent === null || sent === undefined) return null
  const { time_zone, hours, holidays = [] } = sent as ServiceHours & { holidays?: string[] }
  const zone = findTimeZone(time_zone) ?? time_zone
  const ranges = hours.map(({ days, from, to }) => ({ days: [...new Set(days)].toSorted((a, b) => a - b), from, to }))
  const completeHours: ServiceHours = { time_zone: zone, hours: ranges, holidays: [...new Set(holidays)].toSorted() }
  return JSON.stringify(completeHours)
}

/** Problems that make `readServiceHours` throw. */
export function serviceHoursProblems(sent: unknown): Problem[] {
  const field = 'service_hours'
  if (sent === null || sent === undefined) return []
  if (typeof sent !== 'object' || Array.isArray(sent)) {
    return [{ field, message: 'must be an object with time_zone and hours, or null' }]
  }
  const { time_zone: zone, hours, holidays = [], ...others } = sent as Record<string, unknown>
  const [unknown] = Object.keys(others)
  const rules: [name: string, isRight: boolean, message: string][] = [
    [
      'time_zone',
      typeof zone === 'string' && findTimeZone(zone) !== undefined,
      'must be an IANA name, as Europe/Zurich',
    ],
    ['hours', isListOf(hours, maxRanges) && hours.length > 0, `must be a list of 1 to ${maxRanges} entries`],
    [
      'holidays',
      isListOf(holidays, maxHolidays) && holidays.every(isDate),
      `must be at most ${maxHolidays} dates, as 2026-12-25`,
    ],
    [unknown?.slice(0, 50) ?? '', unknown === undefined, 'is not a field of service hours'],
  ]
  const problems = rules.flatMap(([name, isRight, message]) =>
    isRight ? [] : [{ field: `${field}.${name}`, message }],
  )
  const ranges = Array.isArray(hours) ? hours.slice(0, maxRanges) : []
  return [...problems, ...ranges.flatMap((range: unknown, at) => rangeProblems(range, `${field}.hours.${at}`))]
}

function rangeProblems(range: unknown, field: string): Problem[] {
  if (typeof range !== 'object' || range === null || Array.isArray(range)) {
    return [{ field, message: 'must be an object with days, from and to' }]
  }
  const { days, from, to, ...others } = range as Record<string, unknown>
  const [unknown] = Object.keys(others)
  const isLater = typeof from === 'string' && typeof to === 'string' && from < to
  const rules: [name: string, isRight: boolean, message: string][] = [
    ['days', isListOf(days, 7) && days.length > 0 && days.every(isWeekday), 'must be days from 1 (Monday) to 7'],
    ['from', isTime(from), 'must be a time of day, as 08:00'],
    ['to', isTime(to) || to === '24:00', 'must be a time of day up to 24:00'],
    ['to', isLater, 'must be after from; hours over midnight are two ranges'],
    [unknown?.slice(0, 50) ?? '', unknown === undefined, 'is not a field of hours'],
  ]
  const problem = rules.find(([, isRight]) => !isRight)
  return problem ? [{ field: `${field}.${problem[0]}`, message: problem[2] }] : []
}

function isListOf(value: unknown, max: number): value is unknown[] {
  return Array.isArray(value) && value.length <= max
}

function isWeekday(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 7
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value)
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  return new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) ?? false
}

/** Service hours of a row; null: the SLO counts at all times. */
export function parseServiceHours({ service_hours: hours }: { service_hours: string | null }): ServiceHours | null {
  return hours === null ? null : JSON.parse(hours)
}
