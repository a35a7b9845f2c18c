import { type Column, distinct, emptyColumn, type Frame, grouped, put } from '../columns.ts'
import { type Labels, labelOf, labelsKey, metadata, withoutLabels } from '../../../promql/labels.ts'

type Bucket = { upTo: number; count: number }

const notOfHistogram = ['le', ...metadata]

/** `histogram_quantile` of classic buckets, whose upper bound is in the label `le`; a series without a bound is passed over. */
export function histogramQuantile(frame: Frame, share: Float64Array, columns: Column[]): Column[] {
  const bounded = columns.filter(({ labels }) => boundOf(labels) !== undefined)
  const histograms = grouped(bounded, (labels) => labelsKey(withoutLabels(labels, ['le'])))
  const quantiles = [...histograms.values()].map((group) => {
    const result = emptyColumn(withoutLabels(group[0]?.labels ?? {}, notOfHistogram), frame)
    const bounds = group.map(({ labels, ...column }) => ({ ...column, upTo: boundOf(labels) ?? NaN }))
    for (let step = 0; step < frame.count; step += 1) {
      const present = bounds.filter(({ has }) => has[step] === 1)
      const found = present.map(({ upTo, values }) => ({ upTo, count: values[step] ?? NaN }))
      if (found.length > 0) put(result, step, bucketQuantile(share[step] ?? NaN, found))
    }
    return result
  })
  return distinct(quantiles)
}

/** The upper bound of a classic bucket; undefined where there is none. */
export function boundOf(labels: Labels): number | undefined {
  const text = labelOf(labels, 'le')
  if (/^[-+]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined
}

function bucketQuantile(share: number, found: Bucket[]): number {
  if (Number.isNaN(share)) return NaN
  if (share < 0) return -Infinity
  if (share > 1) return Infinity
  const buckets = cumulative(found)
  const last = buckets.at(-1)
  const beforeLast = buckets.at(-2)
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

/** In order of their bounds, one for each, none with less than the one before. */
function cumulative(found: Bucket[]): Bucket[] {
  const merged: Bucket[] = []
  for (const { upTo, count } of found.toSorted((a, b) => a.upTo - b.upTo || 0)) {
    const last = merged.at(-1)
    if (last?.upTo === upTo) last.count += count
    else merged.push({ upTo, count })
  }
  let most = merged[0]?.count ?? NaN
  for (const bucket of merged.slice(1)) {
    if (bucket.count < most || isAlmost(bucket.count, most)) bucket.count = most
    else most = bucket.count
  }
  return merged
}

/** Whether two counts differ by rounding alone. */
function isAlmost(a: number, b: number): boolean {
  if (a === 0 || b === 0) return a === b
  return Object.is(a, b) || Math.abs(a - b) / (Math.abs(a) + Math.abs(b)) < 1e-12
}

/** The first of all buckets but the last that has counted `rank`, else the last; by halving, as NaN may be among them. */
function firstReaching(buckets: Bucket[], rank: number): number {
  let [low, high] = [0, buckets.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((buckets[middle]?.count ?? NaN) >= rank) high = middle
    else low = middle + 1
  }
  return low
}
