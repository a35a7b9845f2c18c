import { isCalendarWindow, nominalSeconds } from '../../../slos/arithmetic/windows.ts'
import type { Budget } from '../api/types.ts'
import { formatWindow } from '../format.ts'

type Measured = Pick<Budget, 'window_seconds' | 'period' | 'measured_at'>

/** Seconds of an SLO's window so far: of a calendar period, those that have passed. */
export function elapsedSeconds({ window_seconds, period, measured_at }: Measured): number {
  if (period === null || measured_at === null) return window_seconds
  return (Date.parse(measured_at) - Date.parse(period.starts_at)) / 1000
}

/** Range that ends now and is as long as a window: `30d` of a month. */
export function rangeOfWindow(window: string): string {
  return isCalendarWindow(window) ? `${nominalSeconds(window) / 86_400}d` : window
}

/** Window of an SLO as a fact: `30 d, rolling`; `calendar month, Europe/Zurich`. */
export function windowFact({ time_window, time_zone }: { time_window: string; time_zone: string | null }): string {
  return isCalendarWindow(time_window)
    ? `calendar ${time_window}, ${time_zone}`
    : `${formatWindow(time_window)}, rolling`
}
