import { describe, expect, test } from 'bun:test'
import { parsePromql } from '../../../../../src/promql/check.ts'
import { badEvents, drillStepsFrom, withMatcher } from '../../../../../src/web/page/pages/explore/query/drill.ts'

const fails = { label: 'code', op: '=~', value: '5..' } as const

describe('a matcher of a label', () => {
  test.each([
    ['a', 'a{code=~"5.."}'],
    ['a{}', 'a{code=~"5.."}'],
    ['a{job="x",}', 'a{job="x", code=~"5..",}'],
    ['{"a.b"}', '{"a.b", code=~"5.."}'],
    ['sum by (code) (rate(a{job="x"}[5m]))', 'sum by (code) (rate(a{job="x", code=~"5.."}[5m]))'],
    ['sum(rate(a[$__range])) # all', 'sum(rate(a{code=~"5.."}[$__range])) # all'],
    ['a / ignoring (zone) b{x="}"}', 'a{code=~"5.."} / ignoring (zone) b{x="}", code=~"5.."}'],
  ])('a matcher of a label is added to each selector of %p', (query, changed) => {
    expect(withMatcher(query, fails)).toBe(changed)
    if (!query.includes('$')) expect(() => parsePromql(changed)).not.toThrow()
  })

  test.each([
    ['it has it already', 'a{ code =~ "5.." }'],
    ['the query makes the label', 'label_replace(a, "code", "$1", "status", "(.*)")'],
    ['the query counts by the label', 'count_values("code", a)'],
    ['another metric has the label', 'a * on (job) group_left (code) b'],
    ['it cannot be read', 'sum(rate(a[5m]) by'],
  ])('a matcher of a label is not added where %s', (_, query) => {
    expect(withMatcher(query, fails)).toBeNull()
  })
})

describe('what fails of a query', () => {
  test.each([
    ['sum by (code) (rate(a_total{job="x"}[1m]))', 'a_total{job="x", code=~"5.."}[1m]', 'a_total{job="x"}[1m]'],
    ['topk(3, increase(a_total [10m]))', 'a_total{code=~"5.."}[10m]', 'a_total[10m]'],
    ['a_total', 'a_total{code=~"5.."}[5m]', 'a_total[5m]'],
  ])('what fails of a query is a part of the counter of %p', (query, bad, total) => {
    expect(badEvents(query, fails)).toEqual({ bad: `sum(rate(${bad}))`, total: `sum(rate(${total}))` })
  })

  test.each([
    'queue_length',
    'sum(rate(a_total[5m])) / sum(rate(b_total[5m]))',
    'avg_over_time(a[5m])',
    'sum(a_total)',
  ])('what fails of a query is not known of %p', (query) => {
    expect(badEvents(query, fails)).toBeNull()
  })
})

test('from a status code lead steps to its class and to itself, as what fails and as a part of the query', () => {
  const steps = drillStepsFrom('sum by (code) (rate(a_total[5m]))', 3, { label: 'code', value: '503' })
  expect(steps.map(({ label }) => label)).toEqual([
    'code=~"5.." as bad',
    'code="503" as bad',
    'Only code=~"5.."',
    'Only code="503"',
    'Without code="503"',
  ])
  expect(steps[0]).toMatchObject({
    path: `/slos/new?${new URLSearchParams({
      source: '3',
      bad: 'sum(rate(a_total{code=~"5.."}[5m]))',
      total: 'sum(rate(a_total[5m]))',
      kind: 'requests',
    })}`,
  })
  expect(steps[4]).toMatchObject({ query: 'sum by (code) (rate(a_total{code!="503"}[5m]))' })
})

test('from another label lead steps to its value only', () => {
  const steps = drillStepsFrom('up', 1, { label: 'job', value: 'a"b' })
  expect(steps.map(({ label }) => label)).toEqual(['Only job="a\\"b"', 'Without job="a\\"b"'])
})
