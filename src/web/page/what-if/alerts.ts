import { burnRate, canFire, type SloWindow, type TierRule } from './tiers.ts'
import { ratioOf, type Sum, type Sums } from './sums.ts'

/**
 * A time in which a tier would have fired; `endedSeconds` null: it still fires. `peak`: the highest burn rate of the long
 * window.
 */
export type Episode = { tier: TierRule; startedSeconds: number; endedSeconds: number | null; peak: number }

type Looked = { window: SloWindow; targetPercent: number; fromSeconds: number }

/**
 * Alerts that the tiers would have raised, newest first, evaluated once a step as in the server's preview. An alert does not
 * change while less than half of a window was measured. Tiers that can never fire, or whose short window is shorter than a
 * step, are left out.
 */
export function alertsOf(
  sums: Sums,
  tiers: readonly TierRule[],
  { window, targetPercent, fromSeconds }: Looked,
): Episode[] {
  return tiers
    .filter((tier) => tier.shortSeconds >= sums.stepSeconds && canFire(tier, window, targetPercent))
    .flatMap((tier) => episodesOf(sums, tier, targetPercent, fromSeconds))
    .toSorted((a, b) => b.startedSeconds - a.startedSeconds)
}

/**
 * Relative distance from the factor within which rates are rounded before the comparison. Rounding every rate would take most
 * of the time.
 */
const near = 1e-5

function episodesOf(sums: Sums, tier: TierRule, targetPercent: number, fromSeconds: number): Episode[] {
  const { startSeconds, stepSeconds, total } = sums
  const [long, short] = [tier.longSeconds / stepSeconds, tier.shortSeconds / stepSeconds]
  const rateOf = (ratio: number) => (100 - 100 * ratio) / (100 - targetPercent)
  const isAbove = (ratio: number) => {
    const rate = rateOf(ratio)
    if (Math.abs(rate - tier.factor) > near * tier.factor) return rate > tier.factor
    return burnRate(ratio, targetPercent) > tier.factor
  }
  /**
   * Set by `ratioBefore`, which gives the good ratio of the `count` steps before `end`: 1 without traffic, null if too little
   * was measured.
   */
  const sum: Sum = { good: 0, total: 0, coveredSeconds: 0 }
  const ratioBefore = (end: number, count: number, seconds: number): number | null => {
    const from = Math.max(0, Math.round(end - count))
    sum.good = (sums.good[end] ?? 0) - (sums.good[from] ?? 0)
    sum.total = (total[end] ?? 0) - (total[from] ?? 0)
    sum.coveredSeconds = (sums.covered[end] ?? 0) - (sums.covered[from] ?? 0)
    return ratioOf(sum, seconds) ?? (sum.coveredSeconds * 2 >= seconds ? 1 : null)
  }
  const { minEvents = 0 } = tier
  const found: Episode[] = []
  let open: Episode | null = null
  let worst = 1
  const first = Math.round((fromSeconds - startSeconds) / stepSeconds) + 1
  for (let end = Math.max(1, first); end < total.length; end++) {
    const ofLong = ratioBefore(end, long, tier.longSeconds)
    if (!open && (ofLong === null || !isAbove(ofLong))) continue
    const isTooFew = sums.countsEvents && Math.max(0, Math.round(sum.total - sum.good)) < minEvents
    const ofShort = ratioBefore(end, short, tier.shortSeconds)
    const firing = ofLong === null || ofShort === null ? null : !isTooFew && isAbove(ofLong) && isAbove(ofShort)
    if (firing && !open) {
      open = { tier, startedSeconds: startSeconds + end * stepSeconds, endedSeconds: null, peak: 0 }
      worst = 1
      found.push(open)
    }
    if (firing === false && open) {
      open.endedSeconds = startSeconds + end * stepSeconds
      open = null
    }
    if (open && ofLong !== null && ofLong < worst) {
      worst = ofLong
      open.peak = burnRate(worst, targetPercent)
    }
  }
  return found
}
