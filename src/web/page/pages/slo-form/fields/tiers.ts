import type { TierRule } from '../../../api/history.ts'

const rows = [
  { severity: 'page', hours: 1, short: '5m', percent: 2 },
  { severity: 'page', hours: 6, short: '30m', percent: 5 },
  { severity: 'ticket', hours: 24, short: '2h', percent: 10 },
  { severity: 'ticket', hours: 72, short: '6h', percent: 10 },
] as const

const hoursOf: Record<string, number> = { '7d': 168, '30d': 720, '90d': 2160 }
const ownTier = { severity: 'page', factor: 3, min_events: 0, enabled: true } as const

/** The standard tiers of a window, to begin others with. Rule: docs/slo-math.md, "Alert tiers". */
export function standardTiers(window: string): TierRule[] {
  if (window === '1h') return [{ ...ownTier, long_window: '5m', short_window: '1m' }]
  if (window === '24h') return [{ ...ownTier, long_window: '2h', short_window: '10m' }]
  const windowHours = hoursOf[window] ?? 720
  return rows
    .map(({ severity, hours, short, percent }) => ({
      severity,
      long_window: `${hours}h`,
      short_window: short,
      factor: Number(((percent * windowHours) / (100 * hours)).toFixed(6)),
      min_events: 0,
      enabled: true,
    }))
    .filter(({ factor }) => factor >= 1)
}

export const standardThresholds = [50, 25, 10, 0]

/** Numbers that were typed, as in `50, 25`; what is no number is left out. */
export function readThresholds(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== '' && Number.isFinite(Number(one)))
    .map(Number)
}
