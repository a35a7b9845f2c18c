import { describe, expect, test } from 'bun:test'
import { edited } from '../../../src/promql/print.ts'
import { readPromql } from '../../../src/promql/read.ts'
import { findRanges, type Ranges, wideningEdits } from '../../../src/promql/analysis/widen.ts'

function rangesOf(expression: string): Ranges {
  const { root } = readPromql(expression)
  return root ? findRanges(root) : { eligible: [], obstacle: 'it cannot be read', ownSeconds: null }
}

function canWiden(expression: string): boolean {
  const { eligible, obstacle } = rangesOf(expression)
  return eligible.length > 0 && obstacle === null
}

const widen = (expression: string, windowSeconds: number) =>
  edited(expression, wideningEdits(rangesOf(expression), windowSeconds))

describe('every range becomes the window, all else stays byte for byte', () => {
  test.each([
    ['sum(rate(x{code!~"5.."}[5m])) / sum(rate(x[5m]))', 'sum(rate(x{code!~"5.."}[86400s])) / sum(rate(x[86400s]))'],
    ['1 - sum(increase(e[1h]))/sum(increase(x[1h30m]))', '1 - sum(increase(e[86400s]))/sum(increase(x[86400s]))'],
    ['avg(avg_over_time(up[ 5m ]))', 'avg(avg_over_time(up[ 86400s ]))'],
    ['delta(x[300])', 'delta(x[86400s])'],
    ['sum_over_time(a[5m]) / count_over_time(a[5m])', 'sum_over_time(a[86400s]) / count_over_time(a[86400s])'],
    ['quantile_over_time(0.9, (x[5m]))', 'quantile_over_time(0.9, (x[86400s]))'],
    [
      'SUM BY (a) (rate(x[5m])) / ON(a) sum(rate(y[5m])) BY (a)',
      'SUM BY (a) (rate(x[86400s])) / ON(a) sum(rate(y[86400s])) BY (a)',
    ],
    ['rate({"my.metric", a="[5m]"}[5m]) # [5m]', 'rate({"my.metric", a="[5m]"}[86400s]) # [5m]'],
    ['sum(rate(e[5m])) or vector(0)', 'sum(rate(e[86400s])) or vector(0)'],
    ['sum(rate(x[5m])) > 0', 'sum(rate(x[86400s])) > 0'],
    ['clamp_max(sum(rate(a[5m])) / sum(rate(b[5m])), 1)', 'clamp_max(sum(rate(a[86400s])) / sum(rate(b[86400s])), 1)'],
    ['sum(rate(a[5m])) / clamp_min(sum(rate(b[5m])), 1)', 'sum(rate(a[86400s])) / clamp_min(sum(rate(b[86400s])), 1)'],
    ['histogram_fraction(0, 0.3, sum(rate(x[5m])))', 'histogram_fraction(0, 0.3, sum(rate(x[86400s])))'],
  ])('%s', (stored, sent) => {
    expect(canWiden(stored)).toBe(true)
    expect(widen(stored, 86_400)).toBe(sent)
  })
})

describe('what would not measure the window is not widened of itself, and by force only where it can be', () => {
  test.each([
    ['an offset', 'rate(x[5m] offset 1h)', null],
    ['an offset in capitals', 'rate(x[5m] OFFSET -1h)', null],
    ['an offset on one side', 'rate(x[5m]) / rate(x[5m] offset 1d)', 'rate(x[86400s]) / rate(x[5m] offset 1d)'],
    ['a pinned time', 'rate(x[5m] @ end())', null],
    ['a pinned time as a number', 'rate(x[5m] @ 1700000000)', null],
    ['a subquery', 'avg_over_time((sum(rate(a[5m])) / sum(rate(b[5m])))[1h:5m])', null],
    ['a subquery on one side', 'rate(a[5m]) / avg_over_time(b[1h:])', 'rate(a[86400s]) / avg_over_time(b[1h:])'],
    ['irate', 'sum(irate(a[5m])) / sum(rate(b[5m]))', 'sum(irate(a[5m])) / sum(rate(b[86400s]))'],
    ['idelta', 'idelta(a[5m])', null],
    ['deriv', 'deriv(a[5m])', null],
    ['predict_linear', 'predict_linear(a[5m], 3600)', null],
    ['changes', 'changes(a[5m])', null],
    ['a computed range', 'rate(a[5m * 2])', null],
    ['a bare range', 'a[5m]', null],
    ['a recorded value', 'job:errors:ratio', null],
    ['an info join', 'sum(rate(a[5m]) * on (pod) group_left info)', 'sum(rate(a[86400s]) * on (pod) group_left info)'],
    ['a number', '0.999', null],
    ['one sample of the range', 'last_over_time(a[5m])', 'last_over_time(a[86400s])'],
    ['a judgement of moments', '100 * (sum(rate(a[5m])) > bool 5)', '100 * (sum(rate(a[86400s])) > bool 5)'],
    [
      'a count of series',
      'count(rate(a[5m]) > 1) / count(rate(a[5m]))',
      'count(rate(a[86400s]) > 1) / count(rate(a[86400s]))',
    ],
    ['a bound on a quantity', '1 - clamp_max(rate(a[5m]) / 200, 1)', '1 - clamp_max(rate(a[86400s]) / 200, 1)'],
    ['a total held against a constant', 'sum_over_time(up[1h]) / 60', 'sum_over_time(up[86400s]) / 60'],
    ['text the grammar cannot read', 'rate(a[5m]) default 0', null],
  ])('%s: %s', (_, stored, forced) => {
    expect(canWiden(stored)).toBe(false)
    expect(widen(stored, 86_400)).toBe(forced ?? stored)
  })
})

test.each([
  ['rate(x[5m]) / rate(y[1h])', 300],
  ['rate(x[300])', 300],
  ['max_over_time(x[1h:5m])', 3600],
  ['max_over_time(rate(x[2m])[1h:5m])', 120],
  ['rate(x[5m] offset 1s)', 300],
  ['irate(x[90s])', 90],
  ['rate(x[5m * 2])', null],
  ['job:errors:ratio', null],
  ['x{a="[5m]"} # [5m]', null],
  ['rate(x[', null],
] as const)('the own range of %p is %p seconds', (expression, seconds) => {
  expect(rangesOf(expression).ownSeconds).toBe(seconds)
})
