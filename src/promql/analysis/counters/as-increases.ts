import type { Edit } from '../../print.ts'
import { constantOf, isZero, measuredRatios } from '../linear-form.ts'
import { type Expr, type Span, unwrap } from '../../syntax.ts'
import { aggregatorOf, argumentsOf, calledFunction, descendants } from '../../tree.ts'

const valuePreserving = new Set(['label_replace', 'label_join', 'sort', 'sort_desc', 'scalar'])
const proportional = new Set(['sum', 'avg', 'min', 'max', 'topk', 'bottomk', 'quantile'])

/**
 * Edits that replace `rate` by `increase` in ratios that consist only of rates and increases; over one range the quotient is
 * the same. Old versions of VictoriaMetrics divide the rate of a series by its age if that is shorter than the range, but not
 * its increase.
 */
export function increaseEdits(root: Expr | null): Edit[] {
  return [...(root ? measuredRatios(root) : [])]
    .filter(({ left, right }) => consistsOfRates(left) && consistsOfRates(right))
    .flatMap((ratio) => rateNameSpans(ratio))
    .map(({ from, to }) => ({ from, to, text: 'increase' }))
}

/** Spans of the function name in all calls of `rate`. */
export function rateNameSpans(root: Expr | null): Span[] {
  const calls = root ? [...descendants(root)].filter((expr) => calledFunction(expr) === 'rate') : []
  return calls.map(({ from }) => ({ from, to: from + 'rate'.length }))
}

/** True for a side that consists only of rates and increases and is proportional to them. */
export function consistsOfRates(side: Expr): boolean {
  const inner = unwrap(side)
  if (inner.kind === 'unary') return consistsOfRates(inner.expr)
  if (inner.kind === 'binary') {
    const { left, operator, bool, right } = inner
    if (operator === 'and' || operator === 'unless') return consistsOfRates(left) && rateNameSpans(right).length === 0
    if (operator === 'or' || operator === '+' || operator === '-') {
      return consistsOfRates(left) && (isZero(right) || consistsOfRates(right))
    }
    if (operator === '*' && constantOf(left) !== undefined) return consistsOfRates(right)
    if (operator === '*' || operator === '/') return constantOf(right) !== undefined && consistsOfRates(left)
    return !bool && isZero(right) && consistsOfRates(left)
  }
  const args = argumentsOf(inner)
  const name = calledFunction(inner)
  if (name === 'rate' || name === 'increase') return args[0] !== undefined && unwrap(args[0]).kind === 'range'
  if (!valuePreserving.has(name) && !proportional.has(aggregatorOf(inner))) return false
  const vector = args.find((argument) => constantOf(argument) === undefined)
  return vector !== undefined && consistsOfRates(vector)
}
