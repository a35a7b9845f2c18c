import { constantOf, isZero, linearForm } from '../linear-form.ts'
import {
  aggregationName,
  binaryParts,
  callArguments,
  descendants,
  functionName,
  type PromqlNode,
  selectorsIn,
  unquoted,
  unwrap,
} from '../tree.ts'

const words = (text: string) => new Set(text.split(' '))
const rawFunctions = words(
  'rate irate increase delta idelta deriv predict_linear changes resets count_over_time sum_over_time time timestamp ' +
    'ts_of_min_over_time ts_of_max_over_time ts_of_last_over_time ts_of_first_over_time ' +
    'histogram_quantile histogram_quantiles histogram_avg histogram_sum histogram_count histogram_stddev histogram_stdvar',
)
const sampleTotals = words('count_over_time sum_over_time')
const sameValues = words(
  'abs ceil floor round sort sort_desc sort_by_label sort_by_label_desc label_replace label_join info scalar vector ' +
    'double_exponential_smoothing avg_over_time min_over_time max_over_time last_over_time quantile_over_time',
)
const sameUnit = words('sum avg min max topk bottomk quantile limitk limit_ratio')
const bounds = words('clamp clamp_max clamp_min')

/**
 * Whether the values are by their text a quantity (requests a second, seconds, a count) and no share of anything: a
 * quantile, a mean of a histogram or summary, a bare rate. A recorded series is given the benefit of the doubt.
 */
export function isRawQuantity(node: PromqlNode): boolean {
  const { constant, factor, leaf } = linearForm(node)
  if (!leaf || constant !== 0) return false
  // sum_over_time(up[1h]) / 60 is a share, if of a number of samples that only its author knows.
  if (Math.abs(factor) < 1 && descendants(leaf).some((below) => sampleTotals.has(functionName(below) ?? '')))
    return false
  if (isMeanOfSum(leaf)) return true
  const parts = binaryParts(leaf)
  if (parts) {
    const { left, operator, bool, right } = parts
    if (operator.name === 'Add' || operator.name === 'Sub') return isRawQuantity(left) && isRawQuantity(right)
    const arithmetic = ['Mul', 'Div', 'Mod', 'Pow', 'Atan2']
    return bool || arithmetic.includes(operator.name)
      ? false
      : isRawQuantity(constantOf(left) === undefined ? left : right)
  }
  const aggregation = aggregationName(leaf)
  if (aggregation === 'count' || aggregation === 'count_values') return true
  if (rawFunctions.has(functionName(leaf) ?? '')) return true
  const passed = passedOn(leaf)
  return passed !== null && isRawQuantity(passed)
}

/** Whether the answer cannot be a number: a text, or samples over a range. */
export function isNoNumber(root: PromqlNode): boolean {
  const inner = unwrap(root)
  if (inner.name === 'OffsetExpr' || inner.name === 'StepInvariantExpr')
    return inner.children.slice(0, 1).some(isNoNumber)
  return inner.name === 'StringLiteral' || inner.name === 'MatrixSelector' || inner.name === 'SubqueryExpr'
}

/** `percent` where 100 is the whole by the text: `100 *`, `* 100`, `100 -`, also inside `avg(…)` or `clamp_max(…, 100)`. */
export function percentByText(node: PromqlNode): 'percent' | null {
  const { constant, factor, leaf } = linearForm(node)
  if (near(Math.abs(factor), 100) || (near(constant, 100) && factor < 0)) return 'percent'
  if (!leaf || factor !== 1 || constant !== 0) return null
  const passed = bounds.has(functionName(leaf) ?? '') ? (callArguments(leaf)[0] ?? null) : passedOn(leaf)
  if (passed) return percentByText(passed)
  const parts = binaryParts(leaf)
  const isSelection = parts && ['Or', 'And', 'Unless'].includes(parts.operator.name) && !isZero(parts.left)
  return isSelection ? percentByText(parts.left) : null
}

/** `x_sum / x_count`: the mean of a histogram or summary, a quantity although it is a division. */
export function isMeanOfSum(division: PromqlNode): boolean {
  const parts = binaryParts(unwrap(division))
  if (parts?.operator.name !== 'Div') return false
  const sums = metricNames(parts.left)
  const counts = metricNames(parts.right)
  const bases = new Set([...sums.map(withoutEnding('_sum')), ...counts.map(withoutEnding('_count'))])
  return sums.length > 0 && counts.length > 0 && bases.size === 1 && !bases.has(null)
}

/** The names of the metrics that are read, as far as the selectors name them: `x`, `{"my.x"}`, `{__name__="x"}`. */
export function metricNames(node: PromqlNode): string[] {
  return selectorsIn(node).map(metricName)
}

function metricName(selector: PromqlNode): string {
  const [first] = selector.children
  if (first?.name === 'Identifier') return first.text
  for (const matcher of first?.children ?? []) {
    if (matcher.name === 'QuotedLabelName') return unquoted(matcher)
    const [label, operator, value] = matcher.children
    if (label && value && unquoted(label) === '__name__' && operator?.text === '=') return unquoted(value)
  }
  return ''
}

/** The argument whose values a call or an aggregation hands on, in their own unit. */
function passedOn(node: PromqlNode): PromqlNode | null {
  if (node.name === 'SubqueryExpr' || node.name === 'OffsetExpr' || node.name === 'StepInvariantExpr') {
    return node.children[0] ?? null
  }
  if (!sameUnit.has(aggregationName(node) ?? '') && !sameValues.has(functionName(node) ?? '')) return null
  return (
    callArguments(node).find((argument) => constantOf(argument) === undefined && argument.name !== 'StringLiteral') ??
    null
  )
}

const withoutEnding = (ending: string) => (name: string) =>
  name.endsWith(ending) ? name.slice(0, -ending.length) : null
const near = (a: number, b: number) => Math.abs(a - b) < 1e-9
