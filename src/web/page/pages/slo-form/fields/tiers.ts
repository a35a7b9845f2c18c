import type { TierRule } from '../../../api/history.ts'
import { isSloWindow } from '../../../../../slos/arithmetic/window-names.ts'
import { windowName } from '../../../../../slos/arithmetic/windows.ts'
import { standardTiers } from '../../../../../slos/arithmetic/tiers.ts'

/** Standard tiers of a window in the format of the API, as initial values for custom ones; for an invalid window those of 30 days. */
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

export const standardThresholds = [50, 25, 10, 0]

/** Numbers in a text such as `50, 25`; ignores anything else. */
export function readThresholds(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== '' && Number.isFinite(Number(one)))
    .map(Number)
}
