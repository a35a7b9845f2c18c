import { elapsedSeconds } from '../../slo/own-window.ts'
import type { Budget } from '../../api/types.ts'
import { shareSince } from '../../../../slos/arithmetic/reach.ts'

const exactMs = 60_000

/**
 * Time in milliseconds by which the budget of another target would have been used up, from the burn-down of the SLO's own
 * target. Null if budget would remain, if that is unknown, or if a target is 100. `isExact`: the time is exact to the minute,
 * or the target is the own one, whose exhaustion is a point of the burn-down.
 */
export function exhaustedSince(
  points: Budget['burn_down'],
  ownTarget: number,
  target: number,
): { atMs: number; isExact: boolean } | null {
  if (ownTarget >= 100 || target >= 100) return null
  // percent of the own budget that remain when the budget of `target` is used up
  const min = 100 - (100 * (100 - target)) / (100 - ownTarget)
  const lastWithin = points.findLastIndex(({ remaining_percent: left }) => left === null || left > min)
  const firstWithout = points[lastWithin + 1]
  if (!firstWithout) return null
  const atMs = Date.parse(firstWithout.timestamp)
  const previous = points[lastWithin]
  const isExact = target === ownTarget || (previous !== undefined && atMs - Date.parse(previous.timestamp) <= exactMs)
  return { atMs, isExact }
}

type Measured = Pick<
  Budget,
  'error_budget' | 'first_sample_at' | 'measured_at' | 'target' | 'window_seconds' | 'period'
>

/** Share of the window since the first sample, 0 to 1, by which the budget of any target is scaled; null: not known. */
export function shareOf(budget: Measured): number | null {
  const { error_budget, first_sample_at, measured_at, target, window_seconds } = budget
  const { percentage_used: used, window_percent_used: ofWindow } = error_budget
  if (ofWindow === null) return null
  if (used && target < 100) return ofWindow / used
  const firstSeconds = first_sample_at === null ? null : Date.parse(first_sample_at) / 1000
  const elapsed = elapsedSeconds(budget)
  const share = shareSince(firstSeconds, Date.parse(measured_at ?? '') / 1000, elapsed)
  return share && (share * elapsed) / window_seconds
}

/** Events of the whole window that may fail, if the traffic stays as it is, whether any has failed or not. */
export function allowedEvents(budget: Measured & Pick<Budget, 'events'>): number {
  return (budget.events?.allowed_bad ?? 0) / (shareOf(budget) || 1)
}
