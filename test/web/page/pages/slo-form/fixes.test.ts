import { describe, expect, test } from 'bun:test'
import { picksOf } from '../../../../../src/sli/picks.ts'
import type { ApiProblem } from '../../../../../src/web/page/api/client.ts'
import { type Draft, draftOfAddress, withDefinition } from '../../../../../src/web/page/pages/slo-form/draft.ts'
import { fixesOf } from '../../../../../src/web/page/pages/slo-form/fixes.ts'
import { emptyDefinition } from '../../../../../src/web/page/pages/slo-form/picks/picks.ts'
import { definitionOf } from '../../../../../src/web/page/pages/slo-form/picks/write.ts'

const pair = {
  bad_query: 'sum(rate(a_total{service="chekout", code=~"5.."}[5m]))',
  total_query: 'sum(rate(a_total{service="chekout"}[5m]))',
}
const draft = (queries: object, kind?: 'promql'): Draft => {
  const definition = { ...emptyDefinition, ...queries }
  return { ...draftOfAddress({}, null), ...withDefinition(definition, kind ? null : picksOf(definition)) }
}
/** The queries after the first fix of a problem. */
const mended = (problem: ApiProblem, of: Draft) => {
  const [fix] = fixesOf(problem, of)
  const changed = { ...of, ...fix?.apply(of) }
  return { label: fix?.label, ...definitionOf(changed.kind, changed.picks) }
}
const misspelt = {
  field: 'total_query',
  message: 'No series fits.',
  code: 'no_matching_series',
  params: {
    matcher: 'service="chekout"',
    label: 'service',
    operator: '=',
    value: 'chekout',
    values: ['checkout', 'search', 'payments', 'and more', 'a'],
  },
}

describe('what a problem proposes', () => {
  test('a regular expression that matches whole values', () => {
    const good = { good_query: 'sum(rate(a_total{code!~"5"}[5m]))', total_query: 'sum(rate(a_total[5m]))' }
    const params = { matcher: 'code!~"5"', label: 'code', operator: '!~', value: '5', pattern: '5..' }
    const problem = { field: 'good_query', message: 'It excludes nothing.', code: 'part_of_values', params }
    expect(mended(problem, draft(good))).toMatchObject({
      label: 'Use code !~ 5..',
      good_query: 'sum(rate(a_total{code!~"5.."}[5m]))',
    })
  })

  test.each([undefined, 'promql'] as const)('the first of the values that there are, in both queries (%p)', (kind) => {
    expect(mended(misspelt, draft(pair, kind))).toMatchObject({
      label: 'Use service=checkout',
      bad_query: 'sum(rate(a_total{service="checkout", code=~"5.."}[5m]))',
      total_query: 'sum(rate(a_total{service="checkout"}[5m]))',
    })
    expect(fixesOf(misspelt, draft(pair))).toHaveLength(4)
  })

  test('a bucket that the histogram has', () => {
    const problem = {
      field: 'good_query',
      message: 'No series fits.',
      code: 'no_matching_series',
      params: { matcher: 'le="0.3"', label: 'le', operator: '=', value: '0.3', values: ['0.1', '0.25', '1.0'] },
    }
    const slo = { good_query: 'sum(rate(d_bucket{le="0.3"}[5m]))', total_query: 'sum(rate(d_count[5m]))' }
    expect(mended(problem, draft(slo))).toMatchObject({ good_query: 'sum(rate(d_bucket{le="0.1"}[5m]))' })
  })

  test.each([undefined, 'promql'] as const)(
    'a metric that there is, and no other name that has it in it (%p)',
    (kind) => {
      const problem = {
        field: 'total_query',
        message: 'There is none.',
        code: 'no_metric',
        params: { metric: 'a_total', metrics: ['a_requests_total', 'a_x'] },
      }
      expect(mended(problem, draft(pair, kind))).toMatchObject({
        label: 'Use a_requests_total',
        total_query: 'sum(rate(a_requests_total{service="chekout"}[5m]))',
      })
      const longer = draft({ metric_query: 'a_total / my_a_total:rate' }, 'promql')
      expect(mended(problem, longer)).toMatchObject({ metric_query: 'a_requests_total / my_a_total:rate' })
    },
  )

  test('good for bad, a share for a percentage, the failing side turned round, a mean', () => {
    const found = (field: string, code: string, fix: NonNullable<ApiProblem['fix']>) => ({
      field,
      message: 'Wrong.',
      code,
      fix,
    })
    const swapped = { good_query: pair.bad_query, bad_query: null }
    expect(mended(found('bad_query', 'inverted', swapped), draft(pair))).toMatchObject({
      label: 'Count them as good',
      ...swapped,
    })
    const unit = found('query_unit', 'wrong_unit', { query_unit: 'ratio' })
    expect(fixesOf(unit, draft(pair))[0]?.apply(draft(pair))).toEqual({ queryUnit: 'ratio' })
    const written = draft({ metric_query: 'x' }, 'promql')
    expect(mended(found('metric_query', 'inverted', { metric_query: '1 - (x)' }), written)).toMatchObject({
      label: 'Write 1 - (…) around it',
      metric_query: '1 - (x)',
    })
    expect(mended(found('metric_query', 'several_series', { metric_query: 'avg(x)' }), written)).toMatchObject({
      label: 'Write avg(…) around it',
      metric_query: 'avg(x)',
    })
    const target = found('target', 'alerts_cannot_fire', { target: 99.3 })
    expect(fixesOf(target, draft(pair))[0]?.apply(draft(pair))).toEqual({ target: '99.3' })
  })

  test('nothing of a problem without a value to take, or without a fix', () => {
    const problems: ApiProblem[] = [
      { ...misspelt, params: { ...misspelt.params, values: [] } },
      { field: 'total_query', message: 'There is none.', code: 'no_metric', params: { metric: 'a', metrics: [] } },
      { field: 'metric_query', message: 'Nothing.', code: 'no_data', params: {}, hint: 'Check its matchers.' },
      { field: 'name', message: 'must be given' },
    ]
    expect(problems.flatMap((problem) => fixesOf(problem, draft(pair)))).toEqual([])
  })
})
