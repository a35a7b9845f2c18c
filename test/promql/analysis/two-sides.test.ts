import { describe, expect, test } from 'bun:test'
import { readPromql } from '../../../src/promql/read.ts'
import { type Side, twoSides } from '../../../src/promql/analysis/two-sides.ts'

const A = 'sum(rate(a[5m]))'
const B = 'sum(rate(b[5m]))'

function sidesOf(expression: string) {
  const { root } = readPromql(expression)
  if (!root) throw new Error(`cannot be read: ${expression}`)
  return twoSides(root)
}

const textOf = (expression: string, side: Side | undefined) => expression.slice(side?.expr.from, side?.expr.to)

describe('a ratio at the top has two sides', () => {
  test.each([
    [`${A} / ${B}`, 'good', 'ratio'],
    [`(${A}) / (${B})`, 'good', 'ratio'],
    [`((${A} / ${B}))`, 'good', 'ratio'],
    [`${A} / ${B} or vector(0)`, 'good', 'ratio'],
    [`(${A} / ${B}) OR on() vector(0)`, 'good', 'ratio'],
    [`${A} / ${B} or 0 * ${B}`, 'good', 'ratio'],
    [`${A} / on(x) group_left(y) ${B}`, 'good', 'ratio'],
    [`${A} / ignoring(x) ${B}`, 'good', 'ratio'],
    [`1 * ${A} / ${B}`, 'good', 'ratio'],
    [`0.01 * (100 * ${A} / ${B})`, 'good', 'ratio'],
    [`1 - (1 - ${A} / ${B})`, 'good', 'ratio'],
    [`0 + ${A} / ${B}`, 'good', 'ratio'],
    [`100 * ${A} / ${B}`, 'good', 'percent'],
    [`${A} / ${B} * 100`, 'good', 'percent'],
    [`${A} * 100 / ${B}`, 'good', 'percent'],
    [`(100 * ${A}) / ${B}`, 'good', 'percent'],
    [`(100) * (${A} / ${B})`, 'good', 'percent'],
    [`100 * (${A} / ${B} or vector(0))`, 'good', 'percent'],
    [`${A} / (${B} / 100)`, 'good', 'percent'],
    [`${A} / ${B} / 0.01`, 'good', 'percent'],
    [`1 - ${A} / ${B}`, 'bad', 'ratio'],
    [`1 - (${A} / ${B})`, 'bad', 'ratio'],
    [`(1 - (${A}) / ${B})`, 'bad', 'ratio'],
    [`1 - (${A} / ${B} or vector(0))`, 'bad', 'ratio'],
    [`-(${A} / ${B}) + 1`, 'bad', 'ratio'],
    [`-${A} / ${B} + 1`, 'bad', 'ratio'],
    [`1 + -1 * ${A} / ${B}`, 'bad', 'ratio'],
    [`100 * (1 - ${A} / ${B})`, 'bad', 'percent'],
    [`(1 - ${A} / ${B}) * 100`, 'bad', 'percent'],
    [`100 - 100 * ${A} / ${B}`, 'bad', 'percent'],
    [`100 - ${A} / ${B} * 100`, 'bad', 'percent'],
    [`100 - (100 * ${A}) / ${B}`, 'bad', 'percent'],
    [`# all\n100 * ( # of\n1 - ${A} # bad\n/ ${B}) # end`, 'bad', 'percent'],
  ] as const)('%s counts %s events, as a %s', (expression, counts, unit) => {
    const sides = sidesOf(expression)
    expect(sides).toMatchObject({
      counts,
      unit,
      counted: { kind: 'per_second' },
      total: { kind: 'per_second' },
      isClear: true,
    })
    expect([sides?.counted, sides?.total].map((side) => textOf(expression, side))).toEqual([A, B])
  })
})

describe('a total less one part is read as that part', () => {
  test.each([
    [`(${B} - ${A}) / ${B}`, 'bad', A],
    [`100 * ((sum( rate(b[5m]) )) - ${A}) / (${B})`, 'bad', A],
    [`1 - (${B} - ${A}) / ${B}`, 'good', A],
    [`(${B} - (${A} or vector(0))) / ${B}`, 'bad', `${A} or vector(0)`],
  ] as const)('%s counts %s events', (expression, counts, counted) => {
    const sides = sidesOf(expression)
    expect(sides?.counts).toBe(counts)
    expect(textOf(expression, sides?.counted)).toBe(counted)
    expect(textOf(expression, sides?.total)).toBe(B)
  })
})

test('a side keeps its own text, an inner fallback included, and loses a factor', () => {
  const expression = `100 * (${A} or vector(0)) / ((${B}))`
  const sides = sidesOf(expression)
  expect(textOf(expression, sides?.counted)).toBe(`${A} or vector(0)`)
  expect(textOf(expression, sides?.total)).toBe(B)
})

