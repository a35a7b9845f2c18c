import { type Column, distinct, emptyColumn, type Frame, grouped, put } from '../columns.ts'
import { boundOf } from './histogram.ts'
import { labelsKey, metadata, withoutLabels } from '../../../promql/labels.ts'

type Bucket = { upTo: number; count: number }

/** `histogram_fraction` of classic buckets: the share of what they have counted between two bounds. */
export function histogramFraction(
  frame: Frame,
  [lower, upper]: readonly [Float64Array, Float64Array],
  columns: Column[],
): Column[] {
  const bounded = columns.filter(({ labels }) => boundOf(labels) !== undefined)
  const histograms = grouped(bounded, (labels) => labelsKey(withoutLabels(labels, ['le'])))
  const fractions = [...histograms.values()].map((group) => {
    const result = emptyColumn(withoutLabels(group[0]?.labels ?? {}, ['le', ...metadata]), frame)
    const bounds = group.map(({ labels, ...column }) => ({ ...column, upTo: boundOf(labels) ?? NaN }))
    const inOrder = bounds.toSorted((a, b) => a.upTo - b.upTo || 0)
    for (let step = 0; step < frame.count; step += 1) {
      const present = inOrder.filter(({ has }) => has[step] === 1)
      const buckets = present.map(({ upTo, values }) => ({ upTo, count: values[step] ?? NaN }))
      if (buckets.length > 0) put(result, step, fraction(merged(buckets), lower[step] ?? NaN, upper[step] ?? NaN))
    }
    return result
  })
  return distinct(fractions)
}

/** One bucket for each bound. */
function merged(inOrder: Bucket[]): Bucket[] {
  const buckets: Bucket[] = []
  for (const { upTo, count } of inOrder) {
    const last = buckets.at(-1)
    if (last?.upTo === upTo) last.count += count
    else buckets.push({ upTo, count })
  }
  return buckets
}

function fraction(buckets: Bucket[], lower: number, upper: number): number {
  const last = buckets.at(-1)
  if (last?.upTo !== Infinity || last.count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return NaN
  if (lower >= upper) return 0
  const rank = (value: number) => rankOf(buckets, value, last.count)
  return (rank(upper) - rank(lower)) / last.count
}

/** How many observations are below a value, by a straight line between the bounds of its bucket. */
function rankOf(buckets: Bucket[], value: number, all: number): number {
  let below: Bucket = { upTo: -Infinity, count: 0 }
  for (const bucket of buckets) {
    if (below.upTo >= value) return Math.min(below.count, all)
    if (bucket.upTo > value) {
      const share = (value - below.upTo) / (bucket.upTo - below.upTo)
      const rank = below.count + (bucket.count - below.count) * share
      return rank > all ? all : rank
    }
    below = bucket
  }
  return all
}
