import type { SloState } from './state.ts'
import { type Window, windowName, windowSeconds } from './windows.ts'

/** Window whose burn rate a forecast extrapolates: long enough to be steady, short enough to be recent. */
export function forecastBasis(window: Window): Window {
  const ownSeconds = windowSeconds(window)
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

/** Budget use of a window. `burned`: percent of the budget burned by `afterSeconds` after its start; oldest first. */
type BudgetUse = {
  usedPercent: number
  burnRate: number
  windowSeconds: number
  burned: { afterSeconds: number; percent: number }[]
}

/**
 * Seconds until the budget of a rolling window is used up at this burn rate and the traffic of the window so far; 0: it is used
 * up; `null`: it will not be. What burned first leaves the window as time passes: at a rate below 1 the budget may never run
 * out, above 1 it runs out within one window. Time that was not measured is assumed to return no budget, so that the forecast
 * errs on the early side.
 */
export function secondsToExhaustion({
  usedPercent,
  burnRate,
  windowSeconds: ownSeconds,
  burned,
}: BudgetUse): number | null {
  if (usedPercent >= 100 || burnRate === Infinity) return 0
  let before = { afterSeconds: 0, used: usedPercent }
  for (const { afterSeconds, percent } of burned) {
    const used = usedPercent - percent + (100 * burnRate * afterSeconds) / ownSeconds
    if (used >= 100) {
      const share = (100 - before.used) / (used - before.used)
      return Math.round(before.afterSeconds + share * (afterSeconds - before.afterSeconds))
    }
    before = { afterSeconds, used }
  }
  return null
}
