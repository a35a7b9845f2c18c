import { unlessDiskRefuses } from '../db/failures/disk-failure.ts'
import type { Database } from '../db/open.ts'
import type { QueryUnit, SloRow } from '../db/tables/tables.ts'
import type { EventKind } from '../promql/analysis/side-kind.ts'
import {
  assess,
  type ErrorBudget,
  errorBudget,
  type Status,
  round10,
  type WindowBudget,
} from '../slos/arithmetic/budget.ts'
import type { SloWindow } from '../slos/arithmetic/windows.ts'
import { storeInferredUnit } from '../slos/store.ts'
import { presentWindowBudget } from './model.ts'
import type { SidePlan, SliPlan, WindowMethod } from './plan/plan.ts'

/** Reason why there is no SLI. `unknown_member`: nothing is known of a member of a composite. */
export type UnknownReason =
  'no_data' | 'no_traffic' | 'not_a_number' | 'out_of_range' | 'not_a_ratio' | 'unknown_member'

export type Unknown = { reason: UnknownReason; message: string }

/** SLI in percent, or the reason why there is none. */
export type Sli = { percent: number } | Unknown

export type SliUnit = 'ratio' | 'percent'

/**
 * Value over a window, in the unit of the query, or the reason why there is none. `largest`: the largest value within the window,
 * from which the unit is inferred.
 */
export type Measurement = {
  result: { value: number; largest: number } | Unknown
  method: WindowMethod | 'as_stored'
  expression: string
  /** Events in the window; `null` if the query does not count events. */
  counts: { good: number; total: number } | null
  /** Share of the window with data, 0..1; `null` if it was not queried. */
  coverageRatio: number | null
  notes: string[]
}

type Values = Pick<Measurement, 'result'>

export const noData: Unknown = {
  reason: 'no_data',
  message: 'The source has no data for this query in the window.',
}

export const noCommonLabels: Unknown = {
  reason: 'no_data',
  message:
    'Both sides of the query have values, but no labels in common: aggregate both in the same way, as with sum().',
}

export const noTraffic: Unknown = {
  reason: 'no_traffic',
  message: 'Nothing was counted in the window: 0 of 0 events.',
}

export function notANumber(description: string): Unknown {
  return { reason: 'not_a_number', message: `The query answered with ${description}, not with a number.` }
}

/** Note on a measurement of several series that are no parts of a sum. */
export function severalSeries(count: number): string {
  return `${count} series; aggregate them`
}

export type TwoSides = NonNullable<SliPlan['sides']>

/** Sums of the two sides of a ratio; `null`: no value. */
export type SideSums = { counted: number | null; total: number | null }

/**
 * Value of the whole from the two sums, in the query's unit; `null` if the total is missing or 0. A counted side without series
 * counts as 0: nothing failed, or nothing was good.
 */
export function valueOfSides({ counts, unit }: TwoSides, { counted, total }: SideSums): number | null {
  if (total === null || total <= 0) return null
  const share = (counted ?? 0) / total
  return (counts === 'good' ? share : 1 - share) * (unit === 'percent' ? 100 : 1)
}

/** True if two values are equal except for rounding: the sides reproduce the whole. */
export function isNearlyEqual(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b))
}

