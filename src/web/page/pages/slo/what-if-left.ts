import type { Budget } from '../../api/types.ts'

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
