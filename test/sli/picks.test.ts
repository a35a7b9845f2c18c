import { describe, expect, test } from 'bun:test'
import { picksOf } from '../../src/sli/picks.ts'
import { completeDefinition } from '../../src/slos/definition.ts'
import type { Picks } from '../../src/slos/picks-model.ts'
import { checkout, sloCalls } from '../support/slo-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

const on = sloCalls()
const job = [{ label: 'job', op: '=' as const, value: 'shop' }]
const bound = { threshold: 0.3, threshold_op: 'lte' as const }

/** Queries of each kind of the form, and their picks. */
const kinds: [Parameters<typeof completeDefinition>[0], Picks][] = [
  [
    {
      bad_query: 'sum(rate(a{job="shop", code=~"5.."}[5m]))',
      total_query: 'sum(rate(a{job="shop"}[5m]))',
    },
    {
      kind: 'requests',
      metric: 'a',
      filters: job,
      counts: 'bad',
      matching: [{ label: 'code', op: '=~', value: '5..' }],
      range: '5m',
    },
  ],
  [
    { good_query: 'sum(rate(d_bucket{job="shop", le="0.3"}[5m]))', total_query: 'sum(rate(d_count{job="shop"}[5m]))' },
    { kind: 'latency', by: 'share', metric: 'd', filters: job, le: '0.3', range: '5m' },
  ],
  [
    { metric_query: 'histogram_quantile(0.95, sum by (le) (rate(d_bucket{job="shop"}[5m])))', ...bound },
    { kind: 'latency', by: 'quantile', metric: 'd', filters: job, quantile: '0.95', range: '5m' },
  ],
  [{ metric_query: 'avg(avg_over_time(probe_success{job="shop"}[1m]))' }, { kind: 'site', filters: job, range: '1m' }],
  [{ metric_query: 'avg(probe_success{job="shop"})' }, { kind: 'site', filters: job }],
  [
    { bad_query: 'sum(rate(f[5m]))', total_query: 'sum(rate(s[5m])) + sum(rate(f[5m]))' },
    { kind: 'jobs', by: 'counters', failed: 'f', other: 's', other_counts: 'done', filters: [], range: '5m' },
  ],
  [
    { metric_query: 'time() - max(last_success{job="shop"})', ...bound },
    { kind: 'jobs', by: 'age', metric: 'last_success', filters: job },
  ],
]

test.each(kinds)('POST /slos/picks answers to %j with its picks', async (queries, picks) => {
  const { status, body } = await on.nines.call('POST', '/api/v1/slos/picks', queries)
  expect({ status, body }).toEqual({ status: 200, body: { picks } })
})

test.each(kinds)('an SLO with %j has its picks', async (queries, picks) => {
  const { body } = await on.create({ ...checkout, metric_query: null, ...queries })
  expect((await on.read(body.id)).body.picks).toEqual(picks)
})

test.each(['constructor', '__proto__'])('a metric may be called %s', (metric) => {
  const age = { metric_query: `time() - max(${metric})`, ...bound }
  expect(picksOf(completeDefinition(age))).toEqual({ kind: 'jobs', by: 'age', metric, filters: [] })
})

test('POST /slos/picks refuses a body without any of them', async () => {
  const { status, body } = await on.nines.call('POST', '/api/v1/slos/picks', {})
  expect([status, rulesOf(body)]).toEqual([400, 'body: must have at least one query or a threshold'])
})

test.each([{ good_query: 'sum(rate(a{x="1"}[5m]))' }, { total_query: 'up' }, { metric_query: 'up', ...bound }])(
  'POST /slos/picks answers to %j that there are none',
  async (queries) => {
    const { status, body } = await on.nines.call('POST', '/api/v1/slos/picks', queries)
    expect({ status, body }).toEqual({ status: 200, body: { picks: null } })
  },
)

describe('no picks', () => {
  test.each([
    ['a comment', 'sum(rate(a{x="1"}[5m])) / sum(rate(a[5m])) # why'],
    ['parentheses', '(sum(rate(a{x="1"}[5m])) / sum(rate(a[5m])))'],
    ['a matcher without a value', 'probe_success{job="shop", x=""}'],
    ['a name by a matcher', 'avg({__name__="probe_success", job="shop"})'],
    ['two names', 'avg(probe_success{"b", job="shop"})'],
    ['labels to divide by', 'sum(rate(a{x="1"}[5m])) / on () sum(rate(a[5m]))'],
    ['groups', 'sum by (x) (rate(a{x="1"}[5m])) / sum by (x) (rate(a[5m]))'],
    ['an offset', 'avg(probe_success{job="shop"} offset 5m)'],
    ['a subquery', 'avg(avg_over_time(probe_success{job="shop"}[5m:1m]))'],
    ['a range of two units', 'avg(avg_over_time(probe_success{job="shop"}[1h30m]))'],
    ['no PromQL', 'avg(probe_success{job="shop"}'],
    ['more than 2,000 characters', `avg(probe_success{job="${'a'.repeat(2000)}"})`],
  ])('of a query with %s', (_, metric_query) => {
    expect(picksOf(completeDefinition({ metric_query }))).toBeNull()
  })
})
