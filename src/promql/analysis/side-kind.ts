import { constantOf, isZero } from './linear-form.ts'
import {
  aggregationName,
  binaryParts,
  type BinaryParts,
  callArguments,
  descendants,
  functionName,
  perNode,
  type PromqlNode,
  unwrap,
} from './tree.ts'

/** What the numbers of one side are: events a second, or events in the range of the query. */
export type EventKind = 'per_second' | 'count'

// count_over_time counts samples and sum_over_time adds up 0s and 1s: events, if the side is meant to count any.
const kinds = new Map<string, EventKind>([
  ['rate', 'per_second'],
  ['irate', 'per_second'],
  ['increase', 'count'],
  ['count_over_time', 'count'],
  ['sum_over_time', 'count'],
  ['changes', 'count'],
  ['resets', 'count'],
])
const passing = new Set(['label_replace', 'label_join', 'sort', 'sort_desc', 'scalar', 'histogram_count'])
const adding = new Set(['sum', 'max', 'min', 'topk', 'bottomk'])
const filters = new Set(['Eql', 'Neq', 'Lss', 'Lte', 'Gtr', 'Gte'])

/** Null where the side cannot be read as a number of events: a recorded value, an average, a product, a mixture. */
export function eventKind(node: PromqlNode): EventKind | null {
  const inner = unwrap(node)
  const parts = binaryParts(inner)
  if (parts) return kindOfOperation(parts)
  const isPassed = passing.has(functionName(inner) ?? '') || adding.has(aggregationName(inner) ?? '')
  const vector = callArguments(inner).find((argument) => constantOf(argument) === undefined)
  if (isPassed) return vector ? eventKind(vector) : null
  const kind = kinds.get(functionName(inner) ?? '')
  const isNested = descendants(inner)
    .drop(1)
    .some((below) => kinds.has(functionName(below) ?? ''))
  return kind && !isNested ? kind : null
}

function kindOfOperation({ left, operator, bool, right }: BinaryParts): EventKind | null {
  if (operator.name === 'And' || operator.name === 'Unless') return eventKind(left)
  if (filters.has(operator.name)) return !bool && constantOf(right) !== undefined ? eventKind(left) : null
  if (operator.name !== 'Or' && operator.name !== 'Add' && operator.name !== 'Sub') return null
  if (isZero(right)) return eventKind(left)
  if (isZero(left)) return operator.name === 'Sub' ? null : eventKind(right)
  const kind = eventKind(left)
  return kind === eventKind(right) ? kind : null
}

/**
 * Whether an empty answer means that nothing was counted. Not so for `a + b`, which is empty as soon as one of the two
 * is, nor for `a and b`, `a * b`: there, something may have happened that the answer does not show.
 */
export function emptyMeansNone(node: PromqlNode): boolean {
  const inner = unwrap(node)
  const parts = binaryParts(inner)
  if (!parts) return callArguments(inner).every(emptyMeansNone)
  const { left, operator, right } = parts
  if (isNeverEmpty(left) && isNeverEmpty(right)) return true
  if (operator.name === 'Or') return emptyMeansNone(left) && emptyMeansNone(right)
  const isByConstant = constantOf(left) !== undefined || constantOf(right) !== undefined
  return isByConstant && emptyMeansNone(left) && emptyMeansNone(right)
}

const isNeverEmpty = perNode((node): boolean => {
  const inner = unwrap(node)
  if (constantOf(inner) !== undefined || functionName(inner) === 'vector' || functionName(inner) === 'scalar')
    return true
  const parts = binaryParts(inner)
  if (!parts) return false
  if (parts.operator.name === 'Or') return isZero(parts.right) || isNeverEmpty(parts.right)
  return (
    (parts.operator.name === 'Add' || parts.operator.name === 'Sub') &&
    isNeverEmpty(parts.left) &&
    isNeverEmpty(parts.right)
  )
})
