import { type Annotator, quantileOutOfBounds } from './annotations.ts'
import type { Budget } from './budget.ts'
import { type Column, countPresent, emptyColumn, type Frame, grouped, put } from './columns.ts'
import { queryFailed } from '../../promql/errors.ts'
import {
  inOrderOfLabels,
  isLabelName,
  type Labels,
  labelsKey,
  metricName,
  onlyLabels,
  withLabels,
  withoutLabels,
} from '../../promql/labels.ts'
import { decimal } from '../../promql/literals.ts'
import { firstOfEach, greatestOf, refuseOverflow, sampled, smallestOf } from './sampling.ts'
import { meanOf, quantile, sumOf } from './sums.ts'
import { labelNames } from '../../promql/check.ts'
import { type Aggregate, unwrap } from '../../promql/syntax.ts'

type Grouping = NonNullable<Aggregate['grouping']>
/** Combines the values of a group at one step: at least one, in the order of the series. */
type Fold = (values: number[]) => number

/** Population variance by Welford's algorithm; NaN if the first value is not finite. */
function variance(values: number[]): number {
  let mean = values[0] ?? NaN
  let squares = Number.isFinite(mean) ? 0 : NaN
  for (let index = 1; index < values.length; index += 1) {
    const value = values[index] ?? NaN
    const delta = value - mean
    mean += delta / (index + 1)
    squares += delta * (value - mean)
  }
  return squares / values.length
}

const folds = new Map<string, Fold>([
  ['sum', (values) => sumOf(values)],
  ['avg', (values) => meanOf(values)],
  ['min', (values) => values.reduce((best, value) => (value < best || Number.isNaN(best) ? value : best))],
  ['max', (values) => values.reduce((best, value) => (value > best || Number.isNaN(best) ? value : best))],
  ['count', (values) => values.length],
  ['group', () => 1],
  ['stddev', (values) => Math.sqrt(variance(values))],
  ['stdvar', variance],
])

const groupLabels = ({ labels, without }: Grouping, seriesLabels: Labels) =>
  without ? withoutLabels(seriesLabels, [...labels, metricName]) : onlyLabels(seriesLabels, labels)

/**
 * Evaluates an aggregation. `param`: the number at each step that `topk`, `quantile` and others take; `text`: label of
 * `count_values`.
 */
export function aggregate(
  budget: Budget,
  frame: Frame,
  expr: Aggregate,
  columns: Column[],
  { param, text, annotator }: { param: Float64Array | null; text: string; annotator: Annotator },
): Column[] {
  const { operator, args } = expr
  const paramFrom = args[0] ? unwrap(args[0]).from : 0
  const { labels = [], without = false } = expr.grouping ?? {}
  const grouping = { labels: labelNames(labels), without }
  if (operator === 'count_values') return countValues(budget, frame, grouping, columns, text)
  const keyOf =
    labels.length > 0 || without ? (seriesLabels: Labels) => labelsKey(groupLabels(grouping, seriesLabels)) : () => ''
  const groups = [...grouped(columns, keyOf).values()]
  if (operator === 'topk' || operator === 'bottomk') {
    refuseOverflow(param ?? new Float64Array(), countPresent(frame, columns))
    return groups.flatMap((group) => topOrBottom(budget, frame, group, param, operator === 'topk'))
  }
  if (operator === 'limitk') return firstOfEach(budget, frame, groups.map(inOrderOfLabels), param ?? new Float64Array())
  if (operator === 'limit_ratio')
    return sampled(budget, frame, columns, param ?? new Float64Array(), { annotator, from: paramFrom })
  if (operator === 'quantile' && param) warnOutOfBounds(param, paramFrom, annotator)
  return groups.map((group) => {
    const result = emptyColumn(groupLabels(grouping, group[0]?.labels ?? {}), frame)
    budget.addSamples(frame.count)
    for (let step = 0; step < frame.count; step += 1) {
      budget.addSteps(group.length)
      const values: number[] = []
      for (const column of group) if (column.has[step] === 1) values.push(column.values[step] ?? NaN)
      if (values.length === 0) continue
      const fold = folds.get(operator)
      put(result, step, fold ? fold(values) : quantile(param?.[step] ?? NaN, values))
    }
    return result
  })
}

function warnOutOfBounds(quantiles: Float64Array, from: number, annotator: Annotator) {
  if (quantiles.includes(NaN)) annotator.warn(quantileOutOfBounds(NaN), from)
  const [min, max] = [smallestOf(quantiles), greatestOf(quantiles)]
  if (max > 1) annotator.warn(quantileOutOfBounds(max), from)
  if (min < 0) annotator.warn(quantileOutOfBounds(min), from)
}

/** Columns with the `k` greatest or smallest values of each step, in the order in which they are first selected; NaN ranks last. */
function topOrBottom(
  budget: Budget,
  frame: Frame,
  group: Column[],
  param: Float64Array | null,
  greatest: boolean,
): Column[] {
  const selected = new Map<Column, Column>()
  const sortKey = ({ values }: Column, step: number) => {
    const value = values[step] ?? NaN
    return Number.isNaN(value) ? null : greatest ? -value : value
  }
  for (let step = 0; step < frame.count; step += 1) {
    const k = param?.[step] ?? NaN
    budget.addSteps(group.length)
    const ranked = group
      .filter(({ has }) => has[step] === 1)
      .map((column) => ({ column, sortKey: sortKey(column, step) }))
      .toSorted((a, b) => (a.sortKey === null ? 1 : b.sortKey === null ? -1 : a.sortKey - b.sortKey || 0))
    for (const { column } of ranked.slice(0, Math.max(0, Math.trunc(k))))
      put(
        selected.getOrInsertComputed(column, () => emptyColumn(column.labels, frame)),
        step,
        column.values[step] ?? NaN,
      )
  }
  return [...selected.values()]
}

function countValues(budget: Budget, frame: Frame, grouping: Grouping, columns: Column[], label: string): Column[] {
  if (!isLabelName(label)) throw queryFailed(`invalid label name ${JSON.stringify(label)}`)
  const counts = new Map<string, Column>()
  const by = grouping.without ? grouping : { ...grouping, labels: [...grouping.labels, label] }
  for (const column of columns) {
    budget.addSamples(frame.count)
    for (let step = 0; step < frame.count; step += 1) {
      if (column.has[step] !== 1) continue
      const labels = groupLabels(by, withLabels(column.labels, [[label, decimal(column.values[step] ?? NaN)]]))
      const count = counts.getOrInsertComputed(labelsKey(labels), () => {
        budget.addSamples(frame.count)
        return emptyColumn(labels, frame)
      })
      put(count, step, (count.values[step] ?? 0) + 1)
    }
  }
  return [...counts.values()]
}
