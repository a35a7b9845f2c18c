import { fullMatch } from './regex.ts'
import { unreadable, unreadablePattern } from './errors.ts'
import { type Labels, labelOf } from './labels.ts'

export type MatchOperator = '=' | '!=' | '=~' | '!~'

/** `fits` tells whether the value of the label is one that is asked for; a label that is not there is empty. */
export type Matcher = { name: string; operator: MatchOperator; value: string; fits(value: string): boolean }

export function matcher(name: string, operator: MatchOperator, value: string): Matcher {
  if (operator === '=') return { name, operator, value, fits: (text) => text === value }
  if (operator === '!=') return { name, operator, value, fits: (text) => text !== value }
  const matches = fullMatch(value, unreadablePattern(value))
  const wanted = operator === '=~'
  return { name, operator, value, fits: (text) => matches(text) === wanted }
}

export function fitsAll(matchers: readonly Matcher[], labels: Labels): boolean {
  return matchers.every(({ name, fits }) => fits(labelOf(labels, name)))
}

/** Throws where the matchers fit every series there can be. */
export function refuseAll(matchers: readonly Matcher[]) {
  if (matchers.every(({ fits }) => fits('')))
    throw unreadable('vector selector must contain at least one non-empty matcher')
}
