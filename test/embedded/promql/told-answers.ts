import type { Result } from '../../../src/embedded/promql/query.ts'

type Sample = [seconds: number, value: string]
export type Answer = {
  status: string
  error?: string
  data?: {
    resultType: string
    result: Sample | { metric: Record<string, string>; value?: Sample; values?: Sample[] }[]
  }
}

/** What a Prometheus answers, in the form that `difference` compares. */
export function toldResult({ status, error, data }: Answer): Result | { type: 'error'; error: string } {
  if (status !== 'success' || !data) return { type: 'error', error: error ?? 'no error' }
  const point = ([seconds, value]: Sample): [number, number] => [Math.round(seconds * 1000), numberOf(value)]
  const { result, resultType } = data
  if (isSample(result)) {
    if (resultType === 'string') return { type: 'string', timeMs: point(result)[0], text: result[1] }
    return { type: 'scalar', point: point(result) }
  }
  if (resultType === 'vector') {
    const samples = result.flatMap(({ metric, value }) => (value ? [{ labels: metric, point: point(value) }] : []))
    return { type: 'vector', samples }
  }
  return {
    type: 'matrix',
    series: result.map(({ metric, values = [] }) => ({
      labels: metric,
      timesMs: Float64Array.from(values, (sample) => point(sample)[0]),
      values: Float64Array.from(values, (sample) => point(sample)[1]),
    })),
  }
}

const isSample = (result: NonNullable<Answer['data']>['result']): result is Sample => typeof result[1] === 'string'

const numberOf = (text: string) => Number(text.replace('Inf', 'Infinity'))
