import { createYielder } from '../../concurrency/yielder.ts'
import type { QueryAnswer } from '../engine.ts'
import { decimal } from '../../promql/literals.ts'
import { truncated } from './parameters.ts'

/** Unix seconds, and the value as text. */
type WirePoint = [timestampSeconds: number, value: string]
type WireSeries = { metric: Record<string, string>; values: WirePoint[] }

/** The `data` of an answer (https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats). */
type WireData =
  | { resultType: 'vector'; result: { metric: Record<string, string>; value: WirePoint }[] }
  | { resultType: 'scalar' | 'string'; result: WirePoint }
  | { resultType: 'matrix'; result: WireSeries[] }

/** Converts an answer to its `data`. Yields to the event loop, because the answer may be large. */
export async function instantData(answered: QueryAnswer): Promise<WireData> {
  if (answered.type === 'scalar') return { resultType: 'scalar', result: scalarPoint(answered) }
  if (answered.type === 'string') return { resultType: 'string', result: [answered.timeMs / 1000, answered.text] }
  const result = await matrixOf(answered)
  if (answered.type === 'matrix') return { resultType: 'matrix', result }
  return {
    resultType: 'vector',
    result: result.flatMap(({ metric, values: [value] }) => (value ? [{ metric, value }] : [])),
  }
}

/** Series of a matrix or vector; empty for any other type. Yields to the event loop. */
export async function matrixOf({ points }: QueryAnswer): Promise<WireSeries[]> {
  const yielder = createYielder()
  const all: WireSeries[] = []
  for (const { metrics, counts, timesMs, values } of points) {
    let at = 0
    for (const [index, metric] of metrics.entries()) {
      const series: WireSeries = { metric: JSON.parse(metric), values: [] }
      for (const end = at + (counts[index] ?? 0); at < end; at += 1) {
        series.values.push([(timesMs[at] ?? NaN) / 1000, valueText(values[at] ?? NaN)])
        if (yielder.isDue()) await yielder.next()
      }
      all.push(series)
    }
  }
  return all
}

/**
 * Cuts an answer to its first `limit` series and adds a warning; returns it unchanged if it has no more, or if `limit` is 0.
 */
export function firstOf(answered: QueryAnswer, limit: number): QueryAnswer {
  if (limit === 0 || answered.points.reduce((sum, { metrics }) => sum + metrics.length, 0) <= limit) return answered
  let remaining = limit
  const points = answered.points.map((samples) => {
    const metrics = samples.metrics.slice(0, remaining)
    remaining -= metrics.length
    return { ...samples, metrics }
  })
  const { warnings = [], infos = [] } = answered.annotations ?? {}
  return { ...answered, points, annotations: { infos, warnings: [...warnings, truncated] } }
}

const pointsPerBatch = 500

/** The `data` of an answer as JSON, in pieces because it may be large. */
export function* dataPieces(answered: QueryAnswer): Generator<string> {
  if (answered.type === 'scalar' || answered.type === 'string') {
    const { type } = answered
    const point = type === 'scalar' ? scalarPoint(answered) : [answered.timeMs / 1000, answered.text]
    yield JSON.stringify({ resultType: type, result: point })
    return
  }
  const isVector = answered.type === 'vector'
  yield `{"resultType":"${answered.type}","result":[`
  let separator = ''
  for (const { metrics, counts, timesMs, values } of answered.points) {
    let at = 0
    for (const [index, metric] of metrics.entries()) {
      yield `${separator}{"metric":${metric},${isVector ? '"value":' : '"values":['}`
      separator = ','
      const [from, end] = [at, at + (counts[index] ?? 0)]
      while (at < end) {
        let text = ''
        for (const to = Math.min(at + pointsPerBatch, end); at < to; at += 1)
          text += `${at === from ? '' : ','}[${(timesMs[at] ?? NaN) / 1000},"${valueText(values[at] ?? NaN)}"]`
        yield text
      }
      yield isVector ? '}' : ']}'
    }
  }
  yield ']}'
}

const scalarPoint = ({ timeMs, value }: { timeMs: number; value: number }): WirePoint => [timeMs / 1000, decimal(value)]

/** Formats a value like Prometheus does in vectors and matrices; an exponent has at least two digits. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  return Math.abs(value) < 1e-6 ? text.replace(/e-(\d)$/, 'e-0$1') : text
}
