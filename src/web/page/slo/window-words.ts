import { isCalendarWindow } from '../../../slos/arithmetic/windows.ts'

const units: Record<string, string | undefined> = { h: 'hour', d: 'day', w: 'week' }

/** The window of an SLO after "the last": `hour`, `30 days`, `4 weeks`, `month`. */
export function windowWords(window: string): string {
  if (isCalendarWindow(window)) return window
  const count = Number.parseInt(window)
  const unit = units[window.slice(-1)] ?? ''
  return count === 1 ? unit : `${count} ${unit}s`
}
