import type { SeriesPoint, Tier } from '../api/types.ts'

export type BurnState = 'burning' | 'recovering' | 'rising' | 'calm'

/** How a tier stands, by its two burn rates and its threshold. */
export function burnState({ long_burn_rate: long, short_burn_rate: short, factor }: Tier): BurnState {
  const isLong = (long ?? 0) > factor
  const isShort = (short ?? 0) > factor
  if (isLong && isShort) return 'burning'
  if (isLong) return 'recovering'
  return isShort ? 'rising' : 'calm'
}

/** The tier that says most of the present: a firing one first, then the one nearest to its threshold. */
export function leadingTier(tiers: readonly Tier[]): Tier | undefined {
  const ranks: Record<BurnState, number> = { burning: 0, rising: 1, recovering: 2, calm: 3 }
  return tiers
    .filter(({ enabled, long_burn_rate }) => enabled && long_burn_rate !== null)
    .toSorted((a, b) => ranks[burnState(a)] - ranks[burnState(b)] || nearness(b) - nearness(a))[0]
}

function nearness({ long_burn_rate, factor }: Tier): number {
  return (long_burn_rate ?? 0) / factor
}

/** Seconds of a window as the API writes it: `30d` is 2,592,000. NaN for what is none. */
export function windowSeconds(window: string): number {
  const [, n, unit] = /^(\d+)(s|m|h|d|w)$/.exec(window) ?? []
  const size = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit as 's']
  return Number(n) * (size ?? Number.NaN)
}

/**
 * The burn rate over a trailing window at each point: the share that failed in the points of the window, over the share that
 * may fail (Google, "The Site Reliability Workbook", chapter 5). Points without data count as nothing; null where there is
 * none in the window, or the window is not two points long. Where a point has no counts, its time is what counts.
 */
export function burnOver(
  points: readonly SeriesPoint[],
  {
    stepSeconds,
    windowSeconds: window,
    targetPercent,
  }: { stepSeconds: number; windowSeconds: number; targetPercent: number },
): (number | null)[] {
  const span = Math.round(window / stepSeconds)
  const allowed = 1 - targetPercent / 100
  if (span < 2 || allowed <= 0) return points.map(() => null)
  let bad = 0
  let total = 0
  const weights = points.map(({ sli, good, total, coverage }) => {
    if (sli === null) return { bad: 0, total: 0 }
    if (good !== null && total !== null) return { bad: total - good, total }
    return { bad: coverage * (1 - sli / 100), total: coverage }
  })
  return weights.map((weight, at) => {
    bad += weight.bad
    total += weight.total
    const left = weights[at - span]
    if (left) {
      bad -= left.bad
      total -= left.total
    }
    return at + 1 >= span && total > 1e-9 ? Math.max(0, bad / total / allowed) : null
  })
}
