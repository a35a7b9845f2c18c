import type { Budget } from './budget.ts'
import { type Column, countPresent, distinct, emptyColumn, type Frame, grouped, mapColumn, put } from './columns.ts'
import { queryFailed } from '../../promql/errors.ts'
import {
  type Labels,
  labelOf,
  labelsKey,
  metricName,
  onlyLabels,
  withLabels,
  withoutLabels,
  withoutMetadata,
} from '../../promql/labels.ts'
import { comparisons, type Matching } from '../../promql/syntax.ts'

type Operation = (left: number, right: number) => number
const operations = new Map<string, Operation>([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', (a, b) => a % b],
  // as in Go, 1 ^ NaN and -1 ^ ±Infinity are 1, unlike in JavaScript
  ['^', (a, b) => (a === 1 || (a === -1 && (b === Infinity || b === -Infinity)) ? 1 : a ** b)],
  ['atan2', Math.atan2],
  ['==', (a, b) => Number(a === b)],
  ['!=', (a, b) => Number(a !== b)],
  ['<', (a, b) => Number(a < b)],
  ['>', (a, b) => Number(a > b)],
  ['<=', (a, b) => Number(a <= b)],
  ['>=', (a, b) => Number(a >= b)],
])

/** Function of a binary operator; a comparison gives 1 or 0. */
export function operatorFunction(operator: string): Operation {
  const calculate = operations.get(operator)
  if (!calculate) throw queryFailed(`no operator “${operator}”`)
  return calculate
}

type OperatorExpr = { operator: string; bool: boolean }

const isFilter = ({ operator, bool }: OperatorExpr) => comparisons.has(operator) && !bool

/** Combines a vector and a scalar. A comparison without `bool` keeps the vector's values, whichever side it is on. */
export function combineWithScalar(
  expr: OperatorExpr,
  columns: Column[],
  scalar: Float64Array,
  scalarIsLeft: boolean,
): Column[] {
  const calculate = operatorFunction(expr.operator)
  const filters = isFilter(expr)
  return distinct(
    columns.map((column) =>
      mapColumn(
        column,
        (value, step) => {
          const other = scalar[step] ?? NaN
          const result = scalarIsLeft ? calculate(other, value) : calculate(value, other)
          return filters ? (result === 1 ? value : undefined) : result
        },
        filters ? column.labels : undefined,
      ),
    ),
  )
}

export const matchAll: Matching = { on: false, labels: [], many: null, include: [] }

const signatureBy =
  ({ on, labels: names }: Matching) =>
  (labels: Labels) =>
    labelsKey(on ? onlyLabels(labels, names) : withoutLabels(labels, [...names, metricName]))

/** `and`, `or` and `unless`. */
export function setOperation(
  frame: Frame,
  operator: string,
  matching: Matching,
  left: Column[],
  right: Column[],
): Column[] {
  const signature = signatureBy(matching)
  const filtered = (columns: Column[], others: Column[], ifPresent: boolean) => {
    const present = new Map([...grouped(others, signature)].map(([key, group]) => [key, countPresent(frame, group)]))
    return columns.map((column) => {
      const same = present.get(signature(column.labels))
      const isKept = (step: number) => (same?.[step] ?? 0) > 0 === ifPresent
      return mapColumn(column, (value, step) => (isKept(step) ? value : undefined), column.labels)
    })
  }
  if (operator === 'or') return distinct([...left, ...filtered(right, left, false)])
  return filtered(left, right, operator === 'and')
}

/** Combines two vectors by arithmetic or comparison. Series match one to one or, with `many`, many to one. */
export function combineVectors(
  budget: Budget,
  frame: Frame,
  expr: OperatorExpr & { matching: Matching },
  left: Column[],
  right: Column[],
): Column[] {
  const { matching } = expr
  const signature = signatureBy(matching)
  const [many, one] = matching.many === 'right' ? [right, left] : [left, right]
  const ones = grouped(one, signature)
  refuseDuplicates(frame, ones, many, matching)
  const results = [...grouped(many, signature)].flatMap(([key, columns]) => {
    const pairs = columns.flatMap((column) =>
      (ones.get(key) ?? []).map((other) => combinePair(budget, frame, expr, column, other)),
    )
    if (matching.many === null) refuseMany(frame, pairs)
    return pairs.filter(({ has }) => has.includes(1))
  })
  return distinct(results)
}

/** Throws if the "one" side has several series for a match at a step at which the other side has any value. */
function refuseDuplicates(frame: Frame, ones: Map<string, Column[]>, many: Column[], matching: Matching) {
  const manyCounts = countPresent(frame, many)
  for (const columns of ones.values()) {
    if (columns.length < 2) continue
    const counts = countPresent(frame, columns)
    const wrongStep = counts.findIndex((count, step) => count > 1 && (manyCounts[step] ?? 0) > 0)
    if (wrongStep < 0) continue
    const duplicates = columns.filter(({ has }) => has[wrongStep] === 1).map(({ labels }) => labelsKey(labels))
    const side = matching.many === 'right' ? 'left' : 'right'
    throw queryFailed(
      `found duplicate series on the ${side} hand-side of the operation: ${duplicates.slice(0, 2).join(', ')}; many-to-many matching not allowed: matching labels must be unique on one side`,
    )
  }
}

function combinePair(
  budget: Budget,
  frame: Frame,
  expr: OperatorExpr & { matching: Matching },
  many: Column,
  one: Column,
): Column {
  const calculate = operatorFunction(expr.operator)
  const filters = isFilter(expr)
  const result = emptyColumn(resultLabels(expr.matching, many.labels, one.labels, !filters), frame)
  const [left, right] = expr.matching.many === 'right' ? [one, many] : [many, one]
  budget.addSamples(frame.count)
  for (let step = 0; step < frame.count; step += 1) {
    if (left.has[step] !== 1 || right.has[step] !== 1) continue
    const a = left.values[step] ?? NaN
    const value = calculate(a, right.values[step] ?? NaN)
    if (!filters) put(result, step, value)
    else if (value === 1) put(result, step, a)
  }
  return result
}

function resultLabels(
  { on, labels, many, include }: Matching,
  manyLabels: Labels,
  oneLabels: Labels,
  dropsName: boolean,
): Labels {
  const named = dropsName ? withoutMetadata(manyLabels) : manyLabels
  if (!many) return on ? onlyLabels(named, labels) : withoutLabels(named, labels)
  return withLabels(
    named,
    include.map((name) => [name, labelOf(oneLabels, name)] as const),
  )
}

/** Throws if a match group of one-to-one matching has two results at some step. */
function refuseMany(frame: Frame, pairs: Column[]) {
  if (pairs.length > 1 && countPresent(frame, pairs).some((count) => count > 1))
    throw queryFailed('multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)')
}
