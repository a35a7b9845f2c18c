import { type Binary, childrenOf, comparisons, type Expr, unwrap } from '../../syntax.ts'
import { descendants, setOf } from '../../tree.ts'
import { constantOf, isZero } from '../linear-form.ts'

/**
 * Selectors of an expression, such as the numerator of a ratio. `summed`: instant selectors whose values are summed or kept as they
 * are, so that an increase can replace them. `blocked`: instant selectors used in any other way. `sampled`: range selectors whose
 * values are used directly by a function. `unsafe`: selectors in a range function that does not give the correct increase of a
 * counter. `hasMore`: the expression reads more than `summed` and `blocked`.
 */
export type InstantReads = {
  summed: Expr[]
  blocked: Expr[]
  sampled: Expr[]
  unsafe: { selector: Expr; why: Unsafe }[]
  hasMore: boolean
}

/**
 * Reason why a selector is unsafe. `falls`: a counter reset counts as a decrease; `samples`: samples are counted; `sums`: the
 * increase is taken of several counters together, where a reset of one looks like a reset of all.
 */
export type Unsafe = 'falls' | 'samples' | 'sums'

const passingFunctions = setOf(
  'label_replace label_join sort sort_desc sort_by_label sort_by_label_desc scalar vector abs ceil floor round ' +
    'clamp clamp_min clamp_max info',
)
/** Aggregators whose results are values of their argument, or sums or means of them. */
const passingAggregators = setOf('sum avg min max topk bottomk limitk limit_ratio')
const countingAggregators = setOf('count count_values group')
const valueFunctions = setOf(
  'avg_over_time min_over_time max_over_time last_over_time first_over_time sum_over_time quantile_over_time ' +
    'stddev_over_time stdvar_over_time mad_over_time predict_linear holt_winters double_exponential_smoothing',
)
const increaseFunctions = setOf('rate irate increase')
const differenceFunctions = setOf('delta idelta deriv')
/** Functions that read when there are samples, not their values. */
const valuelessFunctions = setOf('absent timestamp')

/** Finds the selectors that an expression reads, and how it uses them. */
export function instantReads(expr: Expr): InstantReads {
  const reads: InstantReads = { summed: [], blocked: [], sampled: [], unsafe: [], hasMore: false }
  visit(expr, reads, reads.summed)
  return reads
}

/** Collects the selectors of an expression. `into`: `summed`, or `blocked` if its values are neither passed on nor added up. */
function visit(expr: Expr, reads: InstantReads, into: Expr[]): void {
  const inner = unwrap(expr)
  if (constantOf(inner) !== undefined) return
  switch (inner.kind) {
    case 'selector':
      into.push(inner)
      return
    case 'unary':
      return visit(inner.expr, reads, into)
    case 'binary':
      return visitBinary(inner, reads, into)
    case 'aggregate':
      if (countingAggregators.has(inner.operator)) reads.hasMore = true
      else visitAll(inner.args, reads, passingAggregators.has(inner.operator) ? into : reads.blocked)
      return
    case 'call':
      return visitCall(inner.name, inner.args, reads, into)
    default:
      visitAll(childrenOf(inner), reads, reads.blocked)
  }
}

function visitAll(exprs: Expr[], reads: InstantReads, into: Expr[]): void {
  for (const expr of exprs) visit(expr, reads, into)
}

function visitBinary({ left, operator, bool, right }: Binary, reads: InstantReads, into: Expr[]): void {
  if (operator === 'and' || operator === 'unless') return visit(left, reads, into)
  if (comparisons.has(operator) && !bool && constantOf(right) !== undefined) {
    return visit(left, reads, isZero(right) ? into : reads.blocked)
  }
  if (operator === 'or' || operator === '+') return visitAll([left, right], reads, into)
  if (operator === '-') {
    // The difference to an earlier value of a counter is already an increase.
    if ([left, right].some((side) => descendants(side).some(({ kind }) => kind === 'offset'))) {
      reads.hasMore = true
      return
    }
    return visitAll([left, right], reads, into)
  }
  const isScaled = '*/'.includes(operator) && [left, right].some((side) => constantOf(side) !== undefined)
  visitAll([left, right], reads, isScaled ? into : reads.blocked)
}

function visitCall(name: string, args: Expr[], reads: InstantReads, into: Expr[]): void {
  for (const arg of name === 'info' ? args.slice(0, 1) : args) {
    const argument = ranged(unwrap(arg))
    if (argument.kind === 'range') {
      const selector = argument.expr
      if (valueFunctions.has(name)) reads.sampled.push(selector)
      if (differenceFunctions.has(name)) reads.unsafe.push({ selector, why: 'falls' })
      if (name === 'count_over_time') reads.unsafe.push({ selector, why: 'samples' })
      reads.hasMore = true
    } else if (argument.kind === 'subquery' && (increaseFunctions.has(name) || differenceFunctions.has(name))) {
      const inside = instantReads(argument.expr)
      const why = increaseFunctions.has(name) ? 'sums' : 'falls'
      if (why === 'falls' || joinsSeries(argument.expr))
        reads.unsafe.push(...inside.summed.map((one) => ({ selector: one, why }) as const))
      reads.unsafe.push(...inside.unsafe)
      reads.sampled.push(...inside.sampled)
      reads.blocked.push(...inside.blocked)
      reads.hasMore = true
    } else if (valuelessFunctions.has(name)) reads.hasMore = true
    else visit(argument, reads, passingFunctions.has(name) ? into : reads.blocked)
  }
}

/** True if an expression aggregates series, or adds or subtracts two of them. */
function joinsSeries(expr: Expr): boolean {
  return [...descendants(expr)].some(
    (one) =>
      one.kind === 'aggregate' ||
      (one.kind === 'binary' &&
        '+-'.includes(one.operator) &&
        [one.left, one.right].every((side) => constantOf(side) === undefined)),
  )
}

/** Removes modifiers from a range or subquery: `x[5m]` of `x[5m] offset 1h`. Returns any other expression unchanged. */
function ranged(expr: Expr): Expr {
  const inner = expr.kind === 'offset' || expr.kind === 'at' ? ranged(unwrap(expr.expr)) : expr
  return inner.kind === 'range' || inner.kind === 'subquery' ? inner : expr
}
