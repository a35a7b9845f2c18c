import { formatWeekday } from '../format.ts'
import type { Slo } from '../api/types.ts'

export type ServiceHours = NonNullable<Slo['service_hours']>

/** Days of the week in one text: `Mon to Fri`, `Sat, Sun`; 1 is Monday. */
export function daysText(days: readonly number[]): string {
  const sorted = days.toSorted((a, b) => a - b)
  const [first = 1, last = 1] = [sorted[0], sorted.at(-1)]
  const isRun = sorted.length > 2 && last - first === sorted.length - 1
  return isRun ? `${formatWeekday(first)} to ${formatWeekday(last)}` : sorted.map(formatWeekday).join(', ')
}

/** Service hours in one text: `Mon to Fri 08:00 to 18:00 (Europe/Zurich), not on 2026-12-25`. */
export function serviceHoursText({ hours, time_zone, holidays }: ServiceHours): string {
  const ranges = hours.map(({ days, from, to }) => `${daysText(days)} ${from} to ${to}`).join('; ')
  const text = `${ranges} (${time_zone})`
  if (holidays.length === 0) return text
  return holidays.length > 3 ? `${text}, not on ${holidays.length} days` : `${text}, not on ${holidays.join(', ')}`
}
