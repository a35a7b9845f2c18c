export const hourSeconds = 3600
export const daySeconds = 86_400

const secondsOf = { m: 60, h: hourSeconds, d: daySeconds, w: 7 * daySeconds } as const

/** Name of a window, such as `30d`. */
export type Window = `${number}${keyof typeof secondsOf}`

/** Window that ends now: whole hours, days or weeks. Equal windows may have two names: `24h` and `1d`. */
export type MovingWindow = `${number}${'h' | 'd' | 'w'}`

const nominalDays = { week: 7, month: 30, quarter: 91, year: 365 } as const

/** Calendar period in the time zone of its SLO; weeks are those of ISO 8601. */
export type CalendarWindow = keyof typeof nominalDays

/** Name of a window that an SLO may have. */
export type SloWindow = MovingWindow | CalendarWindow

export function isCalendarWindow(window: string): window is CalendarWindow {
  return Object.hasOwn(nominalDays, window)
}

export function windowSeconds(window: Window): number {
  return Number.parseInt(window) * secondsOf[window.slice(-1) as 'h']
}

/** Length by which alert tiers and forecasts of a window are chosen: a calendar period counts as 7, 30, 91 or 365 days. */
export function nominalSeconds(window: SloWindow): number {
  return isCalendarWindow(window) ? nominalDays[window] * daySeconds : windowSeconds(window)
}

/** The window of the current value: 1h, or 5m for an SLO of 1h. Rule: docs/slo-math.md, "Status". */
export function currentWindow(own: SloWindow): Window {
  return own === '1h' ? '5m' : '1h'
}

/** The name of a window of any whole minutes: `5m`, `1h`, `72h`. */
export function windowName(seconds: number): Window {
  return seconds % hourSeconds === 0 ? `${seconds / hourSeconds}h` : `${seconds / 60}m`
}

/**
 * Step in which budget returns to a window, in seconds: a UTC day; an hour for windows of 4 to 48 hours; five minutes for shorter ones.
 */
export function calendarStep(seconds: number): number {
  if (seconds > 2 * daySeconds) return daySeconds
  return seconds > 3 * hourSeconds ? hourSeconds : 300
}
