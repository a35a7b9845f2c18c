import { aggregate } from './aggregate.ts'
import { matchAll, combineVectors, operatorFunction, setOperation, combineWithScalar } from './binary.ts'
import { type Column, countIn, distinct, type Frame, mapColumn, samplesIn, timeAt, type Value } from './columns.ts'
import { queryFailed } from '../../promql/errors.ts'
import { absent, type Arguments, callVector, onlyValue, secondsOf } from './functions/functions.ts'
import { addInfo } from './functions/info.ts'
import { callRange } from './functions/range-functions.ts'
import {
  type Selection,
  selectInstant,
  selectRange,
  shiftedFrame,
  type WindowedSeries,
  type EvaluationContext,
} from './selectors.ts'
import { isPinned } from './pinned.ts'
import { unquotedMatching, typeOf } from '../../promql/check.ts'
import { stringOf } from '../../promql/literals.ts'
import { matchersOf } from '../../promql/matchers.ts'
import { rangeMs, selectorOf, type Shift, shiftOf, stepLengthMs } from '../../promql/durations.ts'
import {
  type Aggregate,
  type Binary,
  type Call,
  type Expr,
  setOperators,
  type Subquery,
  unwrap,
} from '../../promql/syntax.ts'
import { overWindows } from './windows.ts'

/** Cost of the labels of a series, in steps of the budget. */
const stepsOfLabels = 20

/** Evaluates an expression at all times of a frame at once. If `@` makes it the same at all times, evaluates it once. */
export function evaluate(context: EvaluationContext, frame: Frame, written: Expr): Value {
  const { budget } = context
  const expr = unwrap(written)
  const isSameAtAllTimes = frame.count > 1 && isPinned(expr)
  budget.addSamples(frame.count) // each expression costs at least as much as one series
  const value = isSameAtAllTimes
    ? repeated(context, evaluateEach(context, { ...frame, count: 1 }, expr), frame)
    : evaluateEach(context, frame, expr)
  if (value.type === 'vector') budget.addSteps(value.columns.length * (frame.count + stepsOfLabels))
  return value
}

function evaluateEach(context: EvaluationContext, frame: Frame, expr: Expr): Value {
  switch (expr.kind) {
    case 'number':
      return { type: 'scalar', values: new Float64Array(frame.count).fill(expr.value) }
    case 'string':
      return { type: 'string', text: stringOf(expr.text) }
    case 'selector':
    case 'offset':
    case 'at':
      return vector(selectInstant(context, frame, selectionOf(expr)))
    case 'unary': {
      const value = evaluate(context, frame, expr.expr)
      if (expr.sign === '+') return value
      if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) }
      return vector(distinct(vectorOf(value).map((column) => mapColumn(column, (one) => -one))))
    }
    case 'binary':
      return evaluateBinary(context, frame, expr)
    case 'aggregate':
      return vector(evaluateAggregate(context, frame, expr))
    case 'call':
      return evaluateCall(context, frame, expr)
    default:
      throw queryFailed('a range vector is no value')
  }
}

/** Matchers and time shift of the selector in an expression. */
function selectionOf(expr: Expr): Selection {
  const selector = selectorOf(expr)
  return { ...shiftOf(expr), matchers: selector ? matchersOf(selector) : [] }
}

/** Repeats one value at all times of a frame. */
function repeated({ budget }: EvaluationContext, value: Value, frame: Frame): Value {
  if (value.type === 'string') return value
  const repeat = (values: Float64Array) => new Float64Array(frame.count).fill(values[0] ?? NaN)
  if (value.type === 'scalar') return { type: 'scalar', values: repeat(value.values) }
  budget.addSamples(value.columns.length * frame.count)
  const columns = value.columns.map(({ labels, values, has }) => ({
    labels,
    values: repeat(values),
    has: new Uint8Array(frame.count).fill(has[0] ?? 0),
  }))
  return vector(columns)
}

const vector = (columns: Column[]): Value => ({ type: 'vector', columns })
const vectorOf = (value: Value): Column[] => (value.type === 'vector' ? value.columns : [])

