import { expect, test } from 'bun:test'
import { reviewDefinition } from '../../../src/sli/plan/review.ts'
import { planSli } from '../../../src/sli/plan/plan.ts'
import { definitionOf } from '../planned.ts'

const pair = (service: string, code: string) =>
  definitionOf({
    good_query: `sum(rate(http_requests_total{service="${service}",code!~"${code}"}[5m]))`,
    total_query: `sum(rate(http_requests_total{service='${service}'}[5m]))`,
  })

test('definitions that differ in values of labels only are planned once', () => {
  const review = reviewDefinition(pair('checkout', '5..'))
  expect(review).toEqual({ isPromql: true, warnings: [] })
  expect(reviewDefinition(pair('cart', '4..|5..'))).toBe(review)
  expect(reviewDefinition(pair('cart', 'cart'))).not.toBe(review)
  expect(reviewDefinition({ ...pair('cart', '5..'), window_method: 'mean' })).not.toBe(review)
})

const values = ['a', 'b', 'x_total', '$window', '5..', '', '·0', "it's", '{a=b', '1', 'ä', '# c', 'x, b=', '\\x61']
const queries = values.flatMap((value) => [
  `x_total{a="a"} / x_total{a="${value}"}`,
  `sum(rate(x{a="a",b='1'}[5m])) / sum(rate(x{a="${value}"}[5m]))`,
  `(sum(rate(x{a="a"}[5m])) - sum(rate(x{a="b"}[5m]))) / sum(rate(x{a="${value}"}[5m]))`,
  `{__name__="${value}"} / {__name__="x_total"}`,
  `{"${value}", a="a"} / {a="b", __name__="x_total"}`,
  `{"__name__"="${value}"} / {a='${value.replaceAll("'", '')}'}`,
  `sum(rate(x_sum{a="${value}"}[5m])) / sum(rate(x_count{a="a"}[5m]))`,
  `rate(x_bucket{le="${value}"}[5m]) / rate(x_count{le="a"}[5m])`,
  `sum by (a) (rate(x_bucket{a="${value}"}[$window])) / sum by (a) (rate(x_count{ a = "a" }[$window]))`,
  `label_replace(x{a="a"}, "a", "${value}", "b", "(.*)") / x{b="${value}"}`,
  `x{a="${value}"} / x{a=\`a\`}`,
  `x{a # c\n="a"} / x{a="${value}"}`,
  `up{a="${value}"} > 0`,
  `sum(x{a="${value}"}`,
  `x{a="${value}}`,
  `"${value}"`,
])

test.each(queries)('what is said of %p is what its own plan says', (text) => {
  for (const fields of [
    { metric_query: text },
    { good_query: text, total_query: text },
    { bad_query: text, total_query: 'x{a="a"}' },
  ]) {
    const definition = definitionOf(fields)
    const { isPromql, notes } = planSli(definition)
    expect(reviewDefinition(definition)).toEqual({ isPromql, warnings: notes })
    expect(reviewDefinition(definition)).toEqual({ isPromql, warnings: notes })
  }
})

test('a definition of long queries is planned by itself', () => {
  const long = definitionOf({ metric_query: `x{${'a="1",'.repeat(3000)}a="2"} / y` })
  expect(reviewDefinition(long).isPromql).toBe(false)
})
