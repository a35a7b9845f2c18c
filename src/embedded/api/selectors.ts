import { AppError } from '../../errors.ts'
import { parsePromql } from '../../promql/check.ts'
import { type Matcher, matchersOf } from '../../promql/matchers.ts'
import { maxGivenCharacters, readPromql } from '../../promql/read.ts'
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
    const expr = parsePromql(text, maxGivenCharacters)
    if (expr.kind === 'selector') return matchersOf(expr)
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'invalid')) throw error
    throw badParameter('match[]', error.details ?? error.message, error)
  }
  throw noSelector(text)
}

/** Throws for what is no series selector, whatever its patterns: who selects by them reads them, which may take long. */
export function assertSelector(text: string): void {
  const { root, problem } = readPromql(text)
  if (problem) {
    throw badParameter('match[]', `parse error at character ${problem.position + 1}: ${problem.message}`)
  }
  if (root?.kind !== 'selector') throw noSelector(text)
  if (root.metric === null && root.matchers.length === 0)
    throw badParameter('match[]', 'must have at least one matcher')
}

function noSelector(text: string): AppError {
  return badParameter('match[]', `must be a series selector, not “${text}”`)
}
