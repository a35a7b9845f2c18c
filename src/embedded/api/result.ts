import type { Labels } from '../promql/labels.ts'
import { decimal } from '../promql/literals.ts'
import type { Point, Result } from '../promql/query.ts'

/** Unix seconds, and the value as text. */
export type WirePoint = [timestampSeconds: number, value: string]
type WireSeries = { metric: Record<string, string>; values: WirePoint[] }

/** The `data` of an answer (https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats). */
export type WireData =
  | { resultType: 'vector'; result: { metric: Record<string, string>; value: WirePoint }[] }
  | { resultType: 'scalar' | 'string'; result: WirePoint }
  | { resultType: 'matrix'; result: WireSeries[] }

export function instantData(result: Result): WireData {
  switch (result.type) {
    case 'scalar':
      return { resultType: 'scalar', result: [result.point[0] / 1000, decimal(result.point[1])] }
    case 'string':
      return { resultType: 'string', result: [result.timeMs / 1000, result.text] }
    case 'vector': {
      const samples = result.samples.map(({ labels, point }) => ({ metric: inOrder(labels), value: wirePoint(point) }))
      return { resultType: 'vector', result: samples }
    }
    case 'matrix':
      return { resultType: 'matrix', result: matrixOf(result) }
  }
}

/** The series of a matrix; none of anything else. */
export function matrixOf(result: Result): WireSeries[] {
  if (result.type !== 'matrix') return []
  return result.series.map(({ labels, points }) => ({ metric: inOrder(labels), values: points.map(wirePoint) }))
}

const pointsAtOnce = 500

/** The `data` of an answer as JSON, a piece at a time: it may be much. */
export function* dataPieces(result: Result): Generator<string> {
  if (result.type !== 'matrix') {
    yield JSON.stringify(instantData(result))
    return
  }
  yield '{"resultType":"matrix","result":['
  for (const [place, { labels, points }] of result.series.entries()) {
    yield `${place === 0 ? '' : ','}{"metric":${JSON.stringify(inOrder(labels))},"values":[`
    for (let from = 0; from < points.length; from += pointsAtOnce) {
      let text = ''
      for (let at = from; at < Math.min(from + pointsAtOnce, points.length); at += 1) {
        const [timeMs, value] = points[at] ?? [0, NaN]
        text += `${at === 0 ? '' : ','}[${timeMs / 1000},"${valueText(value)}"]`
      }
      yield text
    }
    yield ']}'
  }
  yield ']}'
}

function wirePoint([timeMs, value]: Point): WirePoint {
  return [timeMs / 1000, valueText(value)]
}

/** A value as Prometheus writes it in vectors and matrices; an exponent, where there is one, has two digits or more. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  return Math.abs(value) < 1e-6 ? text.replace(/e-(\d)$/, 'e-0$1') : text
}

/** The same labels in order of their names. */
export function inOrder(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
