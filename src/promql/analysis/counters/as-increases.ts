import type { Edit } from '../expression-edits.ts'
import { constantOf, isZero } from '../linear-form.ts'
import { measuredRatios } from '../ratios.ts'
import {
  aggregationName,
  binaryParts,
  callArguments,
  descendants,
  functionName,
  type PromqlNode,
  unwrap,
} from '../tree.ts'

const passing = new Set(['label_replace', 'label_join', 'sort', 'sort_desc', 'scalar'])
const proportional = new Set(['sum', 'avg', 'min', 'max', 'topk', 'bottomk', 'quantile'])

/**
 * The edits that make `increase` of every `rate` in ratios of nothing else, whose quotient is the same over one range. An old
 * VictoriaMetrics divides the rate of a series by its age where that is shorter, but not its increase.
 */
export function increaseEdits(root: PromqlNode | null): Edit[] {
  return [...(root ? measuredRatios(root) : [])]
    .filter(({ parts: { left, right } }) => isOfEvents(left) && isOfEvents(right))
    .flatMap(({ node }) => rateNames(node))
    .map(({ from, to }) => ({ from, to, text: 'increase' }))
}

/** Where `rate` is called. */
export function rateNames(root: PromqlNode | null): PromqlNode[] {
  const calls = root ? [...descendants(root)].filter((node) => functionName(node) === 'rate') : []
  return calls.flatMap(({ children }) => children.slice(0, 1))
}

/** Whether a side is made of rates and increases only, and grows with them in proportion. */
export function isOfEvents(node: PromqlNode): boolean {
  const inner = unwrap(node)
  const parts = binaryParts(inner)
  if (parts) {
    const { left, operator, bool, right } = parts
    if (operator.name === 'And' || operator.name === 'Unless') return isOfEvents(left) && rateNames(right).length === 0
    if (operator.name === 'Or' || operator.name === 'Add' || operator.name === 'Sub') {
      return isOfEvents(left) && (isZero(right) || isOfEvents(right))
    }
    if (operator.name === 'Mul' && constantOf(left) !== undefined) return isOfEvents(right)
    if (operator.name === 'Mul' || operator.name === 'Div') return constantOf(right) !== undefined && isOfEvents(left)
    return !bool && isZero(right) && isOfEvents(left)
  }
  if (inner.name === 'UnaryExpr') return inner.children.slice(1).every(isOfEvents)
  const name = functionName(inner) ?? ''
  const [first] = callArguments(inner)
  if (name === 'rate' || name === 'increase') return first !== undefined && unwrap(first).name === 'MatrixSelector'
  if (!passing.has(name) && !proportional.has(aggregationName(inner) ?? '')) return false
  const vector = callArguments(inner).find((argument) => constantOf(argument) === undefined)
  return vector !== undefined && isOfEvents(vector)
}
