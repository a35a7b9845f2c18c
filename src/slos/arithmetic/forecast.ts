import type { SloState } from './state.ts'
import type { OwnWindow } from './own-window.ts'
import { nominalSeconds, type SloWindow, type Window, windowName, windowSeconds } from './windows.ts'

/** Window whose burn rate a forecast extrapolates: long enough to be steady, short enough to be recent. */
export function forecastBasis(window: SloWindow): Window {
  const ownSeconds = nominalSeconds(window)
  if (ownSeconds > windowSeconds('24h')) return '24h'
  return ownSeconds > windowSeconds('1h') ? '1h' : '5m'
}

/** Length of the window whose burn rate a forecast extrapolates while the budget burns fast. */
export const fastBasisSeconds = 300

/** Present burn rate if the budget burns fast, for a forecast to extrapolate; null: it extrapolates that of the basis window. */
export function burnRateToContinue(now: { state: SloState; burnRateNow: number | null }): number | null {
  return now.state === 'down' || now.state === 'burning_fast' ? now.burnRateNow : null
}

/** Burn rate that a forecast extrapolates, as text with its time rounded to whole minutes, and its window in seconds. */
export function basisOf(seconds: number): { basis: string; basis_seconds: number } {
  const time = seconds < 60 ? `${Math.round(seconds)}s` : windowName(Math.round(seconds / 60) * 60)
  return { basis: `the burn rate of the last ${time}`, basis_seconds: seconds }
}

/**
 * Seconds for which the rest of the budget, above 0 percent, lasts at this burn rate, if nothing leaves the window; null: longer than
 * its calendar period.
 */
export function secondsLeft(remainingPercent: number, burnRate: number, own: OwnWindow): number | null {
  const seconds = Math.round((own.wholeSeconds * remainingPercent) / 100 / burnRate)
  return own.nextSeconds !== null && own.endSeconds + seconds > own.nextSeconds ? null : seconds
}

/** Budget use of a window. `burned`: percent of the budget burned from its start to `atSeconds`; oldest first. */
type BudgetUse = {
  usedPercent: number
  burnRate: number
  own: OwnWindow
  burned: { atSeconds: number; percent: number }[]
}

/**
 * Seconds until the budget of a window is used up at this burn rate and the traffic of the window so far; 0: it is used up;
 * `null`: it will not be, or not before the calendar period ends. What burned first leaves a rolling window as time passes: at a
 * rate below 1 the budget may never run out, above 1 it runs out within one window. Time that was not measured is assumed to
 * return no budget, so that the forecast errs on the early side. Nothing leaves a calendar period.
 */
export function secondsToExhaustion({
  usedPercent,
  burnRate,
  own: { startSeconds, endSeconds, wholeSeconds, nextSeconds },
  burned,
}: BudgetUse): number | null {
  if (usedPercent >= 100 || burnRate === Infinity) return 0
  let previous = { afterSeconds: 0, used: usedPercent }
  const departures =
    nextSeconds === null
      ? burned.map(({ atSeconds, percent }) => ({ afterSeconds: atSeconds - startSeconds, percent }))
      : [{ afterSeconds: nextSeconds - endSeconds, percent: 0 }]
  for (const { afterSeconds, percent } of departures) {
    // after that time, what burned first has left the window, and what burns until then is added
    const used = usedPercent - percent + (100 * burnRate * afterSeconds) / wholeSeconds
    if (used >= 100) {
      const share = (100 - previous.used) / (used - previous.used)
      return Math.round(previous.afterSeconds + share * (afterSeconds - previous.afterSeconds))
    }
    previous = { afterSeconds, used }
  }
  return null
}