function evaluateBinary(context: EvaluationContext, frame: Frame, expr: Binary): Value {
  const [left, right] = [evaluate(context, frame, expr.left), evaluate(context, frame, expr.right)]
  const { operator } = expr
  if (left.type === 'scalar' && right.type === 'scalar') {
    const calculate = operatorFunction(operator)
    return { type: 'scalar', values: left.values.map((value, step) => calculate(value, right.values[step] ?? NaN)) }
  }
  if (right.type === 'scalar') return vector(combineWithScalar(expr, vectorOf(left), right.values, false))
  if (left.type === 'scalar') return vector(combineWithScalar(expr, vectorOf(right), left.values, true))
  const matching = expr.matching ? unquotedMatching(expr.matching) : matchAll
  const sides = [vectorOf(left), vectorOf(right)] as const
  if (setOperators.has(operator)) return vector(setOperation(frame, operator, matching, ...sides))
  return vector(combineVectors(context.budget, frame, { ...expr, matching }, ...sides))
}

function evaluateAggregate(context: EvaluationContext, frame: Frame, expr: Aggregate): Column[] {
  const [operand, parameter] = expr.args.toReversed()
  const param = parameter ? evaluate(context, frame, parameter) : null
  const columns = operand ? vectorOf(evaluate(context, frame, operand)) : []
  return aggregate(context.budget, frame, expr, columns, {
    param: param?.type === 'scalar' ? param.values : null,
    text: param?.type === 'string' ? param.text : '',
    annotator: context.annotator,
  })
}

function evaluateCall(context: EvaluationContext, frame: Frame, call: Call): Value {
  const { name, args } = call
  const [first] = args
  if (name === 'time') return { type: 'scalar', values: secondsOf(frame) }
  if (name === 'pi') return { type: 'scalar', values: new Float64Array(frame.count).fill(Math.PI) }
  if (name === 'timestamp' && first && selectorOf(first)) {
    const columns = selectInstant(context, frame, selectionOf(unwrap(first)), true).map((column) =>
      mapColumn(column, (value) => value),
    )
    return vector(distinct(columns))
  }
  if (name === 'info' && first) return vector(addInfo(context, frame, args, vectorOf(evaluate(context, frame, first))))
  const evaluated: Arguments = { vector: null, scalars: [], texts: [] }
  let ranges: WindowedSeries | null = null
  for (const arg of args) {
    if (typeOf(arg) === 'range vector') {
      ranges = windowsOf(context, frame, unwrap(arg))
      continue
    }
    const value = evaluate(context, frame, arg)
    if (value.type === 'vector') evaluated.vector = value.columns
    else if (value.type === 'scalar') evaluated.scalars.push(value.values)
    else evaluated.texts.push(value.text)
  }
  if (ranges && name === 'absent_over_time' && first) {
    const present = overWindows(context.budget, frame, ranges, () => () => 1, true)
    return vector(absent(frame, present, first))
  }
  if (ranges) return vector(callRange(context, frame, call, ranges, evaluated.scalars))
  if (name === 'scalar') return { type: 'scalar', values: onlyValue(frame, evaluated.vector ?? []) }
  return vector(callVector(context, frame, call, evaluated))
}

/** Samples of a range selector; a subquery gives its values at multiples of its step. */
export function windowsOf(context: EvaluationContext, frame: Frame, expr: Expr): WindowedSeries {
  const { operand, ...shift } = shiftOf(expr)
  if (operand.kind === 'subquery') return evaluateSubquery(context, frame, operand, shift)
  if (operand.kind !== 'range') throw queryFailed('no range vector')
  return selectRange(context, frame, { ...selectionOf(operand.expr), ...shift }, rangeMs(operand.range))
}

function evaluateSubquery(context: EvaluationContext, frame: Frame, subquery: Subquery, shift: Shift): WindowedSeries {
  const windowEnds = shiftedFrame(context, frame, shift)
  const lengthMs = rangeMs(subquery.range)
  const stepMs = subquery.step ? stepLengthMs(subquery.step) : context.subqueryStepMs
  const startMs = (Math.floor((windowEnds.startMs - lengthMs) / stepMs) + 1) * stepMs
  const count = Math.floor((timeAt(windowEnds, windowEnds.count - 1) - startMs) / stepMs) + 1
  const inner: Frame = { startMs, stepMs, count }
  if (count < 1) return { series: [], rangeMs: lengthMs, windowEnds }
  context.budget.addSamples(count)
  const series = vectorOf(evaluate(context, inner, subquery.expr)).map((column) => {
    context.budget.addSamples(countIn(column))
    return samplesIn(inner, column)
  })
  return { series, rangeMs: lengthMs, windowEnds }
}
