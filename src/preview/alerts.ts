import { burnRateOfWindow, readTier, type Tier } from '../slos/arithmetic/burn-rates.ts'
import { sliOfSum } from '../ledger/window-sums.ts'
import type { Past } from './past.ts'

/** A time in which a tier would have fired; `endedSeconds` null: it still does. `peak`: the highest rate of the long window. */
export type Episode = { tier: Tier; startedSeconds: number; endedSeconds: number | null; peak: number }

type Window = { startSeconds: number; endSeconds: number }

/**
 * The alerts of some tiers, newest first, looked at once a step. A window of which less than half was measured leaves an
 * alert as it is. A tier whose short window is shorter than a step of the past cannot be assessed by it.
 */
export function alertsOf(past: Past, tiers: Tier[], targetPercent: number, within: Window): Episode[] {
  const rateOver = (seconds: number, end: number) =>
    burnRateOfWindow(sliOfSum(past.sum(end - seconds, end), seconds), targetPercent)
  const episodes = tiers.flatMap((tier) => {
    const found: Episode[] = []
    let open: Episode | null = null
    for (let end = within.startSeconds + past.stepSeconds; end <= within.endSeconds; end += past.stepSeconds) {
      const long = rateOver(tier.longSeconds, end)
      const firing = readTier(tier, { rate: long, badEvents: null }, rateOver(tier.shortSeconds, end))
      if (firing && !open) {
        open = { tier, startedSeconds: end, endedSeconds: null, peak: 0 }
        found.push(open)
      }
      if (firing === false && open) {
        open.endedSeconds = end
        open = null
      }
      if (open) open.peak = Math.max(open.peak, long ?? 0)
    }
    return found
  })
  return episodes.toSorted((a, b) => b.startedSeconds - a.startedSeconds)
}

/** When a window, counted from its start, had spent the whole budget it has by its end; null: it had not. */
export function exhaustedAt(past: Past, targetPercent: number, { startSeconds, endSeconds }: Window): number | null {
  const { total } = past.sum(startSeconds, endSeconds)
  const allowed = (total * (100 - targetPercent)) / 100
  const dust = total * 1e-9
  for (let end = startSeconds + past.stepSeconds; end <= endSeconds; end += past.stepSeconds) {
    const soFar = past.sum(startSeconds, end)
    if (soFar.total - soFar.good > Math.max(allowed, dust)) return end
  }
  return null
}
