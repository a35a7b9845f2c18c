import type { ReportInterval } from '../db/tables/enums.ts'
import { ownWindow } from '../slos/arithmetic/own-window.ts'

/** Calendar period in a time zone: `[startSeconds, endSeconds)`, in Unix seconds. A day of it has 23 to 25 hours. */
export type ReportPeriod = { startSeconds: number; endSeconds: number }

type IntervalInZone = { interval: ReportInterval; time_zone: string }

/** Period that contains a second. */
export function periodHolding({ interval, time_zone }: IntervalInZone, seconds: number): ReportPeriod {
  // `ownWindow` takes an end, which is exclusive
  const { startSeconds, nextSeconds, endSeconds } = ownWindow({ time_window: interval, time_zone }, seconds + 1)
  return { startSeconds, endSeconds: nextSeconds ?? endSeconds }
}

/** Newest period that has ended at a second. */
export function lastPeriod(zoned: IntervalInZone, seconds: number): ReportPeriod {
  return periodHolding(zoned, periodHolding(zoned, seconds).startSeconds - 1)
}

/** Periods that a schedule makes up for after nines was off; older ones are left out. */
export const maxMissed = 6

/** Periods that ended after `made_until` and up to `nowSeconds`, oldest first: the newest six. */
export function duePeriods(schedule: IntervalInZone & { made_until: number }, nowSeconds: number): ReportPeriod[] {
  const due: ReportPeriod[] = []
  let period = lastPeriod(schedule, nowSeconds)
  while (period.endSeconds > schedule.made_until && due.length < maxMissed) {
    due.push(period)
    period = periodHolding(schedule, period.startSeconds - 1)
  }
  return due.toReversed()
}

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** Name of a period for people: `October 2026`, `Q4 2026`, `Week 48, 2026`. */
export function periodTitle({ interval, time_zone }: IntervalInZone, startSeconds: number): string {
  const day = Temporal.Instant.fromEpochMilliseconds(startSeconds * 1000).toZonedDateTimeISO(time_zone)
  if (interval === 'week') return `Week ${day.weekOfYear}, ${day.yearOfWeek}`
  if (interval === 'quarter') return `Q${Math.ceil(day.month / 3)} ${day.year}`
  return `${monthNames[day.month - 1]} ${day.year}`
}

/** Name of a period in a file name: `2026-10`, `2026-q4`, `2026-w48`. */
export function periodSlug({ interval, time_zone }: IntervalInZone, startSeconds: number): string {
  const day = Temporal.Instant.fromEpochMilliseconds(startSeconds * 1000).toZonedDateTimeISO(time_zone)
  const two = (value: number) => String(value).padStart(2, '0')
  if (interval === 'week') return `${day.yearOfWeek}-w${two(day.weekOfYear ?? 0)}`
  if (interval === 'quarter') return `${day.year}-q${Math.ceil(day.month / 3)}`
  return `${day.year}-${two(day.month)}`
}
