import { isCalendarWindow, type MovingWindow, type SloWindow, type Window } from './windows.ts'

/** The windows that are offered, the shortest first. */
export const usualWindows = ['1h', '24h', '7d', '30d', '90d'] as const satisfies MovingWindow[]

/** Shorter windows, over which an SLO or a query can be calculated. */
const shortWindows: readonly string[] = ['5m', '15m', '30m'] satisfies Window[]

const maxCount = { h: 48, d: 366, w: 52 } as const

const movingText = 'whole hours up to 48h, days up to 366d or weeks up to 52w, such as 36h, 30d or 4w'

/** The names that an SLO's window may have, for "must be …". */
export const sloWindowText = `${movingText}, or week, month, quarter or year`

/** The names that `isWindow` accepts, for "must be …". */
export const windowText = `5m, 15m, 30m, or ${movingText}`

/** True for the name of a window that an SLO may have. */
export function isSloWindow(text: string): text is SloWindow {
  return isMovingWindow(text) || isCalendarWindow(text)
}

function isMovingWindow(text: string): text is MovingWindow {
  return /^[1-9]\d{0,2}[hdw]$/.test(text) && Number.parseInt(text) <= maxCount[text.slice(-1) as 'h']
}

/** True for the name of a window over which an SLO or a query can be calculated. */
export function isWindow(text: string): text is Window {
  return isMovingWindow(text) || shortWindows.includes(text)
}
