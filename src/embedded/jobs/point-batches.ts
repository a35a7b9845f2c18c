import type { Labels } from '../../promql/labels.ts'
import type { Result, VectorSample } from '../promql/query.ts'
import type { PointBatch, QueryEnd } from './messages.ts'

const [seriesPerBatch, pointsPerBatch] = [512, 65_536]

/** Points of the first `maxSeries` series of a result, in its order, in batches that are received quickly. */
export function* pointBatches(result: Result, maxSeries = Infinity): Generator<PointBatch> {
  if (result.type !== 'vector' && result.type !== 'matrix') return
  const count = Math.min(maxSeries, result.type === 'matrix' ? result.series.length : result.samples.length)
  for (let at = 0; at < count;) {
    const from = at
    let points = 0
    while (at < count && at - from < seriesPerBatch && points < pointsPerBatch) {
      points += result.type === 'matrix' ? (result.series[at]?.timesMs.length ?? 0) : 1
      at += 1
    }
    const some = result.type === 'matrix' ? result.series.slice(from, at) : result.samples.slice(from, at).map(asSeries)
    const [timesMs, values] = [new Float64Array(points), new Float64Array(points)]
    let place = 0
    for (const one of some) {
      timesMs.set(one.timesMs, place)
      values.set(one.values, place)
      place += one.timesMs.length
    }
    const metrics = some.map(({ labels }) => JSON.stringify(inOrder(labels)))
    yield { metrics, counts: Uint32Array.from(some, (one) => one.timesMs.length), timesMs, values }
  }
}

const asSeries = ({ labels, point }: VectorSample) => ({
  labels,
  timesMs: Float64Array.of(point[0]),
  values: Float64Array.of(point[1]),
})

/** Everything of a result except the points of a vector or matrix. */
export function endOf(result: Result): QueryEnd {
  const { type, annotations } = result
  const annotated = annotations && { annotations }
  if (type === 'scalar') return { type, timeMs: result.point[0], value: result.point[1], ...annotated }
  return type === 'string' ? result : { type, ...annotated }
}

/** Labels sorted by name. */
export function inOrder(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
