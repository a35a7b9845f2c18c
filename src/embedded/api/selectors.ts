import { AppError } from '../../errors.ts'
import { parsePromql } from '../../promql/check.ts'
import { type Matcher, matchersOf } from '../../promql/matchers.ts'
import { maxGivenCharacters, readPromql } from '../../promql/read.ts'
import { badData, badParameter } from './bad-data.ts'
import type { Parameters } from './parameters.ts'

/** Bounded, because each selector may have to test every series. */
const maxSelectors = 100

/** Selectors in `match[]`, not parsed. Throws if there are too many. */
export function selectorsOf(parameters: Parameters): string[] {
  const selectors = parameters.getAll('match[]')
  if (selectors.length > maxSelectors) throw badParameter('match[]', `must be at most ${maxSelectors}`)
  return selectors
}

/** Throws if there is no `match[]`, which `/series` requires. */
export function assertSelected(parameters: Parameters): void {
  if (!parameters.has('match[]')) throw badData('no match[] parameter provided')
}

/** Parses a series selector and returns its matchers. Throws if the text is not one. */
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

/**
 * Throws if a text is not a series selector. Does not compile its regexes, which may take long: the source that evaluates the
 * selector does.
 */
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
