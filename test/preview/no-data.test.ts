import { describe, expect, test } from 'bun:test'
import type { FakeSeries } from '../support/fake-source.ts'
import { previewer } from '../support/previewer.ts'

const it = previewer()

const nameLabel = '__name__'
const series = [
  { __name__: 'requests_total', code: '200', job: 'web' },
  { __name__: 'requests_total', code: '503', job: 'web' },
  { __name__: 'requests_total', code: '404', job: 'api' },
  { __name__: 't_bucket', le: '0.1' },
  { __name__: 't_bucket', le: '1.0' },
  { __name__: 't_count' },
]

/** Sets a source that has the series above, and answers only queries that look for series. */
function findsSeries(): void {
  it.source.script((expression) => {
    if (!/^count(?: by \(\w+\))? \(/.test(expression) && !expression.startsWith('count(count_over_time(')) return null
    const by = /^count by \((\w+)\)/.exec(expression)?.[1]
    const expected = /count_over_time\((\w+)/.exec(expression)?.[1]
    const matchers = [...expression.matchAll(/(\w+)(=~|=|!=)"([^"]*)"/g)]
    const found = series.filter((labels: Record<string, string>) => {
      if (expected !== undefined && labels[nameLabel] !== expected) return false
      return matchers.every(([, label = '', operator, value = '']) => {
        const has = labels[label] ?? ''
        return operator === '=~' ? new RegExp(`^(?:${value})$`).test(has) : (has === value) === (operator === '=')
      })
    })
    if (found.length === 0) return null
    if (by === undefined) return found.length
    const values = new Set(found.map((labels: Record<string, string>) => labels[by]))
    return [...values].map((value): FakeSeries => ({ labels: value === undefined ? {} : { [by]: value }, value: 1 }))
  })
}

const ratio = (good: string, all: string) => ({ metric_query: `sum(rate(${good}[5m])) / sum(rate(${all}[5m]))` })

describe('where there is no data, the part that finds none is named:', () => {
  test.each([
    [
      ratio('requests_totl{code="200"}', 'requests_totl'),
      'There is no metric requests_totl in the last 24h.',
      'There are: requests_total.',
      'no_metric',
      { metric: 'requests_totl', lookback: '24h', metrics: ['requests_total'] },
    ],
    [
      ratio('hits{code="200"}', 'hits'),
      'There is no metric hits in the last 24h.',
      'Check its spelling',
      'no_metric',
      { metrics: [] },
    ],
    [
      ratio('requests_total{job="web",code="201"}', 'requests_total'),
      'No series of requests_total has code="201".',
      'Values of code: 200, 404, 503.',
      'no_matching_series',
      {
        metric: 'requests_total',
        matcher: 'code="201"',
        label: 'code',
        operator: '=',
        value: '201',
        values: ['200', '404', '503'],
      },
    ],
    [
      ratio('requests_total{code="40🛒"}', 'requests_total'),
      'No series of requests_total has code="40🛒".',
      'Values of code: 200, 404, 503.',
      'no_matching_series',
      { value: '40🛒', values: ['404', '200', '503'] },
    ],
    [
      ratio('requests_total{status=~"2.."}', 'requests_total'),
      'No series of requests_total has status=~"2..".',
      'It has no label status.',
      'no_matching_series',
      { label: 'status', operator: '=~', value: '2..', values: [] },
    ],
    [
      ratio('t_bucket{le="1"}', 't_count'),
      'No series of t_bucket has le="1".',
      'Values of le: 0.1, 1.0. A bound has to be one of them, written the same.',
      'no_matching_series',
      { label: 'le', values: ['0.1', '1.0'] },
    ],
    [
      ratio('requests_total{job="api",code="503"}', 'requests_total'),
      'requests_total{job="api",code="503"} finds nothing in the last 24h.',
      'Each matcher finds series, but no series has them all.',
      'no_series',
      { selector: 'requests_total{job="api",code="503"}', lookback: '24h' },
    ],
    [
      ratio('requests_total{code="200"}', 'requests_total'),
      'The source has no data for this query in the window.',
      'put sum(…) around both; a range such as [1m] has to span two scrapes.',
      'no_data',
      {},
    ],
  ])('%j', async (slo, message, hint, code, params) => {
    findsSeries()
    const { body } = await it.preview(slo)
    expect(body).toMatchObject({ status: 'unknown', own: { sli: null, status_reason: 'no_data' }, history: null })
    expect(body.problems).toEqual([
      {
        field: 'metric_query',
        message,
        hint: expect.stringContaining(hint),
        code,
        params: expect.objectContaining(params),
      },
    ])
    expect(it.source.expressions().filter((text) => text.startsWith('count')).length).toBeLessThan(14)
  })

  test('of a pair, the query it is in', async () => {
    findsSeries()
    const { body } = await it.preview({
      metric_query: null,
      good_query: 'sum(rate(requests_total{code="200"}[5m]))',
      total_query: 'sum(rate(requests_total{job="shop"}[5m]))',
    })
    expect(body.problems).toMatchObject([
      {
        field: 'total_query',
        message: 'No series of requests_total has job="shop".',
        hint: 'Values of job: api, web.',
      },
    ])
  })
})

test('a failing side that finds nothing is a warning, for nothing may have failed', async () => {
  it.source.script((expression) => {
    if (expression.includes('bad') || expression.startsWith('count_over_time(')) return null
    return 1_000_000
  })
  const { body } = await it.preview({
    metric_query: null,
    bad_query: 'sum(rate(bad[5m]))',
    total_query: 'sum(rate(all[5m]))',
  })
  expect(body).toMatchObject({ own: { sli: 100 }, problems: [] })
  expect(body.warnings).toEqual([
    'There is no metric bad in the last 24h. Nothing has failed, or its labels are misspelt.',
  ])
})

test('a source that says nothing about series leaves the reason alone', async () => {
  it.source.script((expression) => {
    if (expression.startsWith('count(')) throw new Error('too many series')
    return null
  })
  const { status, body } = await it.preview()
  expect(status).toBe(200)
  expect(body.problems).toMatchObject([{ field: 'metric_query', message: expect.stringContaining('no data') }])
})
