import { describe, expect, test } from 'bun:test'
import { metricNames } from '../../../src/promql/analysis/counters/raw-quantity.ts'
import { readPromql } from '../../../src/promql/read.ts'
import { findRanges } from '../../../src/promql/analysis/widen.ts'
import { plan } from '../../sli/planned.ts'

describe('a metric is known by its name, however that is written', () => {
  test.each([
    ['{"http.server.requests", code="200"}', ['http.server.requests']],
    ['{code="200", "a\\"b"}', ['a"b']],
    ["{'it\\'s'}", ["it's"]],
    ['{"__name__"="x_total"}', ['x_total']],
    ['{__name__=`x_total`}', ['x_total']],
    ['info(x_total, {"k8s.cluster"=~".+"}) / y', ['x_total', 'y']],
  ])('%s', (expression, names) => {
    const { root } = readPromql(expression)
    expect(root && metricNames(root)).toEqual(names)
  })
})

describe('a counter that is read as it is becomes an increase, and nothing else does', () => {
  test.each([
    [
      'sum({"__name__"="x_total",code="200"}) / sum({"__name__"="x_total"})',
      'sum(increase({"__name__"="x_total",code="200"}[5m])) / sum(increase({"__name__"="x_total"}[5m]))',
    ],
    [
      'sum({"http.requests_total","http.code"="200"}) / sum({"http.requests_total"})',
      'sum(increase({"http.requests_total","http.code"="200"}[5m])) / sum(increase({"http.requests_total"}[5m]))',
    ],
    [
      'sum(info(a_total, {version=~".+"})) / sum(limitk(5, b_total))',
      'sum(info(increase(a_total[5m]), {version=~".+"})) / sum(limitk(5, increase(b_total[5m])))',
    ],
  ])('%s', (metricQuery, stored) => expect(plan(metricQuery).stored).toBe(stored))
})

describe('a window is only made of ranges that can become it', () => {
  test.each([
    ['rate(x[5m * 2])', 'a range is computed'],
    ['rate(x[1h30m - 1_000])', 'a range is computed'],
    ['sum(rate(x[5m] offset (5m + 1m)))', 'it has an offset'],
    ['sum by (version) (info(rate(x[5m])))', 'info looks at one instant'],
    ['ts_of_max_over_time(x[5m])', 'ts_of_max_over_time takes one sample of the range'],
    ['double_exponential_smoothing(x[5m], 0.5, 0.5)', 'double_exponential_smoothing looks at its own range only'],
  ])('%s', (expression, obstacle) => {
    const { root } = readPromql(expression)
    expect(root && findRanges(root).obstacle).toBe(obstacle)
  })

  test.each([
    ['sum(rate(a_total[$window])) / sum(rate(b_total[$window]))', true],
    ['sum(rate(a_total[$window * 2])) / sum(rate(b_total[$window * 2]))', false],
    ['sum(rate(a_total[5m] offset $window)) / sum(rate(b_total[5m] offset $window))', false],
    ['sum(rate({"a.b"}[$window])) / sum(rate(b_total[$window]))', false],
  ])('%s: as sums of counters %p', (metricQuery, areCounters) => {
    expect(plan(metricQuery).counters !== null).toBe(areCounters)
  })
})

test('what the source is sent is the text of its author', () => {
  const text = 'histogram_fraction(0, 0.3, sum by ("le") (rate({"http.duration", "le"!=""}[5m * 2]))) # by “le”'
  expect(plan(text).expression(86_400)).toBe(text)
})
