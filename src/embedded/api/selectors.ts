import { AppError } from '../../errors.ts'
import { parsePromql } from '../../promql/check.ts'
import { type Matcher, matchersOf } from '../../promql/matchers.ts'
import { badData, badParameter } from './bad-data.ts'
import type { Parameters } from './parameters.ts'

/** Each goes over every series there is, at worst. */
const maxSelectors = 100

/** The texts of `match[]`; throws for too many. */
export function selectorsOf(parameters: Parameters): string[] {
  const selectors = parameters.getAll('match[]')
  if (selectors.length > maxSelectors) throw badParameter('match[]', `must be at most ${maxSelectors}`)
  return selectors
}

/** Throws where there is none: for `/series`. */
export function assertSelected(parameters: Parameters): void {
  if (!parameters.has('match[]')) throw badData('no match[] parameter provided')
}

/** The matchers of a series selector; throws for what is none. */
export function readSelector(text: string): Matcher[] {
  try {
    const expr = parsePromql(text)
    if (expr.kind === 'selector') return matchersOf(expr)
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'invalid')) throw error
    throw badParameter('match[]', error.details ?? error.message, error)
  }
  throw badParameter('match[]', `must be a series selector, not “${text}”`)
}
