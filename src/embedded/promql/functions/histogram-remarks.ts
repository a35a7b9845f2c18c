import type { Annotator } from '../annotations.ts'
import { type Column, type Frame, grouped } from '../columns.ts'
import { boundOf } from './histogram.ts'
import { type Labels, labelOf, labelsKey, metricName, withoutLabels } from '../../../promql/labels.ts'

/** Remarks on series that are no classic buckets. */
export function remarkOnBounds(columns: Column[], notes: Annotator, from: number): void {
  for (const { labels } of columns) if (boundOf(labels) === undefined) notes.warn(badBound(labels), from)
}

const badBound = (labels: Labels) =>
  `bucket label "le" is missing or has a malformed value of ${JSON.stringify(labelOf(labels, 'le'))} ` +
  `for metric name ${JSON.stringify(labelOf(labels, metricName))}`

const orderForced = (metric: string) =>
  'input to histogram_quantile needed to be fixed for monotonicity ' +
  '(see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile) ' +
  `for metric name ${JSON.stringify(metric)}`

/**
 * Remarks on histograms of which a bucket has counted less than one below it. As in Prometheus, a metric is named only
 * where that is so at the first step at which it is there.
 */
export function remarkOnOrder(
  frame: Frame,
  shares: Float64Array,
  columns: Column[],
  notes: Annotator,
  from: number,
): void {
  const bounded = columns.filter(({ labels }) => boundOf(labels) !== undefined)
  for (const group of grouped(bounded, (labels) => labelsKey(withoutLabels(labels, ['le']))).values()) {
    const bounds = group.map(({ labels, ...column }) => ({ ...column, upTo: boundOf(labels) ?? NaN }))
    const inOrder = bounds.toSorted((a, b) => a.upTo - b.upTo || 0)
    let metric = labelOf(group[0]?.labels ?? {}, metricName)
    for (let step = 0; step < frame.count; step += 1) {
      if (!inOrder.some(({ has }) => has[step] === 1)) continue
      const share = shares[step] ?? NaN
      if (share >= 0 && share <= 1 && fallsAt(step, inOrder)) notes.inform(orderForced(metric), from)
      metric = ''
    }
  }
}

type Bucket = Pick<Column, 'has' | 'values'> & { upTo: number }

/** Whether a bucket has counted less than one below it, in a histogram that has counted anything; equal bounds are one. */
function fallsAt(step: number, inOrder: Bucket[]): boolean {
  let [before, count, upTo, isFalling] = [NaN, NaN, NaN, false]
  const settle = () => {
    if (Number.isNaN(before)) before = count
    else if (!isAlmost(before, count)) {
      if (count < before) isFalling = true
      else before = count
    }
  }
  for (const bucket of inOrder) {
    if (bucket.has[step] !== 1) continue
    const value = bucket.values[step] ?? NaN
    if (bucket.upTo === upTo) count += value
    else {
      if (!Number.isNaN(upTo)) settle()
      ;[upTo, count] = [bucket.upTo, value]
    }
  }
  settle()
  return upTo === Infinity && isFalling && before !== 0
}

/** What rounding makes of equal counts. */
const tolerance = 1e-12

function isAlmost(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  const [distance, size] = [Math.abs(a - b), Math.abs(a) + Math.abs(b)]
  const least = 2 ** -1022
  if (a === 0 || b === 0 || size < least) return distance < tolerance * least
  return distance / Math.min(size, Number.MAX_VALUE) < tolerance
}