describe('everything else has none', () => {
  test.each([
    ['a sum', A],
    ['a number', '0.999'],
    ['a negated ratio', `-(${A} / ${B})`],
    ['another scale', `2 * ${A} / ${B}`],
    ['another whole', `2 - ${A} / ${B}`],
    ['mixed scales', `100 - ${A} / ${B}`],
    ['mixed scales the other way', `1 - 100 * ${A} / ${B}`],
    ['more than the share', `1 + ${A} / ${B}`],
    ['a constant below', `${A} / 100`],
    ['a constant above', `100 / ${A}`],
    ['a constant vector below', `${A} / vector(100)`],
    ['the clock above', `time() / ${A}`],
    ['another fallback', `${A} / ${B} or vector(1)`],
    ['a product', `${A} * ${B}`],
    ['a ratio inside an aggregation', `avg(a / b)`],
    ['a ratio of ratios', `(${A} / ${B}) / ${B}`],
    ['a ratio under a bound', `clamp_max(${A} / ${B}, 1)`],
    ['a ratio with a guard', `${A} / ${B} and on() ${B} > 1`],
    ['a comparison', `${A} / ${B} > 0.9`],
    ['a mean', 'sum(rate(x_sum[5m])) / sum(rate(x_count[5m]))'],
    ['a mean in milliseconds', '1000 * rate(x_sum[5m]) / rate(x_count[5m])'],
    ['a mean by quoted names', 'rate({"my.x_sum"}[5m]) / rate({__name__="my.x_count", a="b"}[5m])'],
    ['a hidden factor', `(100 * ${A} or vector(0)) / ${B}`],
    ['a constant added to a side', `(${A} + 1) / ${B}`],
    ['the remainder', `${A} % ${B}`],
  ])('%s: %s', (_, expression) => {
    expect(sidesOf(expression)).toBeNull()
  })
})

test('a bucket over its count is a share, and so is a sum over the count of something else', () => {
  expect(sidesOf('sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_count[5m]))')).toMatchObject({ counts: 'good' })
  expect(sidesOf('sum(rate(x_sum[5m])) / sum(rate(y_count[5m]))')).toMatchObject({ counts: 'good' })
})

describe('the numbers of a side are events', () => {
  test.each([
    ['sum(rate(a[5m]))', 'per_second'],
    ['rate(a[5m])', 'per_second'],
    ['sum(irate(a[5m]))', 'per_second'],
    ['sum by (x) (rate(a[5m]) > 0)', 'per_second'],
    ['sum(rate(a[5m])) or vector(0)', 'per_second'],
    ['sum(rate(a[5m])) + (sum(irate(c[5m])) or vector(0))', 'per_second'],
    ['max(rate(a[5m]))', 'per_second'],
    ['scalar(sum(rate(a[5m])))', 'per_second'],
    ['histogram_count(sum(rate(a[5m])))', 'per_second'],
    ['label_replace(rate(a[5m]), "x", "$1", "y", "(.*)")', 'per_second'],
    ['sum(increase(a[5m]))', 'count'],
    ['sum(count_over_time(a[5m]))', 'count'],
    ['sum_over_time(a[5m])', 'count'],
    ['sum(increase(a[5m])) - 0', 'count'],
    ['a', null],
    ['sum(job:requests:rate5m)', null],
    ['avg(rate(a[5m]))', null],
    ['count(a)', null],
    ['avg_over_time(a[5m])', null],
    ['sum(rate(a[5m])) + sum(increase(c[5m]))', null],
    ['sum(rate(a[5m])) + sum(c)', null],
    ['sum(rate(a[5m]) * on(x) c)', null],
    ['sum(rate(a[5m]) > bool 1)', null],
    ['sum_over_time(rate(a[5m])[1h:1m])', null],
    ['clamp_min(sum(rate(a[5m])), 1)', null],
  ] as const)('%s: %p', (side, kind) => {
    expect(sidesOf(`(${side}) / ${B}`)?.counted.kind).toBe(kind)
  })
})

describe('an empty side has counted nothing', () => {
  test.each([
    ['sum(rate(a[5m]))', true],
    ['sum(rate(a[5m])) or sum(rate(c[5m]))', true],
    ['(sum(rate(a[5m])) or vector(0)) + (sum(rate(c[5m])) or vector(0))', true],
    [`(sum(rate(a[5m])) or 0 * ${B}) - (sum(rate(c[5m])) or vector(0))`, true],
    ['sum(rate(a[5m]) > 0)', true],
    ['sum(rate(a[5m])) + sum(rate(c[5m]))', false],
    ['(sum(rate(a[5m])) or vector(0)) + sum(rate(c[5m]))', false],
    ['sum(rate(a[5m])) - sum(rate(c[5m]))', false],
    ['sum(rate(a[5m]) + rate(c[5m]))', false],
    ['sum(rate(a[5m])) and on() (c > 1)', false],
    ['sum(rate(a[5m]) * on(x) group_left info)', false],
  ] as const)('%s: %p', (side, clear) => {
    expect(sidesOf(`1 - (${side}) / ${B}`)?.isClear).toBe(clear)
  })
})
