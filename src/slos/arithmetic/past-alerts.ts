import { allowedInWindow } from './budget.ts'
import { burnRate, isBeyondChance, sixDigits, type TierSetting } from './burn-rates.ts'
import { type RunningSums, sumBetween } from './running-sums.ts'
import { standardTiers } from './tiers.ts'
import { ratioOf, type WindowSum } from './window-sum.ts'
import { daySeconds, hourSeconds, nominalSeconds, type SloWindow } from './windows.ts'

/** Part of a tier that decides when it fires. */
export type TierRule = Omit<TierSetting, 'enabled'>

/** Time in which a tier would have fired; `endedSeconds` null: it still does. `peak`: the highest burn rate of the long window. */
export type PastAlert<T = TierRule> = { tier: T; startedSeconds: number; endedSeconds: number | null; peak: number }

const monthSeconds = 30 * daySeconds

/** Seconds before now for which alerts of an SLO are listed: its window, at most 30 days. */
export function alertSeconds(window: SloWindow): number {
  return Math.min(nominalSeconds(window), monthSeconds)
}

/**
 * Seconds before now that are needed for the alerts and the budget of an SLO. The first alerts look back by their long window,
 * which is rounded up to whole hours, so that steps of any length fit. `ownSeconds`: length of the window so far.
 */
export function lookBackSeconds(window: SloWindow, ownSeconds = nominalSeconds(window)): number {
  const longest = Math.max(0, ...standardTiers(window).map(({ longSeconds }) => longSeconds))
  return Math.max(
    nominalSeconds(window),
    ownSeconds,
    alertSeconds(window) + Math.ceil(longest / hourSeconds) * hourSeconds,
  )
}

/** `firstSeconds`: time of the first sample. Null, or not after the start of the sums: every window counts as whole. */
type AlertSearch = { targetPercent: number; fromSeconds: number; firstSeconds: number | null; countsEvents: boolean }

/**
 * Alerts of tiers since `fromSeconds`, newest first. Tiers are evaluated at the end of each step. If less than half of a window was
 * measured, the alert stays as it is. Time before the first sample burns nothing (docs/slo-math.md, "Alert tiers"). A tier whose short
 * window is shorter than a step cannot be assessed, and is left out.
 */
export function alertsOf<T extends TierRule>(
  sums: RunningSums,
  tiers: readonly T[],
  search: AlertSearch,
): PastAlert<T>[] {
  return tiers
    .filter(({ shortSeconds }) => shortSeconds >= sums.stepSeconds)
    .flatMap((tier) => episodesOf(sums, tier, search))
    .toSorted((a, b) => b.startedSeconds - a.startedSeconds)
}

/**
 * Rates this close to the factor are rounded before they are compared, as `burnRate` does; rounding all of them would take most of the
 * time.
 */
const nearRatio = 1e-5

function episodesOf<T extends TierRule>(
  sums: RunningSums,
  tier: T,
  { targetPercent, fromSeconds, firstSeconds, countsEvents }: AlertSearch,
): PastAlert<T>[] {
  const { startSeconds, stepSeconds, total } = sums
  const [longSteps, shortSteps] = [tier.longSeconds / stepSeconds, tier.shortSeconds / stepSeconds]
  const firstStep = firstSeconds === null ? 0 : (firstSeconds - startSeconds) / stepSeconds
  /** Share of a window of so many steps, 0..1, that is not before the first sample. */
  const shareOf = (end: number, count: number) =>
    firstStep > 0 ? Math.max(0, Math.min(1, (end - firstStep) / count)) : 1
  const rateOf = (ratio: number, share: number) => sixDigits(burnRate(ratio, targetPercent) * share)
  const isAbove = (ratio: number, share = 1) => {
    const rate = (share * (100 - 100 * ratio)) / (100 - targetPercent)
    if (Math.abs(rate - tier.factor) > nearRatio * tier.factor) return rate > tier.factor
    return rateOf(ratio, share) > tier.factor
  }
  const sum: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }
  /** Ratio of the `count` steps before `end`, whose sums it leaves in `sum`; 1 without traffic, null if less than half was measured. */
  const ratioBefore = (end: number, count: number, seconds: number): number | null => {
    const from = Math.max(0, Math.round(end - count))
    sum.good = (sums.good[end] ?? 0) - (sums.good[from] ?? 0)
    sum.total = (total[end] ?? 0) - (total[from] ?? 0)
    sum.coveredSeconds = (sums.covered[end] ?? 0) - (sums.covered[from] ?? 0)
    return ratioOf(sum, seconds) ?? (sum.coveredSeconds * 2 >= seconds ? 1 : null)
  }
  const alerts: PastAlert<T>[] = []
  let open: PastAlert<T> | null = null
  let worst = 0
  const first = Math.round((fromSeconds - startSeconds) / stepSeconds) + 1
  for (let end = Math.max(1, first); end < total.length; end++) {
    const share = shareOf(end, longSteps)
    const longRatio = ratioBefore(end, longSteps, tier.longSeconds * share)
    if (!open && (longRatio === null || !isAbove(longRatio, share))) continue
    const bad = sum.total - sum.good // of the long window, which was summed last
    const isTooFew =
      (countsEvents && Math.max(0, Math.round(bad)) < tier.minEvents) ||
      (share < 1 && !isBeyondChance(bad, (sum.total * (100 - targetPercent)) / 100))
    const shortRatio = shareOf(end, shortSteps) < 1 ? null : ratioBefore(end, shortSteps, tier.shortSeconds)
    const firing =
      longRatio === null || shortRatio === null ? null : !isTooFew && isAbove(longRatio, share) && isAbove(shortRatio)
    if (firing && !open) {
      open = { tier, startedSeconds: startSeconds + end * stepSeconds, endedSeconds: null, peak: 0 }
      worst = 0
      alerts.push(open)
    }
    if (firing === false && open) {
      open.endedSeconds = startSeconds + end * stepSeconds
      open = null
    }
    if (open && longRatio !== null && share * (1 - longRatio) > worst) {
      worst = share * (1 - longRatio)
      open.peak = rateOf(longRatio, share)
    }
  }
  return alerts
}

/**
 * Unix second at which the failures since the start of a window exceeded the budget that the window has at its end; null: they did not. The
 * window has `ownSeconds` and ends with the sums. `windowShare`: share of the window since the first sample, 0..1.
 */
export function exhaustedAt(
  sums: RunningSums,
  ownSeconds: number,
  { targetPercent, windowShare }: { targetPercent: number; windowShare: number },
): number | null {
  const { endSeconds, stepSeconds } = sums
  const startSeconds = endSeconds - ownSeconds
  const { total } = sumBetween(sums, startSeconds, endSeconds)
  const allowed = Math.max(allowedInWindow(total, targetPercent, windowShare), total * 1e-9)
  for (let end = startSeconds + stepSeconds; end <= endSeconds; end += stepSeconds) {
    const soFar = sumBetween(sums, startSeconds, end)
    if (soFar.total - soFar.good > allowed) return end
  }
  return null
}
