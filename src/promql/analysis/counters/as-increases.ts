import type { Edit } from '../../print.ts'
import { constantOf, isZero, measuredRatios } from '../linear-form.ts'
import { type Expr, type Span, unwrap } from '../../syntax.ts'
import { aggregatorOf, argumentsOf, calledBy, descendants } from '../../tree.ts'

const passing = new Set(['label_replace', 'label_join', 'sort', 'sort_desc', 'scalar'])
const proportional = new Set(['sum', 'avg', 'min', 'max', 'topk', 'bottomk', 'quantile'])

/**
 * The edits that make `increase` of every `rate` in ratios of nothing else, whose quotient is the same over one range. An old
 * VictoriaMetrics divides the rate of a series by its age where that is shorter, but not its increase.
 */
export function increaseEdits(root: Expr | null): Edit[] {
  return [...(root ? measuredRatios(root) : [])]
    .filter(({ left, right }) => isOfEvents(left) && isOfEvents(right))
    .flatMap((ratio) => rateNames(ratio))
    .map(({ from, to }) => ({ from, to, text: 'increase' }))
}

/** Where the name of `rate` stands in calls of it. */
export function rateNames(root: Expr | null): Span[] {
  const calls = root ? [...descendants(root)].filter((expr) => calledBy(expr) === 'rate') : []
  return calls.map(({ from }) => ({ from, to: from + 'rate'.length }))
}

/** Whether a side is made of rates and increases only, and grows with them in proportion. */
export function isOfEvents(side: Expr): boolean {
  const inner = unwrap(side)
  if (inner.kind === 'unary') return isOfEvents(inner.expr)
  if (inner.kind === 'binary') {
    const { left, operator, bool, right } = inner
    if (operator === 'and' || operator === 'unless') return isOfEvents(left) && rateNames(right).length === 0
    if (operator === 'or' || operator === '+' || operator === '-') {
      return isOfEvents(left) && (isZero(right) || isOfEvents(right))
    }
    if (operator === '*' && constantOf(left) !== undefined) return isOfEvents(right)
    if (operator === '*' || operator === '/') return constantOf(right) !== undefined && isOfEvents(left)
    return !bool && isZero(right) && isOfEvents(left)
  }
  const args = argumentsOf(inner)
  const name = calledBy(inner)
  if (name === 'rate' || name === 'increase') return args[0] !== undefined && unwrap(args[0]).kind === 'range'
  if (!passing.has(name) && !proportional.has(aggregatorOf(inner))) return false
  const vector = args.find((argument) => constantOf(argument) === undefined)
  return vector !== undefined && isOfEvents(vector)
}
