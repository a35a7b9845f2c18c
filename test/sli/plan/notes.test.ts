import { describe, expect, test } from 'bun:test'
import { A, B, day, E, plan } from '../planned.ts'

const nested = (depth: number) => `${'('.repeat(depth)}x${')'.repeat(depth)}`

describe('what the grammar cannot read is sent as it is', () => {
  test('as a mean', () => {
    const made = plan('sum(rate(x[5m])) default 0 # c')
    expect(made).toMatchObject({ method: 'mean', sides: null, unitByText: null, isRawQuantity: false })
    expect(made.expression(day)).toBe('sum(rate(x[5m])) default 0 # c')
    expect(made.coverageExpression(300)).toBe('sum(rate(x[5m])) default 0 # c\n')
    expect(made.notes).toEqual([
      'The query cannot be read as PromQL (metric_query, character 18): did not expect “default”. It is sent as it is and measured as a mean over time.',
    ])
  })

  test('with its placeholders filled', () => {
    const made = plan('share_le_over_time(x{a="$window"}[$window], 0.3)')
    expect(made).toMatchObject({ method: 'placeholder', sides: null })
    expect(made.expression(day)).toBe('share_le_over_time(x{a="$window"}[86400s], 0.3)')
  })

  test.each([
    ['rate(x[$__rate_interval])', 'write $window'],
    ['rate(x[{{interval}}])', 'write $window'],
    [nested(10_000), 'it is longer than 16384 characters'],
    [nested(8_000), 'its brackets are nested deeper than 200 levels'],
  ])('%.30s is noted', (stored, note) => {
    const made = plan(stored)
    expect(made.expression(day)).toBe(stored)
    expect(made.notes).toEqual([expect.stringContaining(note)])
  })
})

describe('what is likely a mistake is noted', () => {
  test.each([
    ['rate(x{code!~"5.."}[5m]) / rate(x[5m])', 'Put sum(…) around both sides'],
    [`1 - (sum(rate(a[5m])) + sum(rate(b[5m]))) / ${B}`, 'put “or vector(0)” behind each part'],
    ['sum(rate(a[5m])) / sum(increase(b[5m]))', 'use rate or increase on both'],
    [`${A} / ${B} or vector(1)`, '“or vector(1)” around the whole'],
    [`1 - (${E} / ${B} or vector(0))`, '“or vector(0)” around the whole'],
    ['min_over_time(up[5m])', 'min_over_time is taken once over the whole window'],
    ['up[5m]', 'not a number'],
    ['"up"', 'not a number'],
  ])('%s', (stored, note) => {
    expect(plan(stored).notes).toEqual([expect.stringContaining(note)])
  })

  test.each([
    `${A} / ${B}`,
    'sum_over_time(probe_success[5m]) / count_over_time(probe_success[5m])',
    'sum by (a) (rate(x{b="c"}[5m])) / sum by (a) (rate(x[5m]))',
    'rate(x{code="200"}[5m]) / ignoring(code) rate(x[5m])',
    'job:availability:ratio',
    '100 * avg_over_time(up[5m])',
  ])('and %s is none', (stored) => {
    expect(plan(stored).notes).toEqual([])
  })
})
