import { describe, expect, test } from 'bun:test'
import { forEachValue } from '../../../src/sli/plan/for-each.ts'
import type { SloCreation } from '../../../src/slos/model.ts'

describe('a matcher is added to each selector of', () => {
  const withMatcher = (metric_query: string, value = 'b') =>
    forEachValue({ metric_query } as Partial<SloCreation>)({ label: 'a', value })
  test.each([
    ['up', 'up{a="b"}'],
    ['up{}', 'up{a="b"}'],
    ['up{a="x", c!="d"}', 'up{a="b",a="x", c!="d"}'],
    ['{__name__="up"}', '{a="b",__name__="up"}'],
    ['{"up"}', '{a="b","up"}'],
    ['up{c="d",}', 'up{a="b",c="d",}'],
    [
      '1 - sum(rate(x[5m])) / sum(rate(y{c="}"}[5m])) # x',
      '1 - sum(rate(x{a="b"}[5m])) / sum(rate(y{a="b",c="}"}[5m])) # x',
    ],
    [
      'sum(rate(x[$window])) / sum(rate(x[{{.window}}] offset 1m))',
      'sum(rate(x{a="b"}[$window])) / sum(rate(x{a="b"}[{{.window}}] offset 1m))',
    ],
    ['max_over_time(up[1h:1m])', 'max_over_time(up{a="b"}[1h:1m])'],
  ])('%s', (query, expected) => {
    expect(withMatcher(query)).toMatchObject({ slo: { metric_query: expected }, problems: [] })
  })

  test.each(['"', '\\', '"} or up{x="', 'é', '$1', '{{.window}}', '[window]'])(
    'a value like %s stays a value',
    (value) => {
      const { slo: made } = withMatcher('up', value)
      expect(made.metric_query).toBe(`up{a=${JSON.stringify(value)}}`)
    },
  )
})
