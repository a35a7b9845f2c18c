import { constantOf, isZero } from '../linear-form.ts'
import {
  aggregationName,
  binaryParts,
  callArguments,
  descendants,
  functionName,
  type PromqlNode,
  unwrap,
} from '../tree.ts'

/**
 * What a side reads. `summed`: selectors of one instant whose values are handed on or added up, so that an increase can take
 * their place. `blocked`: those of which something else is made. `sampled`: those of which a function over a range takes the
 * values themselves. `unsafe`: those of which a function takes an increase, but not as `increase` does. `hasMore`: anything of
 * the source is read besides.
 */
export type InstantReads = {
  summed: PromqlNode[]
  blocked: PromqlNode[]
  sampled: PromqlNode[]
  unsafe: { selector: PromqlNode; why: Unsafe }[]
  hasMore: boolean
}

/** `falls`: a restart counts as a fall; `samples`: samples are counted; `sums`: of a sum, where one restart is that of all. */
export type Unsafe = 'falls' | 'samples' | 'sums'

const words = (text: string) => new Set(text.split(' '))
const passing = words(
  'label_replace label_join sort sort_desc sort_by_label sort_by_label_desc scalar vector abs ceil floor round ' +
    'clamp clamp_min clamp_max info',
)
const adding = words('sum avg min max topk bottomk limitk limit_ratio')
const counting = words('count count_values group')
const ofValues = words(
  'avg_over_time min_over_time max_over_time last_over_time first_over_time sum_over_time quantile_over_time ' +
    'stddev_over_time stdvar_over_time mad_over_time predict_linear holt_winters double_exponential_smoothing',
)
const increases = words('rate irate increase')
const differences = words('delta idelta deriv')
const instants = words('absent timestamp')
const filters = words('Eql Neq Lss Lte Gtr Gte')

/** Finds what a side of a ratio reads at one instant. */
export function instantReads(side: PromqlNode): InstantReads {
  const reads: InstantReads = { summed: [], blocked: [], sampled: [], unsafe: [], hasMore: false }
  visit(side, reads, reads.summed)
  return reads
}

/** `into` is `summed`, or `blocked` below anything that is no sum. */
function visit(node: PromqlNode, reads: InstantReads, into: PromqlNode[]): void {
  const inner = unwrap(node)
  if (constantOf(inner) !== undefined) return
  const parts = binaryParts(inner)
  if (inner.name === 'VectorSelector') into.push(inner)
  else if (inner.name === 'UnaryExpr') visitAll(inner.children.slice(1), reads, into)
  else if (parts) visitBinary(parts, reads, into)
  else if (inner.name === 'AggregateExpr') visitAggregation(inner, reads, into)
  else if (inner.name === 'FunctionCall') visitCall(inner, reads, into)
  else visitAll(inner.children, reads, reads.blocked)
}

function visitAll(nodes: PromqlNode[], reads: InstantReads, into: PromqlNode[]): void {
  for (const node of nodes) visit(node, reads, into)
}

function visitBinary(
  { left, operator, bool, right }: NonNullable<ReturnType<typeof binaryParts>>,
  reads: InstantReads,
  into: PromqlNode[],
): void {
  const { name } = operator
  if (name === 'And' || name === 'Unless') return visit(left, reads, into)
  if (filters.has(name) && !bool && constantOf(right) !== undefined) {
    return visit(left, reads, isZero(right) ? into : reads.blocked)
  }
  if (name === 'Or' || name === 'Add') return visitAll([left, right], reads, into)
  if (name === 'Sub') {
    // What a counter was before is taken away: an increase already.
    if ([left, right].some((side) => descendants(side).some((below) => below.name === 'OffsetExpr'))) {
      reads.hasMore = true
      return
    }
    return visitAll([left, right], reads, into)
  }
  const isScaled = (name === 'Mul' || name === 'Div') && [left, right].some((side) => constantOf(side) !== undefined)
  visitAll([left, right], reads, isScaled ? into : reads.blocked)
}

function visitAggregation(node: PromqlNode, reads: InstantReads, into: PromqlNode[]): void {
  const name = aggregationName(node) ?? ''
  if (counting.has(name)) reads.hasMore = true
  else visitAll(callArguments(node), reads, adding.has(name) ? into : reads.blocked)
}

function visitCall(node: PromqlNode, reads: InstantReads, into: PromqlNode[]): void {
  const name = functionName(node) ?? ''
  const args = callArguments(node).map(unwrap)
  for (const given of name === 'info' ? args.slice(0, 1) : args) {
    const argument = ranged(given)
    const [selector] = argument.children
    if (argument.name === 'MatrixSelector' && selector) {
      if (ofValues.has(name)) reads.sampled.push(selector)
      if (differences.has(name)) reads.unsafe.push({ selector, why: 'falls' })
      if (name === 'count_over_time') reads.unsafe.push({ selector, why: 'samples' })
      reads.hasMore = true
    } else if (argument.name === 'SubqueryExpr' && (increases.has(name) || differences.has(name))) {
      const inside = instantReads(selector ?? argument)
      const why = increases.has(name) ? 'sums' : 'falls'
      reads.unsafe.push(...inside.summed.map((one) => ({ selector: one, why }) as const), ...inside.unsafe)
      reads.sampled.push(...inside.sampled)
      reads.blocked.push(...inside.blocked)
      reads.hasMore = true
    } else if (instants.has(name)) reads.hasMore = true
    else visit(argument, reads, passing.has(name) ? into : reads.blocked)
  }
}

/** `x[5m]` of `x[5m] offset 1h` and `x[5m] @ end()`; anything else as it is. */
function ranged(node: PromqlNode): PromqlNode {
  const [inside] = node.name === 'OffsetExpr' || node.name === 'StepInvariantExpr' ? node.children : []
  const inner = inside && ranged(unwrap(inside))
  return inner?.name === 'MatrixSelector' || inner?.name === 'SubqueryExpr' ? inner : node
}
