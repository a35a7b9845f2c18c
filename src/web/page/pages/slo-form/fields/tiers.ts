import type { TierRule } from '../../../api/history.ts'
import type { SloWindow } from '../../../../../slos/arithmetic/windows.ts'
import { standardTiers } from '../../../../../slos/arithmetic/tiers.ts'

/** Standard tiers of a window in the format of the API, as initial values for custom ones. */
export function tiersToBeginWith(window: string): TierRule[] {
  return standardTiers(window as SloWindow).map(({ severity, longSeconds, shortSeconds, factor }) => ({
    severity,
    long_window: nameOf(longSeconds),
    short_window: nameOf(shortSeconds),
    factor: Number(factor.toFixed(6)),
    min_events: 0,
    enabled: true,
  }))
}

function nameOf(seconds: number): string {
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}

export const standardThresholds = [50, 25, 10, 0]

/** Typed numbers, as in `50, 25`; other text is left out. */
export function readThresholds(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== '' && Number.isFinite(Number(one)))
    .map(Number)
}
