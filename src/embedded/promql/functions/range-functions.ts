import { type Annotator, quantileOutOfBounds } from '../annotations.ts'
import type { Column, Frame } from '../columns.ts'
import { queryFailed } from '../../../promql/errors.ts'
import { overTime, quantileOverTime, regression } from './over-time.ts'
import { changes, extrapolated, lastChange, resets } from './rate.ts'
import { type Labels, labelOf, metricName } from '../../../promql/labels.ts'
import { argumentOffset } from '../pinned.ts'
import type { WindowedSeries, EvaluationContext } from '../selectors.ts'
import type { Call } from '../../../promql/syntax.ts'
import { overWindows, type WindowFunction } from '../windows.ts'

/** Calls a function of a range vector, except `absent_over_time`; `scalars` are its other arguments. */
export function callRange(
  { budget, annotator }: EvaluationContext,
  frame: Frame,
  { name, args }: Call,
  ranges: WindowedSeries,
  scalars: Float64Array[],
): Column[] {
  const keepsName = name === 'last_over_time' || name === 'first_over_time'
  const make = functionOf(name, scalars)
  const annotate = annotationOf(name, scalars[0] ?? new Float64Array(), annotator, argumentOffset(args, 0))
  const annotating: typeof make = (times, values, labels) => {
    const apply = make(times, values, labels)
    return (window) => {
      const value = apply(window)
      if (value !== undefined) annotate?.(labels, window.step)
      return value
    }
  }
  return overWindows(budget, frame, ranges, annotate ? annotating : make, keepsName)
}

const counterEnding = /_(?:total|sum|count|bucket)$/
const notNamedCounter = 'metric might not be a counter, name does not end in _total/_sum/_count/_bucket:'

/** Function that annotates the value of a series at a step; undefined if `name` needs no annotations. */
function annotationOf(name: string, scalar: Float64Array, annotator: Annotator, from: number) {
  if (name === 'quantile_over_time')
    return (_labels: Labels, step: number) => {
      const share = scalar[step] ?? NaN
      if (!(share >= 0 && share <= 1)) annotator.warn(quantileOutOfBounds(share), from)
    }
  if (name !== 'rate' && name !== 'increase') return undefined
  const annotated = new Set<Labels>()
  return (labels: Labels) => {
    const metric = labelOf(labels, metricName)
    if (annotated.has(labels) || metric === '' || counterEnding.test(metric)) return
    annotated.add(labels)
    annotator.inform(`${notNamedCounter} ${JSON.stringify(metric)}`, from)
  }
}

type MakeFunction = (timesMs: Float64Array, values: Float64Array, labels: Labels) => WindowFunction

function functionOf(name: string, scalars: Float64Array[]): MakeFunction {
  const [scalar = new Float64Array(), other = new Float64Array()] = scalars
  const simple = name.endsWith('_over_time') ? overTime.get(name.slice(0, -'_over_time'.length)) : undefined
  if (simple) return () => simple
  switch (name) {
    case 'rate':
      return (_times, values) => extrapolated(values, { isCounter: true, perSecond: true })
    case 'increase':
      return (_times, values) => extrapolated(values, { isCounter: true, perSecond: false })
    case 'delta':
      return (_times, values) => extrapolated(values, { isCounter: false, perSecond: false })
    case 'irate':
      return () => lastChange(true)
    case 'idelta':
      return () => lastChange(false)
    case 'resets':
      return () => resets
    case 'changes':
      return () => changes
    case 'deriv':
      return () => (window) => regression(window, window.timesMs[window.from] ?? NaN)?.slope
    case 'predict_linear':
      return () => (window) => {
        const line = regression(window, window.evaluatedMs)
        return line && line.slope * (scalar[window.step] ?? NaN) + line.intercept
      }
    case 'double_exponential_smoothing':
      return () => smoothed(scalar, other)
    case 'quantile_over_time':
      return () => (window) => quantileOverTime(window, scalar[window.step] ?? NaN)
    default:
      throw queryFailed(`no function “${name}”`)
  }
}

/** `double_exponential_smoothing`: the smoothed level at the last sample, with trend; both factors are between 0 and 1. */
const smoothed =
  (smoothing: Float64Array, trending: Float64Array): WindowFunction =>
  ({ values, from, to, step }) => {
    const [smoothingFactor, trendFactor] = [smoothing[step] ?? NaN, trending[step] ?? NaN]
    refuseFactor('smoothing', 'sf', smoothingFactor)
    refuseFactor('trend', 'tf', trendFactor)
    if (to - from < 2) return undefined
    let level = values[from] ?? NaN
    let trend = (values[from + 1] ?? NaN) - level
    let previousLevel = NaN
    for (let index = from + 1; index < to; index += 1) {
      if (index > from + 1) trend = trendFactor * (level - previousLevel) + (1 - trendFactor) * trend
      previousLevel = level
      level = smoothingFactor * (values[index] ?? NaN) + (1 - smoothingFactor) * (level + trend)
    }
    return level
  }

function refuseFactor(name: string, symbol: string, factor: number) {
  if (factor <= 0 || factor >= 1)
    throw queryFailed(`invalid ${name} factor. Expected: 0 < ${symbol} < 1, got: ${factor.toFixed(6)}`)
}
