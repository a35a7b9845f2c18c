import { afterEach, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../../support/closing.ts'
import { fakeSource, type FakeSeries, type Script } from '../../support/fake-source.ts'
import { faultySource } from '../../support/faulty-source.ts'
import { testApp, testStartMs } from '../../support/app.ts'
import { findSuggestions } from '../../../src/insight/suggestions/suggestions.ts'
import type { Grid } from '../../../src/sources/source.ts'
import { readPromql } from '../../../src/promql/read.ts'
import { maxQueries } from '../../../src/insight/suggestions/budgeted-runner.ts'
import { collect, emptySource, foundIn, suggestionsOf } from './recorded.ts'

afterEach(closeAll)

type Found = { value: string; slo: Record<string, string> }

const nasty = [
  'quo"te',
  String.raw`back\slash`,
  'two\nlines',
  'a|b.*(c)[d]{e}^$+?',
  "it's {{name}}",
  '\u202Eright to left',
  'ünïcode ☃',
  ' ',
]

test('label values that are hard to write are written so that each selects its own series', async () => {
  const nines = await emptySource()
  const samples = nasty.map((service, at) => ({
    name: 'http_requests_total',
    labels: { service, code: '200' },
    value: 3000 * (at + 1),
  }))
  await collect(nines, samples)
  const { suggestions, gaps } = await foundIn(nines)
  expect(gaps).toEqual([])
  expect(suggestions.map(({ value }: Found) => value).toSorted()).toEqual(nasty.toSorted())
  for (const [at, service] of nasty.entries()) {
    const { slo, events_per_day: events } = suggestions.find(({ value }: Found) => value === service)
    expect(Math.round(events)).toBe(100 * (at + 1))
    const { status, body } = await nines.call('POST', '/api/v1/slos/preview', slo)
    expect([service, status, body.problems]).toEqual([service, 200, []])
    expect(body.own.query_metrics.total_events).toBeCloseTo(3000 * (at + 1), -2)
    expect((await nines.call('POST', '/api/v1/slos', slo)).status).toBe(201)
  }
})

test('a value of 10 kB is left out, and the others are suggested', async () => {
  const series = ['a'.repeat(10_000), 'short'].map((service): FakeSeries => ({
    labels: { service, code: '200' },
    value: 100,
  }))
  const { nines } = await withScript((expression) => {
    if (expression.includes('__name__')) return [{ labels: { __name__: 'http_requests_total' }, value: 2 }]
    return series
  })
  const { body } = await suggestionsOf(nines)
  expect(body.suggestions.map(({ value }: Found) => value)).toEqual(['short'])
})

test('10,000 names of metrics cost no more questions than a source may be asked', async () => {
  let asked = 0
  const range = async (expression: string, { startSeconds, endSeconds, stepSeconds }: Grid) => {
    asked += 1
    const times = Array.from(
      { length: 1 + (endSeconds - startSeconds) / stepSeconds },
      (_, at) => startSeconds + at * stepSeconds,
    )
    const groups = expression.includes('__name__')
      ? Array.from({ length: 10_000 }, (_, at) => ({ __name__: `a${at}_duration_seconds_bucket` }))
      : ['0.1', '+Inf'].map((le) => ({ job: 'x', code: '200', le }))
    const data = groups.map((metric) => ({ metric, values: times.map((time): [number, string] => [time, '10']) }))
    return { data, warnings: [], infos: [], isPartial: false, durationMs: 0 }
  }
  const instant = () => Promise.reject(new Error('not asked'))
  const options = { nowMs: testStartMs, sourceTimeoutMs: 60_000 }
  const { suggestions } = await findSuggestions({ name: 'Many', range, instant }, options)
  expect(suggestions).toHaveLength(18)
  expect(asked).toBeLessThanOrEqual(maxQueries)
})

test('names and labels that are no plain PromQL do not come into a question', async () => {
  const { nines, source } = await withScript((expression) => {
    const named = ['up", evil="', 'http requests_total', 'x_requests_total{}', 'y_requests_total']
    if (expression.includes('__name__')) return named.map((name) => ({ labels: { __name__: name }, value: 1 }))
    return [{ labels: { service: '"} or vector(1) #', code: '200' }, value: 10 }]
  })
  const { body } = await suggestionsOf(nines)
  expect(body.suggestions).toHaveLength(1)
  for (const expression of source.expressions()) expect(readPromql(expression).problem ?? null).toBeNull()
  expect(source.expressions().join('\n')).not.toContain('evil')
  expect(source.expressions().join('\n')).not.toMatch(/(?<!\\)"\} or vector/)
})

test('values that are no numbers, negative or infinite are no traffic', async () => {
  const { nines } = await withScript((expression) => {
    if (expression.includes('__name__')) return [{ labels: { __name__: 'http_requests_total' }, value: 3 }]
    return [Number.NaN, -5, Infinity].map((value, at) => ({ labels: { service: `s${at}`, code: '200' }, value }))
  })
  expect((await suggestionsOf(nines)).body).toMatchObject({ metrics_found: 1, suggestions: [] })
})

test('what a source refuses is a gap, and the rest is suggested; soon it is asked again', async () => {
  let isWell = false
  const { nines } = await withScript((expression) => {
    if (expression.includes('__name__'))
      return ['http_requests_total', 'grpc_server_handled_total'].map((name) => ({
        labels: { __name__: name },
        value: 1,
      }))
    if (expression.includes('grpc') && !isWell) throw new Error('too many samples')
    return [{ labels: { service: 'x', code: '200', grpc_code: 'OK' }, value: 50 }]
  })
  const { body } = await suggestionsOf(nines)
  expect(body.suggestions).toHaveLength(1)
  expect(body.gaps).toEqual([
    { metric: 'grpc_server_handled_total', message: expect.stringContaining('too many samples') },
  ])
  isWell = true
  nines.clock.advance(30_001)
  expect((await suggestionsOf(nines)).body).toMatchObject({ gaps: [], suggestions: [{}, {}] })
})

test('where the past is refused, a service is suggested with a target to begin with', async () => {
  const { nines } = await withScript((expression) => {
    if (expression.includes('__name__')) return [{ labels: { __name__: 'http_requests_total' }, value: 1 }]
    if (!/^(topk|max)/.test(expression)) throw new Error('query timed out')
    return [{ labels: { service: 'x', code: '200' }, value: 50 }]
  })
  const { body } = await suggestionsOf(nines)
  expect(body.suggestions).toMatchObject([
    { suggested_target: null, reached_percent: null, days: [], events_per_day: null, slo: { target: 99.9 } },
  ])
  expect(body.gaps).toHaveLength(1)
})

test('a source that hangs is given up after the first question, once for all who ask', async () => {
  const source = faultySource('hang')
  closeLater(source.close)
  const nines = await testApp({ env: { SOURCE_URL: source.url, SOURCE_TIMEOUT: '1' } })
  closeLater(nines.close)
  await nines.join('ada')
  const answers = await Promise.all([1, 2, 3].map(() => suggestionsOf(nines)))
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(source.asked).toHaveLength(1)
}, 20_000)

async function withScript(script: Script) {
  const source = fakeSource(script)
  closeLater(source.close)
  const nines = await testApp({ env: { SOURCE_URL: source.url } })
  closeLater(nines.close)
  await nines.join('ada')
  return { nines, source }
}
