import type { TierRule } from '../../../slos/arithmetic/past-alerts.ts'
import { refusalOf, standardTiers } from '../../../slos/arithmetic/tiers.ts'
import type { SloWindow } from '../../../slos/arithmetic/windows.ts'
import type { TierRule as ApiTierRule } from '../api/history.ts'
import { windowSeconds } from '../slo/burn.ts'

/** Enabled tiers of an SLO; null: the standard ones of its window. */
export function readTiers(tiers: readonly ApiTierRule[] | null, window: SloWindow): TierRule[] {
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

/** True if a tier can fire for an SLO of this window and target, in percent. */
export function canFire(tier: TierRule, window: SloWindow, targetPercent: number): boolean {
  return refusalOf(tier, { time_window: window, target: targetPercent }) === null
}
