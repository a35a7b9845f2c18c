import type { Labels } from '../../promql/labels.ts'
import type { Result } from '../promql/query.ts'
import type { PointBatch, QueryEnd } from './messages.ts'

const [seriesPerBatch, pointsPerBatch] = [512, 65_536]

/** Points of a result, in its order, in batches that are received quickly. */
export function* pointBatches(result: Result): Generator<PointBatch> {
  if (result.type !== 'vector' && result.type !== 'matrix') return
  const all =
    result.type === 'matrix'
      ? result.series
      : result.samples.map(({ labels, point }) => ({
          labels,
          timesMs: Float64Array.of(point[0]),
          values: Float64Array.of(point[1]),
        }))
  for (let at = 0; at < all.length;) {
    const from = at
    let points = 0
    while (at < all.length && at - from < seriesPerBatch && points < pointsPerBatch) {
      points += all[at]?.timesMs.length ?? 0
      at += 1
    }
    const some = all.slice(from, at)
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

/** Everything of a result except the points of a vector or matrix. */
export function endOf(result: Result): QueryEnd {
  const { type, annotations } = result
  const remarks = annotations && { annotations }
  if (type === 'scalar') return { type, timeMs: result.point[0], value: result.point[1], ...remarks }
  return type === 'string' ? result : { type, ...remarks }
}

/** Labels sorted by name. */
export function inOrder(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
