import { describe, expect, test } from 'bun:test'
import { type Draft, draftOfAddress, withDefinition } from '../../../../src/web/page/pages/slo-form/draft.ts'
import { fixesOf, type FieldProblem } from '../../../../src/web/page/pages/slo-form/fixes.ts'
import { emptyDefinition } from '../../../../src/web/page/pages/slo-form/picks/picks.ts'
import { definitionOf } from '../../../../src/web/page/pages/slo-form/picks/write.ts'

const pair = {
  bad_query: 'sum(rate(a_total{service="chekout", code=~"5.."}[5m]))',
  total_query: 'sum(rate(a_total{service="chekout"}[5m]))',
}
const draft = (queries: object, kind?: 'promql'): Draft => ({
  ...draftOfAddress({}),
  ...withDefinition({ ...emptyDefinition, ...queries }, kind),
})
/** The queries after the first change that a hint proposes. */
const mended = (problem: FieldProblem, of: Draft) => {
  const [fix] = fixesOf(problem, of)
  const changed = { ...of, ...fix?.apply(of) }
  return { label: fix?.label, ...definitionOf(changed.kind, changed.picks) }
}
const misspelt = {
  field: 'total_query',
  message: 'No series of a_total has service="chekout".',
  hint: 'Values of service: a, checkout, search, and more, payments, ….',
}

describe('what a hint proposes', () => {
  test.each([undefined, 'promql'] as const)('the value most like a misspelt one, in both queries (%p)', (kind) => {
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
      message: 'No series of d_bucket has le="0.3".',
      hint: 'Values of le: 0.1, 0.25, 1.0. A bound has to be one of them, written the same.',
    }
    const slo = { good_query: 'sum(rate(d_bucket{le="0.3"}[5m]))', total_query: 'sum(rate(d_count[5m]))' }
    expect(mended(problem, draft(slo))).toMatchObject({ good_query: 'sum(rate(d_bucket{le="0.1"}[5m]))' })
  })

  test.each([undefined, 'promql'] as const)(
    'a metric that there is, and no other name that has it in it (%p)',
    (kind) => {
      const problem = {
        field: 'total_query',
        message: 'There is no metric a_total in the last 30d.',
        hint: 'There are: a_requests_total, a_x.',
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
    const hinted = (field: string, hint: string) => ({ field, message: 'It looks wrong.', hint })
    expect(mended(hinted('bad_query', 'If it does, send it as good_query.'), draft(pair))).toMatchObject({
      label: 'Count them as good',
      good_query: pair.bad_query,
      bad_query: null,
    })
    const unit = hinted('query_unit', 'If it is a share between 0 and 1, set query_unit to ratio.')
    expect(fixesOf(unit, draft(pair))[0]?.apply(draft(pair))).toEqual({ queryUnit: 'ratio' })
    const written = draft({ metric_query: 'x # of y' }, 'promql')
    expect(mended(hinted('metric_query', 'If it does, write 1 - (…) around it.'), written)).toMatchObject({
      metric_query: '1 - (x # of y\n)',
    })
    const mean = hinted('metric_query', 'Put sum(…) around both sides, or avg(…) around the whole.')
    expect(mended(mean, draft({ metric_query: 'up' }, 'promql'))).toMatchObject({ metric_query: 'avg(up)' })
  })

  test.each([
    ['93.1', '94'],
    ['99.2', '99.3'],
    ['99.97', '99.98'],
  ])('above %p the target %p', (min, target) => {
    const problem = { field: 'target', message: 'They can never fire.', hint: `All can with a target above ${min}.` }
    expect(fixesOf(problem, draft(pair))[0]?.apply(draft(pair))).toEqual({ target })
  })

  test('nothing where a hint names nothing that can be applied', () => {
    const said = [
      null,
      'Check its matchers.',
      'It has no label zone.',
      'Each matcher finds series, but no series has them all.',
    ]
    expect(said.flatMap((hint) => fixesOf({ ...misspelt, hint }, draft(pair)))).toEqual([])
  })
})
