import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { picksOf } from '../../../../../src/sli/picks.ts'
import { readFields } from '../../../../../src/web/page/address/fields.ts'
import { formFields, newSloPath } from '../../../../../src/web/page/address/new-slo.ts'
import {
  type Definition,
  emptyDefinition,
  emptyPicks,
  type BuilderInputs,
} from '../../../../../src/web/page/pages/slo-form/picks/picks.ts'
import { type Filter, operators } from '../../../../../src/web/page/pages/slo-form/picks/promql.ts'
import { type Picked, pickedOf } from '../../../../../src/web/page/pages/slo-form/picks/read.ts'
import { definitionOf } from '../../../../../src/web/page/pages/slo-form/picks/write.ts'

const value = fc.string({ unit: 'grapheme', maxLength: 12 })
const metric = fc.oneof(
  fc.stringMatching(/^[a-zA-Z_:][\w:]{0,12}$/),
  value.filter((text) => text !== ''),
)
const label = fc
  .oneof(
    fc.stringMatching(/^[a-zA-Z_]\w{0,8}$/),
    value.filter((text) => text !== ''),
  )
  .filter((name) => name !== '__name__')
const text = value.filter((one) => one !== '')
const filter: fc.Arbitrary<Filter> = fc.record({ label, op: fc.constantFrom(...operators), value: text })
const filters = fc.array(filter, { maxLength: 3 })
const range = fc.constantFrom('1m', '5m', '2h')
const limit = fc.integer({ min: 1, max: 100_000 }).map((n) => String(n / 1000))
const usual = emptyPicks

const picked: fc.Arbitrary<Picked> = fc.oneof(
  fc.record({
    kind: fc.constant('requests' as const),
    picks: fc.record({
      metric,
      filters,
      counts: fc.constantFrom('bad' as const, 'good' as const),
      matching: fc.array(filter, { minLength: 1, maxLength: 2 }),
      range,
    }),
  }),
  fc.record({
    kind: fc.constant('latency' as const),
    picks: fc.oneof(
      fc
        .record({ metric, filters, le: value.filter((text) => text !== ''), range })
        .map((some): BuilderInputs['latency'] => ({ ...usual.latency, ...some })),
      fc
        .record({ metric, filters, limit, quantile: fc.constantFrom('0.5', '0.99', '.9'), range })
        .map((some): BuilderInputs['latency'] => ({ ...usual.latency, by: 'quantile', ...some })),
    ),
  }),
  fc.record({
    kind: fc.constant('site' as const),
    picks: fc
      .record({ filters: fc.array(filter, { minLength: 1, maxLength: 3 }), range })
      .map((some): BuilderInputs['site'] => ({ ...usual.site, ...some })),
  }),
  fc.record({
    kind: fc.constant('jobs' as const),
    picks: fc.oneof(
      fc
        .record({
          failed: metric,
          other: metric,
          filters,
          other_counts: fc.constantFrom('all' as const, 'done'),
          range,
        })
        .filter(({ failed, other }) => failed !== other)
        .map((some): BuilderInputs['jobs'] => ({ ...usual.jobs, ...some })),
      fc
        .record({ metric, filters, limit })
        .map((some): BuilderInputs['jobs'] => ({ ...usual.jobs, by: 'age', ...some })),
    ),
  }),
)

/** What the form shows of queries: the server reads them. */
const read = (definition: Definition) => pickedOf(picksOf(definition), definition)

/** A metric whose name is U+2028, which `.` of a regular expression does not match. */
const lineSeparated: Picked = {
  kind: 'latency',
  picks: { ...usual.latency, by: 'quantile', metric: '\u2028', limit: '0.5' },
}

const named = (metric: string): Picked => ({
  kind: 'jobs',
  picks: { ...usual.jobs, by: 'age', metric, limit: '0.5' },
})

