import { describe, expect, test } from 'bun:test'
import { evaluateInstant, evaluateRange } from '../../../src/embedded/promql/query.ts'
import { AppError } from '../../../src/errors.ts'
import type { Labels } from '../../../src/promql/labels.ts'
import { readerOf } from './samples.ts'

const limits = { maxSamples: 1e6, maxSeries: 1000, expired: () => false }
const minute = 60_000
const atMs = 10 * minute + 1

/** A series with one value per minute, from the first minute on. */
const sampled = (labels: Labels, ...values: number[]) => ({
  labels,
  samples: values.map((value, place) => ({ atMs: (place + 1) * minute, value })),
})
const alike = (name: string, count: number, more: (place: number) => Labels) =>
  Array.from({ length: count }, (_, place) => sampled({ __name__: name, ...more(place) }, ...Array(10).fill(place)))

const reader = readerOf([
  sampled({ __name__: 'gauge' }, 5, 3, 9, 3, 9, 4, 6, 8, 7, 1),
  sampled({ __name__: 'steps_total' }, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
  ...alike('many', 50, (place) => ({ n: String(place) })),
  ...alike('my.metric', 2, (place) => ({ 'a.b': `x${place}`, job: 'j', instance: `i${place}` })),
  ...alike('target_info', 2, (place) => ({ version: `v${place}`, job: 'j', instance: `i${place}` })),
  ...['1', '2', '+Inf'].map((le, place) => sampled({ __name__: 'h_bucket', le }, ...Array(10).fill((place + 1) * 10))),
])

const ask = (query: string) => evaluateInstant(reader, query, atMs, { limits })
const vector = (query: string) => {
  const result = ask(query)
  if (result.type !== 'vector') throw new Error(`a ${result.type}`)
  return result.samples
}
const values = (query: string) => vector(query).map(({ point }) => point[1])
const only = (query: string) => {
  const result = ask(query)
  if (result.type === 'scalar') return result.point[1]
  return values(query)[0]
}
const refusal = (query: string) => {
  try {
    ask(query)
  } catch (error) {
    if (error instanceof AppError) return error.details
    throw error
  }
  return undefined
}

describe('what came with Prometheus 3 has its value', () => {
  test.each([
    ['mad_over_time(gauge[10m])', 2.5],
    ['ts_of_min_over_time(gauge[10m])', 600],
    ['ts_of_max_over_time(gauge[10m])', 300],
    ['ts_of_last_over_time(gauge[10m] offset 2m)', 480],
    ['double_exponential_smoothing(steps_total[10m], 0.5, 0.5)', 10],
    ['histogram_fraction(1, 2, h_bucket)', 1 / 3],
    ['histogram_fraction(0.5, 2, h_bucket)', NaN],
    ['histogram_fraction(1, 1.5, h_bucket)', 1 / 6],
    ['histogram_fraction(-Inf, Inf, h_bucket)', 1],
    ['histogram_fraction(2, 1, h_bucket)', 0],
    ['count_over_time(gauge[2m * 2])', 4],
    ['count_over_time(gauge[2 ^ 3 * 1m - 0x3C])', 7],
    ['gauge offset (1m + 1m)', 8],
    ['gauge offset -(-1_20)', 8],
    ['sum_over_time(steps_total[3m:30s * 2])', 27],
    ['1h30m + 1_000', 6400],
    ['count(limitk(7, many))', 7],
    ['count(limitk by (n) (7, many))', 50],
    ['count(limit_ratio(0.4, many) or limit_ratio(-0.6, many))', 50],
    ['count(limit_ratio(0.4, many) and limit_ratio(-0.6, many))', undefined],
    ['sum({"my.metric", "a.b"="x1"})', 1],
    ['count(count by ("a.b") ({"my.metric"}))', 2],
    ['count(histogram_count(many))', undefined],
  ])('%s: %p', (query, value) => {
    if (value === undefined) expect(only(query)).toBeUndefined()
    else if (Number.isNaN(value)) expect(only(query)).toBeNaN()
    else expect(only(query)).toBeCloseTo(value, 9)
  })
})

test('limit_ratio chooses the series that a release of Prometheus chooses', () => {
  const chosen = vector('limit_ratio(0.1, many)').map(({ labels }) => Number(labels['n']))
  expect(chosen.toSorted((a, b) => a - b)).toEqual([2, 7, 8, 21, 26, 30, 38])
})

test('sort_by_label counts digits as numbers', () => {
  const order = (query: string) => vector(query).map(({ labels }) => labels['n'])
  expect(order('sort_by_label(many{n=~"1|2|10|20"}, "n")')).toEqual(['1', '2', '10', '20'])
  expect(order('sort_by_label_desc(many{n=~"1|2|10|20"}, "n")')).toEqual(['20', '10', '2', '1'])
})

describe('info adds the labels of info metrics', () => {
  const added = (query: string) => vector(query).map(({ labels }) => labels['version'])
  test.each([
    ['info({"my.metric"})', ['v0', 'v1']],
    ['info({"my.metric"}, {version="v1"})', ['v1']],
    ['info({"my.metric"}, {version=~"v1|"})', [undefined, 'v1']],
    ['info({"my.metric"}, {nothing=""})', [undefined, undefined]],
    ['info({"my.metric"}, {__name__="other_info"})', [undefined, undefined]],
    ['info(gauge)', [undefined]],
  ])('%s', (query, versions) => expect(added(query)).toEqual(versions))
})

describe('a query has the remarks of Prometheus', () => {
  const remarks = (query: string) => ask(query).annotations
  test.each([
    [
      'rate(gauge[5m])',
      'metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "gauge" (1:6)',
    ],
    [
      '\n  increase((gauge[5m]))',
      'metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "gauge" (2:13)',
    ],
    [
      'rate({"my.metric"}[5m])',
      'metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "my.metric" (1:6)',
    ],
  ])('%p: %s', (query, text) => expect(remarks(query)).toEqual({ warnings: [], infos: [`PromQL info: ${text}`] }))

  test.each([
    ['quantile(2, many)', 'quantile value should be between 0 and 1, got 2 (1:10)'],
    ['"ä" or quantile(-1e-7, many)', undefined],
    ['quantile_over_time(NaN, gauge[5m])', 'quantile value should be between 0 and 1, got NaN (1:20)'],
    ['histogram_quantile(1e7, h_bucket)', 'quantile value should be between 0 and 1, got 1e+07 (1:20)'],
    [
      'histogram_quantile(0.5, gauge)',
      'bucket label "le" is missing or has a malformed value of "" for metric name "gauge" (1:25)',
    ],
    ['limit_ratio(1.5, many)', 'ratio value should be between -1 and 1, got 1.5, capping to 1 (1:13)'],
    [
      'label_replace(gauge, "ä", "", "", "") and quantile(7, many)',
      'quantile value should be between 0 and 1, got 7 (1:53)',
    ],
  ])('%p: %s', (query, text) => {
    if (text === undefined) expect(refusal(query)).toBeDefined()
    else expect(remarks(query)).toEqual({ warnings: [`PromQL warning: ${text}`], infos: [] })
  })

  test.each(['rate(steps_total[5m])', 'rate(gauge[1s])', 'histogram_quantile(0.5, h_bucket)', 'delta(gauge[5m])'])(
    'or none: %s',
    (query) => expect(ask(query)).not.toHaveProperty('annotations'),
  )

  test.each(['avg', 'count', 'sum', 'stddev', 'stdvar'])(
    'that there are no native histograms for histogram_%s',
    (of) => {
      const text = `histogram_${of}() takes native histograms, and the embedded source has none`
      const infos = [`PromQL info: ${text} (1:${`histogram_${of}(`.length + 1})`]
      expect(ask(`histogram_${of}(h_bucket)`)).toMatchObject({ samples: [], annotations: { warnings: [], infos } })
    },
  )

  test('of the greatest and the least parameter of a range, and of NaN among them', () => {
    const times = { startMs: 5 * minute, endMs: atMs, stepMs: minute }
    const parameter = 'scalar(vector(-Inf) and on() steps_total > 7 or vector(NaN))'
    const { annotations } = evaluateRange(reader, `quantile(${parameter}, many)`, times, { limits })
    const remark = (value: string) => `PromQL warning: quantile value should be between 0 and 1, got ${value} (1:10)`
    expect(annotations?.warnings.toSorted()).toEqual([remark('-Inf'), remark('NaN')])
  })

  test('each once over a range, ten at most, and how many there are besides', () => {
    const many = readerOf(alike('', 14, (place) => ({ __name__: `gauge${place}`, n: String(place) })))
    const times = { startMs: 5 * minute, endMs: atMs, stepMs: minute }
    const { annotations } = evaluateRange(many, 'rate({__name__=~"gauge.*"}[3m])', times, { limits })
    expect(annotations?.infos).toHaveLength(11)
    expect(annotations?.infos.at(-1)).toBe('4 more info annotations omitted')
  })
})

describe('a time that is none is the least number of Go, counted on from the end of its calendar', () => {
  test.each(['NaN', 'Inf', '-Inf', '1e300', '2 ^ 63', '-(2 ^ 63)'])('%s', (time) => {
    const parts = ['minute', 'hour', 'day_of_week', 'day_of_month', 'day_of_year', 'days_in_month', 'month', 'year']
    expect(parts.map((part) => only(`${part}(vector(${time}))`))).toEqual([30, 15, 0, 4, 339, 31, 12, 292_277_026_596])
  })

  test.each([
    ['minute(vector(-9.2e18))', 26],
    ['year(vector(9.2e18))', 291_536_396_232],
    ['year(vector(-62135596801))', 0],
    ['day_of_year(vector(-62135596801))', 366],
    ['days_in_month(vector(-62162208001))', 29],
    ['day_of_week(vector(951782400))', 2],
    ['year(vector(-0.5))', 1970],
  ])('%s: %p', (query, value) => expect(only(query)).toBe(value))
})

describe('what is shorter than a millisecond, or beyond all times, has no samples', () => {
  test.each(['count_over_time(gauge[0.0004])', 'gauge offset NaN', 'gauge @ 1e15', 'sum(gauge @ -9e18)'])(
    '%s',
    (query) => expect(values(query)).toEqual([]),
  )
})

describe('what cannot be calculated says why', () => {
  test.each([
    [
      'double_exponential_smoothing(gauge[5m], 0, 0.5)',
      'invalid smoothing factor. Expected: 0 < sf < 1, got: 0.000000',
    ],
    ['double_exponential_smoothing(gauge[5m], 0.5, 1)', 'invalid trend factor. Expected: 0 < tf < 1, got: 1.000000'],
    ['limit_ratio(NaN, many)', 'Ratio value NaN is NaN'],
    ['limitk(NaN, many)', 'Scalar value NaN overflows int64'],
    ['gauge[5m:0.0004]', 'step must be at least 1 millisecond'],
    ['gauge[5m / 0]', 'division by zero'],
    ['gauge[5m % (1 - 1)]', 'modulo by zero'],
    ['gauge[1m - 1m]', 'duration must be greater than 0'],
    ['gauge offset 1e10', 'duration out of range'],
    ['sum by ("") (gauge)', 'invalid label name for grouping: ""'],
    ['count_values("", gauge)', 'invalid label name ""'],
    ['gauge{"other"}', 'metric name must not be set twice'],
    ['{""}', 'vector selector must contain at least one non-empty matcher'],
    ['info(gauge, gauge)', 'expected label selectors only as the second argument of “info”'],
    ['info(gauge, sum(gauge))', 'expected label selectors only as the second argument of “info”'],
    ['label_replace(gauge, "a", "", "", "(")', 'invalid regular expression in label_replace(): (: missing closing )'],
  ])('%s: %s', (query, why) => expect(refusal(query)).toBe(why))

  test.each(['topk', 'bottomk', 'limitk'])('%s of a parameter that is too low at one of the steps', (name) => {
    const query = (low: string) => `${name}(scalar(vector(${low}) and on() steps_total > 7 or vector(3)), many)`
    const ask = (low: string) =>
      evaluateRange(reader, query(low), { startMs: 5 * minute, endMs: atMs, stepMs: minute }, { limits })
    expect(() => ask('-Inf')).toThrow(expect.objectContaining({ details: 'Scalar value -Inf overflows int64' }))
    expect(ask('-(2 ^ 63)')).toMatchObject({ series: [{}, {}, {}] })
  })
})
