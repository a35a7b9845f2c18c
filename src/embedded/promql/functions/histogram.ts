import { type Labels, labelOf, labelsKey, metadataLabels, metricName, withoutLabels } from '../../../promql/labels.ts'
import { type Annotator, quantileOutOfBounds } from '../annotations.ts'
import { type Column, distinct, emptyColumn, type Frame, grouped, put } from '../columns.ts'

type Bucket = { upTo: number; count: number }

/** `histogram_quantile` of classic buckets; `from`: offsets of its arguments in the query. */
export function histogramQuantile(
  frame: Frame,
  shares: Float64Array,
  columns: Column[],
  { annotator, from }: { annotator: Annotator; from: [number, number] },
): Column[] {
  for (const share of shares) if (!(share >= 0 && share <= 1)) annotator.warn(quantileOutOfBounds(share), from[0])
  warnOfBounds(columns, annotator, from[1])
  return overHistograms(frame, columns, (metric) => {
    let name = metric // as in Prometheus, only the info about the first step with a value names the metric
    return (buckets, step) => {
      const hadFallen = makeCumulative(buckets)
      const share = shares[step] ?? NaN
      const last = buckets.at(-1)
      if (hadFallen && share >= 0 && share <= 1 && last?.upTo === Infinity && last.count !== 0)
        annotator.inform(orderForced(name), from[1])
      name = ''
      return quantileOf(buckets, share)
    }
  })
}

/** `histogram_fraction` of classic buckets: the share of observations between two bounds. */
export function histogramFraction(
  frame: Frame,
  [lower, upper]: readonly [Float64Array, Float64Array],
  columns: Column[],
  { annotator, from }: { annotator: Annotator; from: number },
): Column[] {
  warnOfBounds(columns, annotator, from)
  return overHistograms(
    frame,
    columns,
    () => (buckets, step) => fractionOf(buckets, lower[step] ?? NaN, upper[step] ?? NaN),
  )
}

/** Computes a value from the buckets of a histogram at a step: one bucket per bound, sorted by bound. */
type BucketFunction = (buckets: Bucket[], step: number) => number

/** Gives a column for each histogram; leaves out series whose label `le` is no bound. */
function overHistograms(frame: Frame, columns: Column[], functionFor: (metric: string) => BucketFunction): Column[] {
  const bounded = columns.filter(({ labels }) => boundOf(labels) !== undefined)
  const groups = grouped(bounded, (labels) => labelsKey(withoutLabels(labels, ['le'])))
  const results = Array.from(groups.values(), (group) => {
    const labels = group[0]?.labels ?? {}
    const result = emptyColumn(withoutLabels(labels, ['le', ...metadataLabels]), frame)
    const apply = functionFor(labelOf(labels, metricName))
    const bounds = group.map((column) => ({ ...column, upTo: boundOf(column.labels) ?? NaN }))
    const inOrder = bounds.toSorted((a, b) => a.upTo - b.upTo || 0)
    for (let step = 0; step < frame.count; step += 1) {
      const buckets: Bucket[] = []
      for (const { has, values, upTo } of inOrder) {
        if (has[step] !== 1) continue
        const [count, last] = [values[step] ?? NaN, buckets.at(-1)]
        if (last?.upTo === upTo) last.count += count
        else buckets.push({ upTo, count })
      }
      if (buckets.length > 0) put(result, step, apply(buckets, step))
    }
    return result
  })
  return distinct(results) // throws if two differ only by labels that were dropped
}

/** Upper bound of a classic bucket; undefined if there is none. */
function boundOf(labels: Labels): number | undefined {
  const text = labelOf(labels, 'le')
  if (/^[-+]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined
}

function warnOfBounds(columns: Column[], annotator: Annotator, from: number) {
  for (const { labels } of columns) if (boundOf(labels) === undefined) annotator.warn(badBound(labels), from)
}

const badBound = (labels: Labels) =>
  `bucket label "le" is missing or has a malformed value of ${JSON.stringify(labelOf(labels, 'le'))} ` +
  `for metric name ${JSON.stringify(labelOf(labels, metricName))}`

const orderForced = (metric: string) =>
  'input to histogram_quantile needed to be fixed for monotonicity ' +
  '(see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile) ' +
  `for metric name ${JSON.stringify(metric)}`

/** Raises buckets that have counted less than the one below. True if one had, by more than rounding. */
function makeCumulative(buckets: Bucket[]): boolean {
  let max = buckets[0]?.count ?? NaN
  let hasFallen = false
  for (const bucket of buckets.slice(1)) {
    const isRounding = isAlmost(bucket.count, max)
    if (isRounding || bucket.count < max) {
      hasFallen ||= !isRounding
      bucket.count = max
    } else max = bucket.count
  }
  return hasFallen
}

/** Relative difference that rounding causes between equal counts. */
const tolerance = 1e-12

/** True for numbers that differ by rounding only, like `almost.Equal` of Prometheus. `minNormal`: smallest normal double. */
function isAlmost(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  const [distance, size] = [Math.abs(a - b), Math.abs(a) + Math.abs(b)]
  const minNormal = 2 ** -1022
  if (a === 0 || b === 0 || size < minNormal) return distance < tolerance * minNormal
  return distance / Math.min(size, Number.MAX_VALUE) < tolerance
}

function quantileOf(buckets: Bucket[], share: number): number {
  if (Number.isNaN(share)) return NaN
  if (share < 0) return -Infinity
  if (share > 1) return Infinity
  const [beforeLast, last] = buckets.slice(-2)
  if (last?.upTo !== Infinity || !beforeLast || last.count === 0) return NaN
  let rank = share * last.count
  const index = firstReaching(buckets, rank)
  const bucket = buckets[index]
  if (!bucket || bucket === last) return beforeLast.upTo
  if (index === 0 && bucket.upTo <= 0) return bucket.upTo
  const below = buckets[index - 1] ?? { upTo: 0, count: 0 }
  rank -= below.count
  return below.upTo + (bucket.upTo - below.upTo) * (rank / (bucket.count - below.count))
}

/**
 * The first bucket, except the last, that has counted `rank`, otherwise the last. Binary search, because NaN may be among the
 * counts.
 */
function firstReaching(buckets: Bucket[], rank: number): number {
  let [low, high] = [0, buckets.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((buckets[middle]?.count ?? NaN) >= rank) high = middle
    else low = middle + 1
  }
  return low
}

function fractionOf(buckets: Bucket[], lower: number, upper: number): number {
  const last = buckets.at(-1)
  if (last?.upTo !== Infinity || last.count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return NaN
  if (lower >= upper) return 0
  const rank = (value: number) => rankOf(buckets, value, last.count)
  return (rank(upper) - rank(lower)) / last.count
}

/** Number of observations below a value, interpolated linearly between the bounds of its bucket. */
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
