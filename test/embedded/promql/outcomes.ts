import { labelsKey } from '../../../src/promql/labels.ts'
import type { Point, Result } from '../../../src/embedded/promql/query.ts'
import type { Series } from '../../../src/embedded/promql/reader.ts'

export type Outcome = Result | { type: 'error'; error: string; errorType: string }

/** Prometheus accepts invalid UTF-8 in strings and fails later. */
const notOfText = 'the bytes of a string must be UTF-8'

/** First difference of two outcomes by more than 1e-9, in one line; undefined if there is none. */
export function difference(ours: Outcome, theirs: Outcome): string | undefined {
  if (ours.type === 'error' && theirs.type === 'error') {
    const both = [ours, theirs].map(({ errorType, error }) => `${errorType} (${error})`)
    return ours.errorType === theirs.errorType || ours.error === notOfText
      ? undefined
      : `our error is ${both.join(', theirs ')}`
  }
  if (ours.type === 'error') return `we fail: ${ours.error}; they give ${short(theirs)}`
  if (theirs.type === 'error') return `they fail: ${theirs.error}; we give ${short(ours)}`
  if (ours.type !== theirs.type) return `we give a ${ours.type}, they a ${theirs.type}`
  if (ours.type === 'string')
    return short(ours) === short(theirs) ? undefined : `we say ${short(ours)}, they ${short(theirs)}`
  const [left, right] = [byLabels(ours), byLabels(theirs)]
  for (const [key, points] of left) {
    const others = right.get(key)
    if (!others) return `only we have ${key}: ${short(points)}`
    const at = points.findIndex((point, index) => !samePoint(point, others[index]))
    if (at >= 0) return `${key}: we have ${short(points[at])}, they ${short(others[at] ?? others.at(-1))}`
    if (others.length > points.length) return `${key}: they have more, ${short(others[points.length])}`
  }
  for (const [key, points] of right) if (!left.has(key)) return `only they have ${key}: ${short(points)}`
  return undefined
}

const short = (value: unknown) =>
  (JSON.stringify(value, (_key, one) => (typeof one === 'number' ? String(one) : one)) ?? 'nothing').slice(0, 160)

function byLabels(result: Result): Map<string, Point[]> {
  if (result.type === 'scalar') return new Map([['scalar', [result.point]]])
  if (result.type === 'vector') return new Map(result.samples.map(({ labels, point }) => [labelsKey(labels), [point]]))
  if (result.type === 'matrix') return new Map(result.series.map((one) => [labelsKey(one.labels), pointsOf(one)]))
  return new Map()
}

function samePoint([timeMs, value]: Point, other: Point | undefined): boolean {
  if (timeMs !== other?.[0]) return false
  if (Object.is(value, other[1]) || value === other[1]) return true
  const distance = Math.abs(value - other[1])
  return distance <= 1e-9 * Math.max(Math.abs(value), Math.abs(other[1])) || distance <= 1e-12
}

/** Samples of a series with their times. */
export function pointsOf({ timesMs, values }: Series): Point[] {
  return Array.from(timesMs, (timeMs, at) => [timeMs, values[at] ?? NaN])
}

type Sample = [seconds: number, value: string]
export type Answer = {
  status: string
  error?: string
  errorType?: string
  data?: {
    resultType: string
    result: Sample | { metric: Record<string, string>; value?: Sample; values?: Sample[] }[]
  }
}

/** Converts Prometheus' answer to the form that `difference` compares. */
export function outcomeOf({ status, error = '', errorType = '', data }: Answer): Outcome {
  if (status !== 'success' || !data) return { type: 'error', error, errorType }
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
