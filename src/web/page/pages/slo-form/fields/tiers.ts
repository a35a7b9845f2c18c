import type { TierRule } from '../../../api/history.ts'
import { isSloWindow } from '../../../../../slos/arithmetic/window-names.ts'
import { windowName } from '../../../../../slos/arithmetic/windows.ts'
import { standardTiers } from '../../../../../slos/arithmetic/tiers.ts'

/** Standard burn-rate tiers of an SLO window in the format of the API: initial values for custom tiers. For an invalid window, tiers of 30 days. */
export function tiersToBeginWith(window: string): TierRule[] {
  return standardTiers(isSloWindow(window) ? window : '30d').map(({ severity, longSeconds, shortSeconds, factor }) => ({
    severity,
    long_window: windowName(longSeconds),
    short_window: windowName(shortSeconds),
    factor: Number(factor.toFixed(6)),
    min_events: 0,
    enabled: true,
  }))
}

/** Percentages of remaining budget at which an SLO notifies by default. */
export const standardThresholds = [50, 25, 10, 0]

/** Numbers in a text such as `50, 25`; ignores anything else. */
export function readThresholds(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== '' && Number.isFinite(Number(one)))
    .map(Number)
}
