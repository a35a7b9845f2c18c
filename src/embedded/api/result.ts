import type { Labels } from '../promql/labels.ts'
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
      return { resultType: 'scalar', result: wirePoint(result.point) }
    case 'string':
      return { resultType: 'string', result: [result.timeMs / 1000, result.text] }
    case 'vector': {
      const samples = result.samples.map(({ labels, point }) => ({ metric: sorted(labels), value: wirePoint(point) }))
      return { resultType: 'vector', result: samples }
    }
    case 'matrix':
      return { resultType: 'matrix', result: matrixOf(result) }
  }
}

/** The series of a matrix; none of anything else. */
export function matrixOf(result: Result): WireSeries[] {
  if (result.type !== 'matrix') return []
  return result.series.map(({ labels, points }) => ({ metric: sorted(labels), values: points.map(wirePoint) }))
}

function wirePoint([timeMs, value]: Point): WirePoint {
  return [timeMs / 1000, valueText(value)]
}

/** A value as Prometheus writes it: the shortest decimal that gives it back, never with an exponent. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  return exponent === undefined ? text : withoutExponent(mantissa, Number(exponent))
}

function withoutExponent(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = whole + fraction
  const point = whole.length + exponent
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}

function sorted(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