/** Good and total events over `seconds`, from the sums; `null` if a side does not count events. */
export function eventsOf(sides: TwoSides, { counted, total }: SideSums, seconds: number): Measurement['counts'] {
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

/** Factor that turns values over a range into the events of a step: a count is spread evenly over its range. */
export function eventScale(kind: EventKind, stepSeconds: number, rangeSeconds: number): number {
  return kind === 'per_second' ? stepSeconds : stepSeconds / rangeSeconds
}

type UnitSources = { configured: QueryUnit; byText: SliUnit | null; inferred: SliUnit | null }

/**
 * Unit of a query's values: the configured one, or the one in its text, or the one inferred before, or by the largest of these
 * values (above 1.05: percent). `null` while all are 0, which is 0 in both units. Rule: docs/slo-math.md, "Unit".
 */
export function unitOf({ configured, byText, inferred }: UnitSources, values: Values[]): SliUnit | null {
  if (configured !== 'auto') return configured
  if (byText ?? inferred) return byText ?? inferred
  const largest = Math.max(...values.map(({ result }) => ('value' in result ? result.largest : 0)))
  if (largest <= 0) return null
  return largest > 1.05 ? 'percent' : 'ratio'
}

type UnitOfSlo = Pick<SloRow, 'query_unit' | 'inferred_unit'>

/** `unitOf` for the values of a plan. */
export function unitOfPlan(plan: SliPlan, slo: UnitOfSlo, values: Values[]): SliUnit | null {
  if (plan.isAssessed) return 'ratio'
  return unitOf({ configured: slo.query_unit, byText: plan.unitByText, inferred: slo.inferred_unit }, values)
}

/** Runs `unitOfPlan`, and stores the unit the first time that the values decide it. */
export async function inferUnit(db: Database, slo: SloRow, plan: SliPlan, values: Values[]): Promise<SliUnit | null> {
  const unit = unitOfPlan(plan, slo, values)
  const isToBeInferred = slo.inferred_unit === null && slo.query_unit === 'auto' && plan.unitByText === null
  if (unit === null || !isToBeInferred) return unit
  return unlessDiskRefuses(() => storeInferredUnit(db.write, slo, unit), unit)
}

/** Tolerance: up to 5 % out of range is rounding between series scraped at different times; beyond, it is no SLI. */
const tolerance = 0.05

/**
 * Converts a value in its unit to an SLI. `countsFailures`: the value was computed from failures, which may slightly exceed the total:
 * the SLI is then 0.
 */
export function sliOf({ result }: Values, unit: SliUnit | null, countsFailures: boolean): Sli {
  if ('reason' in result) return result
  const top = unit === 'percent' ? 100 : 1
  const ratio = result.value / top
  if (ratio > 1 + tolerance || ratio < (countsFailures ? -tolerance : -1e-9)) {
    const message = `The query answered ${round10(result.value)}, which is not between 0 and ${top}.`
    return { reason: 'out_of_range', message }
  }
  return { percent: Math.min(1, Math.max(0, ratio)) * 100 }
}

export function percentOf(sli: Sli): number | null {
  return 'percent' in sli ? sli.percent : null
}

/** Assessment of an SLO from two windows: `current` is compared with the target, `own` (the SLO's window) gives the budget. */
export type Assessments = { current: Sli; own: Sli; budget: ErrorBudget; status: Status }

type Target = { plan: SliPlan; unit: SliUnit | null; targetPercent: number }

/** Assesses an SLO from the measurements of two windows. Rules: docs/slo-math.md, "Budget" and "Status". */
export function assessWindows({ plan, unit, targetPercent }: Target, current: Values, own: Values): Assessments {
  const countsFailures = plan.sides?.counts === 'bad'
  const [currentSli, ownSli] = [sliOf(current, unit, countsFailures), sliOf(own, unit, countsFailures)]
  const budget = errorBudget(percentOf(ownSli), targetPercent)
  const status = assess(percentOf(currentSli), targetPercent, budget.percentageUsed)
  return { current: currentSli, own: ownSli, budget, status }
}

/** Error budget in the shape of responses. `ofWindow`: the same of the whole window. */
export function presentBudget(
  window: SloWindow,
  { total, used, remaining, percentageUsed }: ErrorBudget,
  ofWindow: WindowBudget,
) {
  return {
    time_window: window,
    total,
    used,
    remaining,
    percentage_used: percentageUsed,
    ...presentWindowBudget(ofWindow),
  }
}

export function presentCounts(counts: Measurement['counts'], windowSeconds: number) {
  return counts && { good_events: counts.good, total_events: counts.total, window_seconds: windowSeconds }
}
