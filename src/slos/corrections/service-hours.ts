import type { TimeSpan } from './spans.ts'

/**
 * Weekly hours in which an SLO counts, in a time zone. `days`: 1 (Monday) to 7; times of day as `08:00`, the end up to `24:00`.
 * `holidays`: dates on which nothing counts.
 */
export type ServiceHours = {
  time_zone: string
  hours: { days: number[]; from: string; to: string }[]
  holidays: string[]
}

/** Service hours of each day that a window touches, in no order. */
export function serviceSpansIn({ time_zone, hours, holidays }: ServiceHours, window: TimeSpan): TimeSpan[] {
  const dayOf = (seconds: number) =>
    Temporal.Instant.fromEpochMilliseconds(1000 * seconds)
      .toZonedDateTimeISO(time_zone)
      .toPlainDate()
  const [first, last] = [dayOf(window.startSeconds), dayOf(window.endSeconds)]
  const closed = new Set(holidays)
  const spans: TimeSpan[] = []
  for (let date = first; Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
    if (closed.has(date.toString())) continue
    for (const { days, from, to } of hours) {
      if (!days.includes(date.dayOfWeek)) continue
      spans.push({ startSeconds: secondsAt(date, from, time_zone), endSeconds: secondsAt(date, to, time_zone) })
    }
  }
  return spans
}

function secondsAt(date: Temporal.PlainDate, time: string, zone: string): number {
  const [day, plainTime] = time === '24:00' ? [date.add({ days: 1 }), '00:00'] : [date, time]
  return day.toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds / 1000
}
