import { constantOf, isZero } from './linear-form.ts'
import { type Binary, comparisons, type Expr, unwrap } from '../syntax.ts'
import { aggregatorOf, argumentsOf, calledFunction, descendants, memoizeByObject } from '../tree.ts'

/** Unit of the numbers of one side: events per second, or events in the range of the query. */
export type EventKind = 'per_second' | 'count'

// count_over_time counts samples and sum_over_time adds up 0s and 1s: both are events, if the side is meant to count any.
const kinds = new Map<string, EventKind>([
  ['rate', 'per_second'],
  ['irate', 'per_second'],
  ['increase', 'count'],
  ['count_over_time', 'count'],
  ['sum_over_time', 'count'],
  ['changes', 'count'],
  ['resets', 'count'],
])
/** Functions and aggregators whose result has the kind of their argument. */
const keepingFunctions = new Set(['label_replace', 'label_join', 'sort', 'sort_desc', 'scalar', 'histogram_count'])
const keepingAggregators = new Set(['sum', 'max', 'min', 'topk', 'bottomk'])

/** Event kind of a side; null if it is no number of events: a recorded value, an average, a product, a mixture. */
export function eventKind(side: Expr): EventKind | null {
  const inner = unwrap(side)
  if (inner.kind === 'binary') return kindOfOperation(inner)
  if (keepingFunctions.has(calledFunction(inner)) || keepingAggregators.has(aggregatorOf(inner))) {
    const vector = argumentsOf(inner).find((argument) => constantOf(argument) === undefined)
    return vector ? eventKind(vector) : null
  }
  const kind = kinds.get(calledFunction(inner))
  const isNested = descendants(inner)
    .drop(1)
    .some((below) => kinds.has(calledFunction(below)))
  return kind && !isNested ? kind : null
}

function kindOfOperation({ left, operator, bool, right }: Binary): EventKind | null {
  if (operator === 'and' || operator === 'unless') return eventKind(left)
  if (comparisons.has(operator)) return !bool && constantOf(right) !== undefined ? eventKind(left) : null
  if (operator !== 'or' && operator !== '+' && operator !== '-') return null
  if (isZero(right)) return eventKind(left)
  if (isZero(left)) return operator === '-' ? null : eventKind(right)
  const kind = eventKind(left)
  return kind === eventKind(right) ? kind : null
}

/**
 * True if an empty result means that nothing was counted. False for `a + b`, which is empty if either of them is, and for `a
 * and b` and `a * b`: events may have happened that the result does not show.
 */
export function emptyMeansNone(side: Expr): boolean {
  const inner = unwrap(side)
  if (inner.kind !== 'binary') return argumentsOf(inner).every(emptyMeansNone)
  const { left, operator, right } = inner
  if (isNeverEmpty(left) && isNeverEmpty(right)) return true
  const isEither = operator === 'or' || constantOf(left) !== undefined || constantOf(right) !== undefined
  return isEither && emptyMeansNone(left) && emptyMeansNone(right)
}

const isNeverEmpty = memoizeByObject((expr: Expr): boolean => {
  const inner = unwrap(expr)
  if (inner.kind !== 'binary')
    return constantOf(inner) !== undefined || ['vector', 'scalar'].includes(calledFunction(inner))
  const { left, operator, right } = inner
  if (constantOf(inner) !== undefined) return true
  if (operator === 'or') return isZero(right) || isNeverEmpty(right)
  return (operator === '+' || operator === '-') && isNeverEmpty(left) && isNeverEmpty(right)
})
