import { minuteMs } from '../../clock.ts'
import { type Annotations, createAnnotator } from './annotations.ts'
import { createBudget, type Limits } from './budget.ts'
import { countIn, type Frame, samplesIn, timeAt, type Value } from './columns.ts'
import { queryFailed, invalidPromql } from '../../promql/errors.ts'
import { evaluate, windowsOf } from './evaluate.ts'
import { inOrderOfLabels, type Labels } from '../../promql/labels.ts'
import type { SampleReader, Series } from './reader.ts'
import type { EvaluationContext } from './selectors.ts'
import { parsePromql, typeOf } from '../../promql/check.ts'
import { unwrap } from '../../promql/syntax.ts'

/** Unix milliseconds and a value. */
export type Point = [timeMs: number, value: number]
export type VectorSample = { labels: Labels; point: Point }

/** Result of a query. An instant vector keeps the order of `sort` and `topk`; a matrix is sorted by labels. */
export type Result = (
  | { type: 'scalar'; point: Point }
  | { type: 'string'; timeMs: number; text: string }
  | { type: 'vector'; samples: VectorSample[] }
  | { type: 'matrix'; series: Series[] }
) & { annotations?: Annotations }

/** `lookbackMs`: how long a sample counts; `subqueryStepMs`: default step of a subquery. */
type EvaluateOptions = { limits: Limits; lookbackMs?: number; subqueryStepMs?: number }

/** Evaluates at one time. Throws `invalid` (text), `source_refused` (data), `too_large` and `too_slow` (limits). */
export function evaluateInstant(reader: SampleReader, query: string, timeMs: number, options: EvaluateOptions): Result {
  const expr = parsePromql(query)
  const frame: Frame = { startMs: timeMs, stepMs: 1, count: 1 }
  const context = contextOf(reader, frame, { ...options, query })
  if (typeOf(expr) === 'range vector') {
    const { series, rangeMs, windowEnds } = windowsOf(context, frame, unwrap(expr))
    context.budget.addPoints(series.reduce((sum, { timesMs }) => sum + timesMs.length, 0))
    const inside = series.map((one) => between(one, windowEnds.startMs - rangeMs, windowEnds.startMs))
    return matrixOf(context, inside)
  }
  const value = evaluate(context, frame, expr)
  if (value.type === 'scalar')
    return withAnnotations(context, { type: 'scalar', point: [timeMs, value.values[0] ?? NaN] })
  if (value.type === 'string') return { type: 'string', timeMs, text: value.text }
  const present = value.columns.filter(({ has }) => has[0] === 1)
  return withAnnotations(context, {
    type: 'vector',
    samples: present.map(({ labels, values }) => ({ labels, point: [timeMs, values[0] ?? NaN] })),
  })
}

/** Evaluates at `startMs` and every `stepMs` after it up to `endMs`; a scalar becomes a series without labels. */
export function evaluateRange(
  reader: SampleReader,
  query: string,
  { startMs, endMs, stepMs }: { startMs: number; endMs: number; stepMs: number },
  options: EvaluateOptions,
): Result {
  if (!(stepMs > 0)) throw invalidPromql('step must be greater than 0')
  if (!(endMs >= startMs)) throw invalidPromql('end timestamp must not be before start time')
  const expr = parsePromql(query)
  const type = typeOf(expr)
  if (type === 'string' || type === 'range vector')
    throw invalidPromql(`invalid expression type “${type}” for range query, must be scalar or instant vector`)
  const frame: Frame = { startMs, stepMs, count: Math.floor((endMs - startMs) / stepMs) + 1 }
  const context = contextOf(reader, frame, { ...options, query }, endMs)
  context.budget.addSamples(frame.count) // a query without series costs as much as one series
  return matrixOf(context, seriesOf(context, evaluate(context, frame, expr), frame))
}

function matrixOf(context: EvaluationContext, series: Series[]): Result {
  const present = series.filter(({ timesMs }) => timesMs.length > 0)
  return withAnnotations(context, { type: 'matrix', series: inOrderOfLabels(present) })
}

function withAnnotations({ annotator }: EvaluationContext, result: Result): Result {
  const annotations = annotator.annotations()
  return annotations ? { ...result, annotations } : result
}

function contextOf(
  reader: SampleReader,
  frame: Frame,
  options: EvaluateOptions & { query: string },
  endMs = frame.startMs,
): EvaluationContext {
  const { query, limits, lookbackMs = 5 * minuteMs, subqueryStepMs = minuteMs } = options
  const [budget, annotator] = [createBudget(limits), createAnnotator(query)]
  return { reader, budget, annotator, startMs: frame.startMs, endMs, lookbackMs, subqueryStepMs }
}

/** Samples in (fromMs, toMs]. */
function between({ labels, timesMs, values }: Series, fromMs: number, toMs: number): Series {
  let [from, to] = [0, timesMs.length]
  while (from < to && (timesMs[from] ?? NaN) <= fromMs) from += 1
  while (to > from && (timesMs[to - 1] ?? NaN) > toMs) to -= 1
  return { labels, timesMs: timesMs.subarray(from, to), values: values.subarray(from, to) }
}

function seriesOf({ budget }: EvaluationContext, value: Value, frame: Frame): Series[] {
  if (value.type === 'string') throw queryFailed('a string is no series')
  if (value.type === 'scalar') {
    budget.addPoints(frame.count)
    return [{ labels: {}, timesMs: value.values.map((_, step) => timeAt(frame, step)), values: value.values }]
  }
  return value.columns.map((column) => {
    budget.addSteps(frame.count)
    budget.addPoints(countIn(column))
    return samplesIn(frame, column)
  })
}
