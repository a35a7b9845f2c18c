import { describe, expect, test } from 'bun:test'
import { readPromql } from '../../../../src/promql/read.ts'
import { isNoNumber, isRawQuantity, percentByText } from '../../../../src/promql/analysis/counters/raw-quantity.ts'

function rootOf(expression: string) {
  const { root } = readPromql(expression)
  if (!root) throw new Error(`cannot be read: ${expression}`)
  return root
}

describe('a quantity by its text is no ratio', () => {
  test.each([
    'histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))',
    '(max(histogram_quantile(0.95, rate(x_bucket[5m]))))',
    '1000 * histogram_quantile(0.95, rate(x_bucket[5m]))',
    'histogram_quantile(0.95, rate(x_bucket[5m])) / 1000',
    'histogram_avg(rate(x[5m]))',
    'rate(x_sum[5m]) / rate(x_count[5m])',
    '(sum(rate(x_sum[5m])) / sum(rate(x_count[5m]))) * 1000',
    'rate(x[5m])',
    'sum(rate(x[5m]))',
    'SUM(rate(x[5m])) BY (job)',
    'avg by (job) (irate(x[5m]))',
    'topk(3, sum by (job) (rate(x[5m])))',
    'quantile(0.9, rate(x[5m]))',
    'sum(rate(x[5m])) * 60',
    'sum(rate(x[5m])) / 200',
    'sum(increase(x[1h])) or vector(0)',
    'sum(rate(x[5m])) or sum(rate(y[5m]))',
    'sum(rate(x[5m])) + sum(rate(y[5m]))',
    'sum(rate(x[5m])) and on() up',
    'avg(rate(x[5m]) > 3)',
    'delta(x[1h])',
    'deriv(x[1h])',
    'predict_linear(x[1h], 3600)',
    'changes(x[1h])',
    'count(up == 1)',
    'count_over_time(x[1h])',
    'round(sum(rate(x[5m])), 0.1)',
    'max_over_time(sum(rate(x[5m]))[1h:1m])',
    'time()',
  ])('%s', (expression) => {
    expect(isRawQuantity(rootOf(expression))).toBe(true)
  })
})

describe('what may be a ratio is given the benefit of the doubt', () => {
  test.each([
    'job:availability:ratio',
    'avg(job:availability:ratio)',
    'avg_over_time(up[5m])',
    'quantile_over_time(0.1, up[5m])',
    'clamp_max(x / 200, 1)',
    'clamp_max(sum(rate(x[5m])) / 200, 1)',
    'sum(rate(a[5m])) / sum(rate(b[5m]))',
    'avg(rate(a[5m]) / rate(b[5m]))',
    'sum(rate(x_sum[5m])) / sum(rate(y_count[5m]))',
    '1 - avg(rate(idle_seconds_total[5m]))',
    '1 - rate(x_sum[5m]) / rate(x_count[5m])',
    'avg(rate(x[5m]) > bool 3)',
    'sum_over_time(up[1h]) / 60',
    'histogram_fraction(0, 0.3, rate(x[5m]))',
    'count(up == 1) / count(up)',
    '0.999',
    'vector(1)',
  ])('%s', (expression) => {
    expect(isRawQuantity(rootOf(expression))).toBe(false)
  })
})

test.each([
  ['100 * x', 'percent'],
  ['x * 100', 'percent'],
  ['100 - x', 'percent'],
  ['((100 * x)) or vector(0)', 'percent'],
  ['100 - (100 * a / b)', 'percent'],
  ['(100 * (a or vector(0))) / b', 'percent'],
  ['100 * x - 0.5', 'percent'],
  ['100 * (1 - x)', 'percent'],
  ['100 * sum(rate(a[5m])) / sum(rate(b[5m])) or vector(100)', 'percent'],
  ['avg by (job) (100 * a / b)', 'percent'],
  ['clamp_max(100 * a / b, 100)', 'percent'],
  ['avg_over_time((100 * a / b)[1h:5m])', 'percent'],
  ['x', null],
  ['x / 100', null],
  ['(100 - x) / 100', null],
  ['100 * x / 100', null],
  ['100 + x', null],
  ['1000 * x', null],
  ['x > 100', null],
  ['x{a="100 * "} # 100 *', null],
  ['clamp_max(x, 100)', null],
  ['sum(rate(x[100s]))', null],
] as const)('the unit of %s is by its text %p', (expression, unit) => {
  expect(percentByText(rootOf(expression))).toBe(unit)
})

test.each([
  ['"text"', true],
  ['x[5m]', true],
  ['(x[5m] offset 1h)', true],
  ['x[1h:5m] @ end()', true],
  ['x offset 1h', false],
  ['rate(x[5m])', false],
  ['1', false],
] as const)('%s cannot be a number: %p', (expression, noNumber) => {
  expect(isNoNumber(rootOf(expression))).toBe(noNumber)
})
