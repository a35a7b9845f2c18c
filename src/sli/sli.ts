import type { QueryUnit } from '../db/tables/tables.ts'
import { tidy } from '../slos/arithmetic/budget.ts'
import type { Measured, Unknown } from './measure/measured.ts'

export type SliUnit = 'ratio' | 'percent'

/** The SLI in percent, or why there is none. */
export type Sli = { percent: number } | Unknown

type Values = Pick<Measured, 'result'>
type UnitFacts = { wanted: QueryUnit; byText: SliUnit | null; inferred: SliUnit | null }

/**
 * The unit of a query's values: what its owner says, else its text, else what was inferred before, else the largest value
 * now measured (above 1.05: percent). `null` while there is nothing to tell by: 0 is 0 in either.
 * Rule: docs/slo-math.md, "Unit".
 */
export function unitOf({ wanted, byText, inferred }: UnitFacts, measured: Values[]): SliUnit | null {
  if (wanted !== 'auto') return wanted
  if (byText ?? inferred) return byText ?? inferred
  const largest = Math.max(...measured.map(({ result }) => ('value' in result ? result.largest : 0)))
  if (largest <= 0) return null
  return largest > 1.05 ? 'percent' : 'ratio'
}

/** A value up to 5 % outside of what is possible is rounding between series scraped apart; beyond, it is no SLI. */
const slack = 0.05

/** Reads a measured value in its unit. The failing share, too, may exceed the whole a little: then the SLI is 0. */
export function sliOf({ result }: Values, unit: SliUnit | null, failingShare: boolean): Sli {
  if ('reason' in result) return result
  const top = unit === 'percent' ? 100 : 1
  const ratio = result.value / top
  if (ratio > 1 + slack || ratio < (failingShare ? -slack : -1e-9)) {
    const message = `The query answered ${tidy(result.value)}, which is not between 0 and ${top}.`
    return { reason: 'out_of_range', message }
  }
  return { percent: Math.min(1, Math.max(0, ratio)) * 100 }
}