describe('picks and PromQL', () => {
  test('picks are read back from the queries they make', () => {
    fc.assert(
      fc.property(picked, ({ kind, picks }) => {
        const definition = definitionOf(kind, { ...emptyPicks, [kind]: picks })
        expect(definition).not.toBeNull()
        expect(read(definition ?? emptyDefinition)).toEqual({ kind, picks } as Picked)
      }),
      { numRuns: 500, examples: [[lineSeparated], [named('oN')], [named('Inf')]] },
    )
  })

  test.each([
    [{ metric_query: 'sum(rate(a{code!~"5.."}[5m])) / sum(rate(a[5m]))' }, 'requests'],
    [{ metric_query: '1 - sum(rate(a{code=~"5.."}[5m]))/sum(rate(a[5m]))' }, 'requests'],
    [{ good_query: 'sum( rate(a{x="1",code="200"}[5m]) )', total_query: 'sum(rate(a{x="1"}[5m]))' }, 'requests'],
    [{ metric_query: 'sum(rate(d_bucket{le="0.3"}[5m])) / sum(rate(d_count[5m]))' }, 'latency'],
    [{ metric_query: 'probe_success{job="website"}' }, 'site'],
    [{ metric_query: 'avg_over_time(probe_success{job="website"}[1m])' }, 'site'],
    [{ bad_query: 'sum(rate(failed_total[5m]))', total_query: 'sum(rate(runs_total[5m]))' }, 'jobs'],
    [{ metric_query: 'time() - max(last_success_seconds)', threshold: 90_000, threshold_op: 'lte' }, 'jobs'],
    [{ metric_query: 'time() - max(last_success_seconds)', threshold: 90_000, threshold_op: 'lt' }, 'promql'],
    [{ metric_query: 'sum(rate(a{code!~"5.."}[1m])) / sum(rate(a[5m]))' }, 'promql'],
    [{ metric_query: 'sum(rate(a{code!~"5.."}[5m])) / sum(rate(a{x="1"}[5m]))' }, 'promql'],
    [{ metric_query: 'sum(rate(a{code!~"5.."}[5m])) / sum(rate(a[5m])) # all' }, 'promql'],
    [{ good_query: 'sum(rate(d_bucket{le=~"0.3"}[5m]))', total_query: 'sum(rate(d_count[5m]))' }, 'promql'],
    [{ metric_query: 'probe_success{job=""}' }, 'promql'],
    [{ metric_query: 'avg(up)' }, 'promql'],
  ])('%p is of the kind %p', (queries, kind) => {
    expect(read({ ...emptyDefinition, ...queries }).kind).toBe(kind as Picked['kind'])
  })

  test.each([
    [{ metric_query: 'avg(up)' }],
    [{ metric_query: 'up', threshold: 1, threshold_op: 'gte' }],
    [{ good_query: 'count(up == 1)', total_query: 'count(up)' }],
    [{ bad_query: 'count(up == 0) # down', total_query: 'count(up)' }],
  ])('%p is kept as it was written', (queries) => {
    const definition = { ...emptyDefinition, ...queries }
    const { kind, picks } = read(definition)
    expect(definitionOf(kind, { ...emptyPicks, [kind]: picks })).toEqual(definition)
  })

  test('queries are made only once all they need is there', () => {
    const kinds = ['requests', 'latency', 'site', 'jobs', 'promql'] as const
    expect(kinds.map((kind) => definitionOf(kind, emptyPicks))).toEqual([null, null, null, null, null])
    const unfinished: Filter = { label: 'code', op: '=~', value: '' }
    const requests = { ...emptyPicks.requests, metric: 'a', matching: [unfinished] }
    expect(definitionOf('requests', { ...emptyPicks, requests })).toBeNull()
  })
})

describe('the address of a new SLO', () => {
  test('the address of a new SLO is read as it was written', () => {
    const address = { kind: 'promql', source: 3, query: 'avg(up{job="a b"})', target: 99.9, name: 'Up & well' } as const
    expect<unknown>(readFields(formFields, newSloPath(address).split('?')[1] ?? '')).toEqual(address)
    expect(newSloPath()).toBe('/slos/new')
  })

  test('the address of a new SLO leaves out what it does not know', () => {
    expect<unknown>(readFields(formFields, 'kind=magic&source=x&target=&other=1&window=7d')).toEqual({ window: '7d' })
  })
})
