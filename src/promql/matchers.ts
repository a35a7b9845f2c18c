import { invalidPromql, unreadablePattern } from './errors.ts'
import { metricName } from './labels.ts'
import { nameOf, stringOf } from './literals.ts'
import { fullMatch } from './regex.ts'
import type { MatchOperator, Selector } from './syntax.ts'

/** Compiled label matcher. `fits` is true for label values that it selects; an absent label has the empty value. */
export type Matcher = { name: string; operator: MatchOperator; value: string; fits(value: string): boolean }

/** Compiles a label matcher; throws for an invalid pattern. */
export function matcher(name: string, operator: MatchOperator, value: string): Matcher {
  if (operator === '=') return { name, operator, value, fits: (text) => text === value }
  if (operator === '!=') return { name, operator, value, fits: (text) => text !== value }
  const matches = fullMatch(value, unreadablePattern(value))
  const isPositive = operator === '=~'
  return { name, operator, value, fits: (text) => matches(text) === isPositive }
}

const compiled = new WeakMap<Selector, Matcher[]>()

/** Matchers of a selector, its metric name first; throws if one is invalid or the metric name is set twice. */
export function matchersOf(selector: Selector): Matcher[] {
  return compiled.getOrInsertComputed(selector, ({ metric, matchers }) => {
    const list = matchers.map(({ label, operator, value }) =>
      matcher(label === null ? metricName : nameOf(label), operator, stringOf(value)),
    )
    if (metric === null) return list
    if (list.some(({ name }) => name === metricName)) throw invalidPromql('metric name must not be set twice')
    return [matcher(metricName, '=', metric), ...list]
  })
}
