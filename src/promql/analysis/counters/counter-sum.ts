import { printMatcher, printMatchers } from '../../print.ts'
import { type Expr, type Selector, unwrap, type WrittenMatcher } from '../../syntax.ts'
import { aggregatorOf, argumentsOf, calledFunction } from '../../tree.ts'
import { isZero } from '../linear-form.ts'

/**
 * Counters that one selector matches. `text` is canonical: equal for the same selector, however it is written. `metric` is
 * empty if a matcher names the metric: not every name can be written before the braces.
 */
export type Counter = { metric: string; matchers: WrittenMatcher[]; text: string }

/** Selector of a side. `isOptional`: without series it counts as 0 (`or vector(0)`). */
export type CounterTerm = { sign: 1 | -1; counter: Counter; isOptional: boolean }

/**
 * Reads a side as a sum of increases of counters; null for any other side. All series of a side are summed, so `sum by` and a
 * bare `rate` are sums too.
 */
export function counterSum(side: Expr): CounterTerm[] | null {
  const inner = unwrap(side)
  if (inner.kind === 'binary') {
    const { left, operator, right } = inner
    if (operator === 'or') {
      const terms = isZero(right) ? counterSum(left) : null
      return terms?.length === 1 ? terms.map((term) => ({ ...term, isOptional: true })) : null
    }
    if (operator !== '+' && operator !== '-') return null
    const terms = isUnlabelledSum(left) ? counterSum(left) : null
    const others = isUnlabelledSum(right) ? counterSum(right) : null
    if (!terms || !others) return null
    return [...terms, ...others.map((term) => (operator === '-' ? { ...term, sign: negated(term.sign) } : term))]
  }
  const [argument] = argumentsOf(inner).map(unwrap)
  if (aggregatorOf(inner) === 'sum') return argument && argument.kind !== 'binary' ? counterSum(argument) : null
  if (!['rate', 'increase'].includes(calledFunction(inner))) return null
  const selector = argument?.kind === 'range' ? argument.expr : undefined
  const counter = selector?.kind === 'selector' ? readCounter(selector) : null
  return counter ? [{ sign: 1, counter, isOptional: false }] : null
}

const negated = (sign: 1 | -1): 1 | -1 => (sign === 1 ? -1 : 1)

/** True for a `sum` without `by`, or `+` and `-` of such. PromQL matches operands by labels: only these are added as a whole. */
export function isUnlabelledSum(side: Expr): boolean {
  const inner = unwrap(side)
  if (inner.kind === 'binary')
    return isUnlabelledSum(inner.left) && (isZero(inner.right) || isUnlabelledSum(inner.right))
  return inner.kind === 'aggregate' && inner.operator === 'sum' && inner.grouping === null
}

function readCounter(selector: Selector): Counter | null {
  if (selector.matchers.some(({ label }) => label === null)) return null // a metric whose name needs quotes
  const metric = selector.metric ?? ''
  const matchers = selector.matchers.toSorted((a, b) => (printMatcher(a) < printMatcher(b) ? -1 : 1))
  const names = matchers.filter(({ label }) => label === '__name__')
  // Arithmetic ignores metric names: series of several metrics would match each other's earlier values.
  if (names.some(({ operator }) => operator !== '=') || names.length !== (metric ? 0 : 1)) return null
  return { metric, matchers, text: metric + printMatchers(matchers) }
}
