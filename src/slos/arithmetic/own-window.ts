import { existingShare, type Reach } from './reach.ts'
import {
  type CalendarWindow,
  isCalendarWindow,
  type SloWindow,
  type Window,
  windowName,
  windowSeconds,
} from './windows.ts'

/**
 * Own window of an SLO up to a time, in Unix seconds: `(startSeconds, endSeconds]`. `seconds` is its length so far, `name` the same in
 * whole minutes, `wholeSeconds` its length once it is over. `nextSeconds`: end of a calendar period, from which on the next one counts;
 * null: the window moves with time.
 */
export type OwnWindow = {
  startSeconds: number
  endSeconds: number
  seconds: number
  name: Window
  wholeSeconds: number
  nextSeconds: number | null
}

/** Window of an SLO and its time zone; null for a window that moves with time. */
export type WindowOfSlo = { time_window: SloWindow; time_zone: string | null }

/** Finds the own window that contains the second before `endSeconds`: at a boundary that is the period which ends there. */
export function ownWindow({ time_window, time_zone }: WindowOfSlo, endSeconds: number): OwnWindow {
  if (!isCalendarWindow(time_window)) {
    const seconds = windowSeconds(time_window)
    const startSeconds = endSeconds - seconds
    return { startSeconds, endSeconds, seconds, name: time_window, wholeSeconds: seconds, nextSeconds: null }
  }
  const { startSeconds, nextSeconds } = periodAt(time_window, time_zone ?? 'UTC', endSeconds)
  const seconds = endSeconds - startSeconds
  const name = windowName(Math.ceil(seconds / 60) * 60)
  return { startSeconds, endSeconds, seconds, name, wholeSeconds: nextSeconds - startSeconds, nextSeconds }
}

/** True if the budgets of both are of the same time: `1d` and `24h` are, the months of two time zones are not. */
export function isSameWindow(one: WindowOfSlo, other: WindowOfSlo): boolean {
  if (one.time_window === other.time_window) return one.time_zone === other.time_zone
  if (isCalendarWindow(one.time_window) || isCalendarWindow(other.time_window)) return false
  return windowSeconds(one.time_window) === windowSeconds(other.time_window)
}

/**
 * Share of the whole own window, 0..1, for which the SLO existed so far; null: not known yet. What is left of a running period
 * does not exist yet.
 */
export function shareOfOwnWindow(
  reach: Reach,
  { startSeconds, endSeconds, seconds, wholeSeconds }: OwnWindow,
): number | null {
  const share = existingShare(reach, startSeconds, endSeconds)
  return share === null ? null : share * (seconds / wholeSeconds)
}

type Period = { startSeconds: number; nextSeconds: number }

const lastPeriods = new Map<string, Period>() // by window and zone: most calls are of the running period

function periodAt(window: CalendarWindow, timeZone: string, endSeconds: number): Period {
  const key = `${window} ${timeZone}`
  const last = lastPeriods.get(key)
  if (last && last.startSeconds < endSeconds && endSeconds <= last.nextSeconds) return last
  const day = Temporal.Instant.fromEpochMilliseconds(1000 * (endSeconds - 1))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
  const first = firstDayOf(window, day)
  const secondsOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds / 1000
  const period = { startSeconds: secondsOf(first), nextSeconds: secondsOf(first.add(lengthOf[window])) }
  lastPeriods.set(key, period)
  return period
}

const lengthOf = { week: { weeks: 1 }, month: { months: 1 }, quarter: { months: 3 }, year: { years: 1 } } as const

function firstDayOf(window: CalendarWindow, day: Temporal.PlainDate): Temporal.PlainDate {
  if (window === 'week') return day.subtract({ days: day.dayOfWeek - 1 })
  const month = { month: day.month, quarter: day.month - ((day.month - 1) % 3), year: 1 }[window]
  return day.with({ month, day: 1 })
}
