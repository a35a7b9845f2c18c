import type { TierRule as SetTier } from '../api/history.ts'
import { windowSeconds } from '../charts/burn.ts'

/**
 * A burn-rate tier. It fires while the burn rates of both windows are above its factor, and at least `minEvents` failed in the
 * long window.
 */
export type TierRule = {
  severity: 'page' | 'ticket'
  longSeconds: number
  shortSeconds: number
  factor: number
  minEvents?: number
}

/** Windows that an SLO may have, the shortest first. */
export const sloWindows = ['1h', '24h', '7d', '30d', '90d'] as const
export type SloWindow = (typeof sloWindows)[number]

const hour = 3600
const day = 24 * hour

type Row = Omit<TierRule, 'factor'> & { budgetPercent: number }

const rows: Row[] = [
  { severity: 'page', longSeconds: hour, shortSeconds: 300, budgetPercent: 2 },
  { severity: 'page', longSeconds: 6 * hour, shortSeconds: 1800, budgetPercent: 5 },
  { severity: 'ticket', longSeconds: day, shortSeconds: 2 * hour, budgetPercent: 10 },
  { severity: 'ticket', longSeconds: 3 * day, shortSeconds: 6 * hour, budgetPercent: 10 },
]

/** Standard tiers of a window, the fastest first: docs/slo-math.md, "Alert tiers". */
export function standardTiers(window: SloWindow): TierRule[] {
  const seconds = windowSeconds(window)
  const ownPair: Row = {
    severity: 'page',
    longSeconds: seconds / 12,
    shortSeconds: Math.max(60, seconds / 144),
    budgetPercent: 25,
  }
  return (seconds < 7 * day ? [ownPair] : rows)
    .map(({ budgetPercent, ...row }) => ({ ...row, factor: (budgetPercent * seconds) / (100 * row.longSeconds) }))
    .filter(({ factor }) => factor >= 1)
}

/** Enabled tiers of an SLO; null: the standard ones of its window. */
export function readTiers(tiers: readonly SetTier[] | null, window: SloWindow): TierRule[] {
  if (tiers === null) return standardTiers(window)
  return tiers
    .filter(({ enabled }) => enabled)
    .map(({ severity, long_window, short_window, factor, min_events }) => ({
      severity: severity === 'page' ? 'page' : 'ticket',
      longSeconds: windowSeconds(long_window),
      shortSeconds: windowSeconds(short_window),
      factor,
      minEvents: min_events,
    }))
}

/**
 * History that a preview of a window needs, in seconds: the window itself, or the time of its alerts and, in whole hours, the
 * longest tier window before that.
 */
export function lookBackSeconds(window: SloWindow): number {
  const longest = Math.max(0, ...standardTiers(window).map(({ longSeconds }) => longSeconds))
  return Math.max(windowSeconds(window), alertSeconds(window) + Math.ceil(longest / hour) * hour)
}

/** Time for which alerts of a window are listed, in seconds. */
export function alertSeconds(window: SloWindow): number {
  return Math.min(windowSeconds(window), 30 * day)
}

/** True if a tier can fire: its long window is within the SLO's window, and total failure exceeds its factor. */
export function canFire({ longSeconds, factor }: TierRule, window: SloWindow, targetPercent: number): boolean {
  if (longSeconds > windowSeconds(window) || targetPercent >= 100) return false
  return factor < burnRate(0, targetPercent)
}

/** Burn rate: how many times faster than allowed the budget is used, to 6 digits; `sliRatio` from 0 to 1. */
export function burnRate(sliRatio: number, targetPercent: number): number {
  if (sliRatio === 1) return 0
  return Number(((100 - 100 * sliRatio) / (100 - targetPercent)).toPrecision(6))
}
