import type { SidePlan, SliPlan } from '../plan/plan.ts'
import type { EventKind } from '../../promql/analysis/side-kind.ts'

export type TwoSides = NonNullable<SliPlan['sides']>

/** What the two sides of a ratio add up to; `null`: no value. */
export type SideSums = { counted: number | null; total: number | null }

/**
 * What the two sums say the whole is, in the query's unit; `null` without a total, and where it is 0. A counted side
 * without any series counts as 0: nothing failed, or nothing went well.
 */
export function wholeOfSides({ counts, unit }: TwoSides, { counted, total }: SideSums): number | null {
  if (total === null || total <= 0) return null
  const share = (counted ?? 0) / total
  return (counts === 'good' ? share : 1 - share) * (unit === 'percent' ? 100 : 1)
}

/** Whether two values are the same but for rounding: the sides reproduce the whole. */
export function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b))
}

/** The sums as events over that many seconds; `null` where a side does not count events. */
export function eventsOf(
  sides: TwoSides,
  { counted, total }: SideSums,
  seconds: number,
): { good: number; total: number } | null {
  const countedEvents = asEvents(sides.counted, counted ?? 0, seconds)
  const totalEvents = asEvents(sides.total, total ?? 0, seconds)
  if (countedEvents === null || totalEvents === null) return null
  const good = sides.counts === 'good' ? countedEvents : totalEvents - countedEvents
  return { good: Math.round(good), total: Math.round(totalEvents) }
}

function asEvents({ kind }: SidePlan, value: number, seconds: number): number | null {
  if (kind === null) return null
  return kind === 'per_second' ? value * seconds : value
}

/** What values over a range are multiplied by to be the events of a step: a count is spread evenly over its range. */
export function eventScale(kind: EventKind, stepSeconds: number, rangeSeconds: number): number {
  return kind === 'per_second' ? stepSeconds : stepSeconds / rangeSeconds
}
