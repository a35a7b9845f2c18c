import { isCalendarWindow, nominalSeconds } from '../../../slos/arithmetic/windows.ts'
import type { SeriesPoint, Tier } from '../api/types.ts'

type Rates = Pick<Tier, 'long_burn_rate' | 'short_burn_rate' | 'factor'>

/** True if both burn rates of a tier are over its threshold. */
export function isOver({ long_burn_rate: long, short_burn_rate: short, factor }: Rates): boolean {
  return (long ?? 0) > factor && (short ?? 0) > factor
}

/** Tier that best describes the present: a firing one first, then the one nearest to its threshold. */
export function leadingTier<T extends Rates & Pick<Tier, 'enabled'>>(tiers: readonly T[]): T | undefined {
  return tiers
    .filter(({ enabled, long_burn_rate }) => enabled && long_burn_rate !== null)
    .toSorted((a, b) => Number(isOver(b)) - Number(isOver(a)) || nearness(b) - nearness(a))[0]
}

function nearness({ long_burn_rate, factor }: Rates): number {
  return (long_burn_rate ?? 0) / factor
}

/** Seconds of a window as the API writes it: `30d` gives 2,592,000, `month` as many; NaN if it is not a window. */
export function windowSeconds(window: string): number {
  if (isCalendarWindow(window)) return nominalSeconds(window)
  const [, n, unit] = /^(\d+)(s|m|h|d|w)$/.exec(window) ?? []
  const size = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit as 's']
  return Number(n) * (size ?? Number.NaN)
}

type Counted = Pick<SeriesPoint, 'timestamp' | 'sli' | 'good' | 'total'>

/** `firstMs`: the first sample of the SLO; NaN: not known. */
type BurnWindow = { stepSeconds: number; windowSeconds: number; targetPercent: number; firstMs: number }

/**
 * Burn rate over a trailing window at each point: the share that failed in the points of the window, divided by the share that
 * may fail (Google, "The Site Reliability Workbook", chapter 5). Time before the first sample burns nothing, as for tiers
 * (docs/slo-math.md, "Alert tiers"); later points without data add nothing. Null before the points fill the window, if
 * none of its points has data, for a window shorter than two points, and for a target of 100. If the SLO counts time, the counts are seconds.
 */
export function burnOver(
  points: readonly Counted[],
  { stepSeconds, windowSeconds: window, targetPercent, firstMs }: BurnWindow,
): (number | null)[] {
  const span = Math.round(window / stepSeconds)
  const allowed = 1 - targetPercent / 100
  if (span < 2 || allowed <= 0) return points.map(() => null)
  let bad = 0
  let total = 0
  const weights = points.map(({ sli, good, total }) =>
    sli === null ? { bad: 0, total: 0 } : { bad: total - good, total },
  )
  const stepMs = 1000 * stepSeconds
  const measuredMs = Date.parse(points.find(({ sli }) => sli !== null)?.timestamp ?? '')
  const startMs = measuredMs + stepMs <= firstMs ? measuredMs : firstMs // it may have been measured by an earlier revision
  return weights.map((weight, at) => {
    bad += weight.bad
    total += weight.total
    const leaving = weights[at - span]
    if (leaving) {
      bad -= leaving.bad
      total -= leaving.total
    }
    if (at + 1 < span || total <= 1e-9) return null
    const existingMs = Date.parse(points[at]?.timestamp ?? '') + stepMs - startMs
    const share = Number.isNaN(startMs) ? 1 : Math.min(1, existingMs / (1000 * window))
    return Math.max(0, (bad / total / allowed) * share)
  })
}
