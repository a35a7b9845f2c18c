import type { Budget } from '../../api/types.ts'

/** What is left of a budget in percent, of a target in percent, both over the same window; null where there is no budget. */
export function leftWith(sliPercent: number, targetPercent: number): number | null {
  return targetPercent >= 100 ? null : 100 - ((100 - sliPercent) / (100 - targetPercent)) * 100
}

/**
 * Since when, in milliseconds, the budget of another target would have been used up, by the burn-down of an SLO's own one;
 * null where some would be left, or that is not known.
 */
export function goneSince(points: Budget['burn_down'], ownTarget: number, target: number): number | null {
  if (ownTarget >= 100 || target >= 100) return null
  const least = 100 - (100 * (100 - target)) / (100 - ownTarget) // of its own budget, where the other one is used up
  const lastWithin = points.findLastIndex(({ remaining_percent: left }) => left === null || left > least)
  const since = points[lastWithin + 1]
  return since ? Date.parse(since.timestamp) : null
}
