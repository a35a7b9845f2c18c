import { burnRate, type Tier, type TierSetting } from './burn-rates.ts'
import { nominalSeconds, type SloWindow, windowName } from './windows.ts'

type Row = Pick<Tier, 'severity' | 'longSeconds' | 'shortSeconds' | 'budgetPercent'>

/** Standard tiers of windows from 7 days on. Their factors follow from the part of the budget that the long window may burn. */
const rows: Row[] = [
  { severity: 'page', longSeconds: 3600, shortSeconds: 300, budgetPercent: 2 },
  { severity: 'page', longSeconds: 6 * 3600, shortSeconds: 1800, budgetPercent: 5 },
  { severity: 'ticket', longSeconds: 24 * 3600, shortSeconds: 2 * 3600, budgetPercent: 10 },
  { severity: 'ticket', longSeconds: 72 * 3600, shortSeconds: 6 * 3600, budgetPercent: 10 },
]
const minSecondsForRows = 7 * 86_400

/**
 * The standard tiers of an SLO's window, the fastest first. A tier with a factor below 1, at which the budget lasts longer than the
 * window, is left out. Windows below 7d have one pair instead, a 12th and about a 144th of the window. Rule: docs/slo-math.md, "Alert
 * tiers".
 */
export function standardTiers(window: SloWindow): TierSetting[] {
  const seconds = nominalSeconds(window)
  const windowPair: Row = {
    severity: 'page',
    longSeconds: seconds / 12,
    shortSeconds: shortOf(seconds / 144),
    budgetPercent: 25,
  }
  return (seconds < minSecondsForRows ? [windowPair] : rows)
    .map(({ budgetPercent, ...row }) => {
      const factor = (budgetPercent * seconds) / (100 * row.longSeconds)
      return { ...row, factor, minEvents: 0, enabled: true }
    })
    .filter(({ factor }) => factor >= 1)
}

/** Rounds a short window down to a multiple of five minutes, as the steps of a history are; if it is shorter, to whole minutes. */
function shortOf(seconds: number): number {
  const unit = seconds < 300 ? 60 : 300
  return Math.max(60, Math.floor(seconds / unit) * unit)
}

type Refusal = { field: 'long_window' | 'factor'; reason: string }

/** Reason why a tier can never fire for an SLO, and the field that prevents it; null: it can fire. `target` in percent. */
export function refusalOf(
  { longSeconds, factor }: Pick<TierSetting, 'longSeconds' | 'factor'>,
  { time_window, target }: { time_window: SloWindow; target: number },
): Refusal | null {
  if (longSeconds > nominalSeconds(time_window)) {
    const reason = `a window of ${windowName(longSeconds)} is longer than that of the SLO, ${time_window}`
    return { field: 'long_window', reason }
  }
  if (target >= 100) return { field: 'factor', reason: 'a target of 100 leaves no budget that could burn' }
  const max = burnRate(0, target)
  if (factor < max) return null
  const reason = `with a target of ${target} the budget burns at most ${max} times as fast as it may, even when everything fails`
  return { field: 'factor', reason }
}
