import { type Window, windowName, windowSeconds } from './windows.ts'

/** The window whose burn rate a forecast carries on: long enough to be calm, short enough to be of today. */
export function forecastBasis(window: Window): Window {
  const ownSeconds = windowSeconds(window)
  if (ownSeconds > windowSeconds('24h')) return '24h'
  return ownSeconds > windowSeconds('1h') ? '1h' : '5m'
}

/** What a forecast extrapolates, as text and in seconds. */
export function basisOf(seconds: number): { basis: string; basis_seconds: number } {
  return { basis: `the burn rate of the last ${windowName(seconds)}`, basis_seconds: seconds }
}

/** `burned`: how much of the budget, in percent, had burned so many seconds after the window's start; oldest first. */
export type BudgetUse = {
  usedPercent: number
  burnRate: number
  windowSeconds: number
  burned: { afterSeconds: number; percent: number }[]
}

/**
 * Seconds until the budget of a rolling window is used up if it goes on burning at this rate, with as much traffic as the
 * window has had. What burned at its start leaves it as time passes: below a rate of 1 a budget may shrink and never run out,
 * above 1 it does so within one window. 0: it is used up; `null`: it will not be. What was not measured counts as
 * nothing that leaves, so that a forecast errs on the early side.
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
