import { expect, test } from 'bun:test'
import type { FakeSeries } from '../support/fake-source.ts'
import { previewer } from '../support/previewer.ts'

const it = previewer()

const by = (labels: string, metric = 'hits') => `sum by (${labels}) (rate(${metric}[5m]))`
const pair = (labels: string) => ({ metric_query: null, good_query: by(labels, 'ok'), total_query: by(labels) })

/** Findings of a preview, where the source has these values of labels. */
async function findings(slo: object, values: Record<string, string[]>) {
  it.source.script((expression) => {
    const label = /^count by \("?(.+?)"?\) /.exec(expression)?.[1]
    if (label === undefined) return 0.9995
    return (values[label] ?? []).map((value): FakeSeries => ({ labels: { [label]: value }, value: 1 }))
  })
  const { status, body } = await it.preview(slo)
  expect(status).toBe(200)
  return body.problems.filter(({ code }: { code: string }) => code === 'several_series_by')
}

const routes = { route: ['/b', '/a'], pod: ['p'] }

test.each([
  ['a pair', pair('route'), 'total_query'],
  ['one query', { metric_query: `${by('route', 'ok')} / ${by('route')}` }, 'metric_query'],
  ['one query, the other way around', { metric_query: `1 - ${by('route', 'ok')} / ${by('route')}` }, 'metric_query'],
  ['a gauge', { metric_query: 'avg by (route) (up)' }, 'metric_query'],
  ['the second label', pair('pod, route'), 'total_query'],
  [
    'a bounded quantile',
    {
      metric_query: 'histogram_quantile(0.9, sum by (le, route) (rate(x_bucket[5m])))',
      threshold: 0.3,
      threshold_op: 'lte',
    },
    'metric_query',
  ],
  [
    'a placeholder',
    { metric_query: 'sum by (route) (rate(ok[$window])) / sum by (route) (rate(hits[$window]))' },
    'metric_query',
  ],
])('a query that is grouped by a label with several values says so: %s', async (_, slo, field) => {
  expect(await findings(slo, routes)).toEqual([
    {
      field,
      code: 'several_series_by',
      params: { label: 'route', values: ['/a', '/b'], count: 2 },
      message: 'The query has 2 values of route; they are measured together, as one SLO.',
      hint: 'Create an SLO for each route if each has to meet the target.',
    },
  ])
})

test.each([
  ['one value', pair('pod')],
  ['no label', { metric_query: 'sum(rate(ok[5m])) / sum(rate(hits[5m]))' }],
  ['a sum around it', { metric_query: `sum(${by('route', 'ok')}) / sum(${by('route')})` }],
  ['without', { metric_query: 'sum without (pod) (rate(ok[5m])) / sum without (pod) (rate(hits[5m]))' }],
])('a query with one series has no such finding: %s', async (_, slo) => {
  expect(await findings(slo, routes)).toEqual([])
})

test('at most 50 values are listed, none that an SLO cannot have as a label', async () => {
  const values = ['', ' x', 'y'.repeat(300), ...Array.from({ length: 60 }, (_, at) => `v${at + 10}`)]
  const [{ params }] = await findings(pair('route'), { route: values })
  expect(params).toEqual({ label: 'route', values: values.slice(3, 53), count: 63 })
})

test('the values are counted over the whole window, and a source that refuses leaves the finding out', async () => {
  await findings(pair('route'), routes)
  expect(it.source.expressions()).toContain('count by (route) (sum by (route) (increase(hits[2592000s])))')
  it.source.script((expression) => {
    if (expression.startsWith('count by')) throw new Error('too many series')
    return 0.9995
  })
  const { status, body } = await it.preview(pair('route'))
  expect(status).toBe(200)
  expect(body.problems.map(({ code }: { code: string }) => code)).not.toContain('several_series_by')
})
