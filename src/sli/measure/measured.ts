import type { WindowMethod } from '../plan/plan.ts'

/** Why there is no value. */
export type UnknownReason = 'no_data' | 'no_traffic' | 'not_a_number' | 'out_of_range' | 'not_a_ratio'

export type Unknown = { reason: UnknownReason; message: string }

/** A value over a window, in the unit of the query (a ratio or a percentage), or the reason why there is none. */
export type Measured = {
  result: { value: number; largest: number } | Unknown
  method: WindowMethod | 'as_stored'
  expression: string
  /** Events in the window; `null` where the query does not count any. */
  counts: { good: number; total: number } | null
  /** The share of the window with data, 0..1; `null` where it was not asked for. */
  coverageRatio: number | null
  notes: string[]
}

/** `(end - window, end]`, and what is wanted of it besides the value. */
export type WindowOptions = { windowSeconds: number; endSeconds: number; withCounts: boolean; withCoverage: boolean }

export const noData: Unknown = {
  reason: 'no_data',
  message: 'The source has no data for this query in the window.',
}

export const noCommonLabels: Unknown = {
  reason: 'no_data',
  message:
    'Both sides of the query have values, but no labels in common: aggregate both in the same way, as with sum().',
}

export const groupsLeftOut =
  'Some series of the total have none in what is counted, and would be left out: it is measured as the quotient of the sums. ' +
  'Put sum(…) around both sides.'

export const noTraffic: Unknown = {
  reason: 'no_traffic',
  message: 'Nothing was counted in the window: 0 of 0 events.',
}

export function notANumber(what: string): Unknown {
  return { reason: 'not_a_number', message: `The query answered with ${what}, not with a number.` }
}

export function severalSeries(count: number): string {
  return `${count} series; aggregate them`
}
