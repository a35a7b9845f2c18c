import { describe, expect, test } from 'bun:test'
import { counterSum } from '../../../../src/promql/analysis/counters/counter-sum.ts'
import { readPromql } from '../../../../src/promql/read.ts'

function sumOf(text: string): string | null {
  const { root } = readPromql(text)
  if (!root) throw new Error(`unreadable: ${text}`)
  const terms = counterSum(root)
  return (
    terms?.map((one) => `${one.sign > 0 ? '+' : '-'}${one.counter.text}${one.isOptional ? '?' : ''}`).join(' ') ?? null
  )
}

describe('a side is a sum of counters', () => {
  test.each([
    ['sum(rate(x[5m]))', '+x{}'],
    ['rate(x[5m])', '+x{}'],
    ['sum(increase(x{a="b"}[1h]))', '+x{a="b"}'],
    ['sum by (le) (rate(x{a="b", c=~"d.*"}[5m]))', '+x{a="b",c=~"d.*"}'],
    ['sum without (pod) (rate(x[5m]))', '+x{}'],
    ['sum(sum by (a) (rate(x[5m])))', '+x{}'],
    ['((sum((rate((x[5m]))))))', '+x{}'],
    ['sum(rate({a="b", __name__="my.x"}[5m]))', '+{__name__="my.x",a="b"}'],
    ["sum(rate(x{ a = 'b', c!~`d\\e` }[5m]))", '+x{a="b",c!~"d\\\\e"}'],
    ['sum(rate(x[5m])) or vector(0)', '+x{}?'],
    ['sum(rate(x[5m])) + sum(rate(y[5m]))', '+x{} +y{}'],
    ['sum(rate(x[5m])) - (sum(rate(y[5m])) or vector(0))', '+x{} -y{}?'],
    ['sum(rate(x[5m])) - (sum(rate(y[5m])) - sum(rate(z[5m])))', '+x{} -y{} +z{}'],
  ])('%s', (text, sum) => {
    expect(sumOf(text)).toBe(sum)
  })
})

describe('a side is no sum of counters', () => {
  test.each([
    ['max(rate(x[5m]))'],
    ['sum(irate(x[5m]))'],
    ['sum(count_over_time(x[5m]))'],
    ['sum(rate(x[5m] offset 1h))'],
    ['sum(rate(x[5m] @ 1600000000))'],
    ['sum(rate((x + y)[5m:1m]))'],
    ['sum(rate(x[5m]) > 3)'],
    ['sum(rate(x[5m])) * 2'],
    ['sum by (a) (rate(x[5m])) + sum by (a) (rate(y[5m]))'], // series without a partner are dropped
    ['sum(rate(x[5m]) + rate(y[5m]))'],
    ['sum(rate(x[5m])) or sum(rate(y[5m]))'],
    ['sum(rate({__name__=~"x|y"}[5m]))'],
    ['sum(rate({a="b"}[5m]))'],
    ['sum(rate({"x.y", a="b"}[5m]))'],
    ['vector(1)'],
    ['x'],
  ])('%s', (text) => {
    expect(sumOf(text)).toBeNull()
  })
})
