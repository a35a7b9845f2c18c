import type { Budget } from '../../api/types.ts'

const exactMs = 60_000

/**
 * By when, in milliseconds, the budget of another target would have been used up, as the burn-down of an SLO's own one knows it;
 * null where some would be left, or that is not known. `isExact`: it was not before the minute that ends then; so it is for the
 * own target, whose moment is a point of the burn-down.
 */
export function goneSince(
  points: Budget['burn_down'],
  ownTarget: number,
  target: number,
): { atMs: number; isExact: boolean } | null {
  if (ownTarget >= 100 || target >= 100) return null
  const least = 100 - (100 * (100 - target)) / (100 - ownTarget) // of its own budget, where the other one is used up
  const lastWithin = points.findLastIndex(({ remaining_percent: left }) => left === null || left > least)
  const since = points[lastWithin + 1]
  if (!since) return null
  const atMs = Date.parse(since.timestamp)
  const before = points[lastWithin]
  const isExact = target === ownTarget || (before !== undefined && atMs - Date.parse(before.timestamp) <= exactMs)
  return { atMs, isExact }
}
