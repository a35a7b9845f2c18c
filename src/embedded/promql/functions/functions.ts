import { type Column, countPresent, distinct, emptyColumn, type Frame, mapColumn, put, timeAt } from '../columns.ts'
import { queryFailed } from '../../../promql/errors.ts'
import { histogramFraction, histogramQuantile } from './histogram.ts'
import { labelJoin, labelReplace } from './label-functions.ts'
import { dateFunctions, greater, numberFunctions, round, smaller } from './math.ts'
import { argumentOffset } from '../pinned.ts'
import type { EvaluationContext } from '../selectors.ts'
import { sortedByLabel } from './sort-by-label.ts'
import { selectorOf } from '../../../promql/durations.ts'
import { type Labels, metricName, withLabels } from '../../../promql/labels.ts'
import { matchersOf } from '../../../promql/matchers.ts'
import type { Call, Expr } from '../../../promql/syntax.ts'

/** Evaluated arguments of a call: its vector, null if there is none, and the others by type, in order. */
export type Arguments = { vector: Column[] | null; scalars: Float64Array[]; texts: string[] }

/** Calls a function that gives a vector and takes no range vector. */
export function callVector(
  context: EvaluationContext,
  frame: Frame,
  { name, args }: Call,
  evaluated: Arguments,
): Column[] {
  const { budget, annotator } = context
  const { vector, scalars, texts } = evaluated
  const columns = vector ?? []
  const scalar = (index: number, step: number) => scalars[index]?.[step] ?? NaN
  const each = (change: (value: number, step: number) => number | undefined) =>
    distinct(columns.map((column) => mapColumn(column, change)))
  const dateFunction = dateFunctions.get(name)
  if (dateFunction) return vector ? each(dateFunction) : [mapColumn(nowColumn(frame), dateFunction)]
  const numberFunction = numberFunctions.get(name)
  if (numberFunction) return each(numberFunction)
  switch (name) {
    case 'clamp':
      return each((value, step) =>
        scalar(1, step) < scalar(0, step) ? undefined : greater(scalar(0, step), smaller(scalar(1, step), value)),
      )
    case 'clamp_min':
      return each((value, step) => greater(scalar(0, step), value))
    case 'clamp_max':
      return each((value, step) => smaller(scalar(0, step), value))
    case 'round':
      return each((value, step) => round(value, scalars.length > 0 ? scalar(0, step) : 1))
    case 'timestamp':
      return each((_value, step) => timeAt(frame, step) / 1000)
    case 'vector':
      return [{ labels: {}, values: scalars[0] ?? new Float64Array(), has: new Uint8Array(frame.count).fill(1) }]
    case 'sort':
      return sorted(frame, columns, 1)
    case 'sort_desc':
      return sorted(frame, columns, -1)
    case 'label_replace':
      return labelReplace(budget, columns, texts)
    case 'label_join':
      return labelJoin(budget, columns, texts)
    case 'sort_by_label':
    case 'sort_by_label_desc':
      return frame.count === 1 ? sortedByLabel(columns, texts, name === 'sort_by_label_desc') : columns
    case 'histogram_quantile': {
      const from: [number, number] = [argumentOffset(args, 0), argumentOffset(args, 1)]
      return histogramQuantile(frame, scalars[0] ?? new Float64Array(), columns, { annotator, from })
    }
    case 'histogram_fraction': {
      const [lower = new Float64Array(), upper = new Float64Array()] = scalars
      return histogramFraction(frame, [lower, upper], columns, { annotator, from: argumentOffset(args, 2) })
    }
    case 'histogram_avg':
    case 'histogram_count':
    case 'histogram_sum':
    case 'histogram_stddev':
    case 'histogram_stdvar':
      annotator.inform(`${name}() takes native histograms, and the embedded source has none`, argumentOffset(args, 0))
      return []
    case 'absent': {
      const [arg] = args
      return arg ? absent(frame, columns, arg) : []
    }
    default:
      throw queryFailed(`no function “${name}”`)
  }
}

/** Unix seconds at each step. */
export function secondsOf(frame: Frame): Float64Array {
  return new Float64Array(frame.count).map((_, step) => timeAt(frame, step) / 1000)
}

const nowColumn = (frame: Frame): Column => ({
  labels: {},
  values: secondsOf(frame),
  has: new Uint8Array(frame.count).fill(1),
})

/** `scalar`: the value if there is exactly one, otherwise NaN. */
export function onlyValue(frame: Frame, columns: Column[]): Float64Array {
  const counts = countPresent(frame, columns)
  const values = new Float64Array(frame.count).fill(NaN)
  for (const column of columns)
    for (let step = 0; step < frame.count; step += 1)
      if (column.has[step] === 1 && counts[step] === 1) values[step] = column.values[step] ?? NaN
  return values
}

/** Sorts the result of an instant query by value; a range query has no order. NaN is last in both directions. */
function sorted({ count }: Frame, columns: Column[], direction: 1 | -1): Column[] {
  if (count !== 1) return columns
  const value = ({ values }: Column) => values[0] ?? NaN
  return columns.toSorted((a, b) =>
    Number.isNaN(value(a)) ? 1 : Number.isNaN(value(b)) ? -1 : direction * (value(a) - value(b)) || 0,
  )
}

/** `absent` and `absent_over_time`: 1 at each step at which none of the columns has a value. */
export function absent(frame: Frame, columns: Column[], arg: Expr): Column[] {
  const result = emptyColumn(selectedLabels(arg), frame)
  countPresent(frame, columns).forEach((count, step) => count === 0 && put(result, step, 1))
  return [result]
}

/** Labels that a selector sets by one `=` matcher; a label with a further matcher is dropped. */
function selectedLabels(arg: Expr): Labels {
  const selector = selectorOf(arg)
  if (!selector) return {}
  const labels = new Map<string, string>()
  const usedNames = new Set([metricName])
  for (const { name, operator, value } of matchersOf(selector)) {
    if (operator === '=' && !usedNames.has(name)) labels.set(name, value)
    else labels.delete(name)
    if (operator === '=') usedNames.add(name)
  }
  return withLabels({}, labels)
}
