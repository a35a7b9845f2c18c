import { unquoted } from '../../literals.ts'
import { type Expr, type Selector, setOperators, unwrap } from '../../syntax.ts'
import { aggregatorOf, argumentsOf, calledFunction, descendants, selectorsIn, setOf } from '../../tree.ts'
import { constantOf, isZero, linearForm } from '../linear-form.ts'

const quantityFunctions = setOf(
  'rate irate increase delta idelta deriv predict_linear changes resets count_over_time sum_over_time time timestamp ' +
    'ts_of_min_over_time ts_of_max_over_time ts_of_last_over_time ts_of_first_over_time ' +
    'histogram_quantile histogram_quantiles histogram_avg histogram_sum histogram_count histogram_stddev histogram_stdvar',
)
const sampleTotals = setOf('count_over_time sum_over_time')
const unitKeepingFunctions = setOf(
  'abs ceil floor round sort sort_desc sort_by_label sort_by_label_desc label_replace label_join info scalar vector ' +
    'double_exponential_smoothing avg_over_time min_over_time max_over_time last_over_time quantile_over_time',
)
const unitKeepingAggregators = setOf('sum avg min max topk bottomk quantile limitk limit_ratio')
const boundFunctions = setOf('clamp clamp_max clamp_min')
const arithmetic = setOf('* / % ^ atan2')

/**
 * True if the text shows that the values are a quantity (requests per second, seconds, a count) and not a share: a quantile, a
 * mean of a histogram or summary, a bare rate. False for a recorded series, which may be a share.
 */
export function isRawQuantity(expr: Expr): boolean {
  const { constant, factor, leaf } = linearForm(expr)
  if (!leaf || constant !== 0) return false
  // sum_over_time(up[1h]) / 60 is a share; only its author knows that 60 is the number of samples
  if (Math.abs(factor) < 1 && descendants(leaf).some((below) => sampleTotals.has(calledFunction(below)))) return false
  if (isMeanOfSum(leaf)) return true
  if (leaf.kind === 'binary') {
    const { left, operator, bool, right } = leaf
    if (operator === '+' || operator === '-') return isRawQuantity(left) && isRawQuantity(right)
    if (bool || arithmetic.has(operator)) return false
    return isRawQuantity(constantOf(left) === undefined ? left : right)
  }
  if (['count', 'count_values'].includes(aggregatorOf(leaf)) || quantityFunctions.has(calledFunction(leaf))) return true
  const passed = passedOn(leaf)
  return passed !== null && isRawQuantity(passed)
}

/** True if the result cannot be a number: a string, or samples over a range. */
export function isNoNumber(root: Expr): boolean {
  const inner = unwrap(root)
  if (inner.kind === 'offset' || inner.kind === 'at') return isNoNumber(inner.expr)
  return inner.kind === 'string' || inner.kind === 'range' || inner.kind === 'subquery'
}

/** `percent` if 100 is the whole: `100 *`, `* 100`, `100 -`, also inside `avg(…)` or `clamp_max(…, 100)`; otherwise null. */
export function percentByText(expr: Expr): 'percent' | null {
  const { constant, factor, leaf } = linearForm(expr)
  if (isNear(Math.abs(factor), 100) || (isNear(constant, 100) && factor < 0)) return 'percent'
  if (!leaf || factor !== 1 || constant !== 0) return null
  const passed = boundFunctions.has(calledFunction(leaf)) ? argumentsOf(leaf)[0] : passedOn(leaf)
  if (passed) return percentByText(passed)
  const isSelection = leaf.kind === 'binary' && setOperators.has(leaf.operator) && !isZero(leaf.left)
  return isSelection ? percentByText(leaf.left) : null
}

/** True for `x_sum / x_count`, the mean of a histogram or summary: a quantity although it is a division. */
export function isMeanOfSum(division: Expr): boolean {
  const inner = unwrap(division)
  if (inner.kind !== 'binary' || inner.operator !== '/') return false
  const sums = metricNames(inner.left)
  const counts = metricNames(inner.right)
  const bases = new Set([...sums.map(withoutEnding('_sum')), ...counts.map(withoutEnding('_count'))])
  return sums.length > 0 && counts.length > 0 && bases.size === 1 && !bases.has(null)
}

/** Metric names of the selectors, empty for a selector that names none: `x`, `{"my.x"}`, `{__name__="x"}`. */
export function metricNames(expr: Expr): string[] {
  return selectorsIn(expr).map(metricName)
}

function metricName({ metric, matchers }: Selector): string {
  const naming = ({ label, operator }: (typeof matchers)[number]) =>
    label === null || (unquoted(label) === '__name__' && operator === '=')
  return metric ?? unquoted(matchers.find(naming)?.value ?? '') ?? ''
}

/** Argument whose values a call or an aggregation passes on in the same unit; null if there is none. */
function passedOn(expr: Expr): Expr | null {
  if (expr.kind === 'subquery' || expr.kind === 'offset' || expr.kind === 'at') return expr.expr
  if (!unitKeepingAggregators.has(aggregatorOf(expr)) && !unitKeepingFunctions.has(calledFunction(expr))) return null
  return argumentsOf(expr).find((argument) => constantOf(argument) === undefined && argument.kind !== 'string') ?? null
}

const withoutEnding = (ending: string) => (name: string) =>
  name.endsWith(ending) ? name.slice(0, -ending.length) : null
const isNear = (a: number, b: number) => Math.abs(a - b) < 1e-9
