import { describe, expect, test } from 'bun:test'
import type { Limits } from '../../../src/embedded/promql/budget.ts'
import { evaluateInstant, evaluateRange } from '../../../src/embedded/promql/query.ts'
import { AppError } from '../../../src/errors.ts'
import { endMs, readerOf, startMs, toldSeries } from './samples.ts'

const reader = readerOf(toldSeries())
const plenty: Limits = { maxSamples: 1e6, maxSeries: 1000, expired: () => false }
const tooLate: Limits = { ...plenty, expired: () => true }

const refusal = (query: string, limits = plenty) => {
  try {
    evaluateRange(reader, query, { startMs, endMs, stepMs: 1000 }, { limits })
  } catch (error) {
    if (error instanceof AppError) return { kind: error.kind, details: error.details }
    throw error
  }
  return undefined
}

describe('what the embedded source does not do is named', () => {
  test.each([
    ['histogram_sum(up)', 'the function histogram_sum()'],
    ['mad_over_time(up[5m])', 'the function mad_over_time()'],
    ['limitk(2, up)', 'limitk'],
    ['rate(up[5m] smoothed)', '“smoothed”'],
    ['up[5m] anchored', '“anchored”'],
    ['up + fill(0) up', '“fill”'],
    ['{"a name"}', 'quoted names'],
    ['rate(up[5m + 1m])', 'arithmetic in durations'],
  ])('%s', (query, what) => {
    expect(refusal(query)).toEqual({ kind: 'invalid', details: `the embedded source does not do ${what}` })
  })
})

describe('what is no PromQL says why', () => {
  test.each([
    ['', 'parse error at character 1: it is empty'],
    ['sum(up', 'parse error at character 7: it ends too early'],
    ['sum(up) )', 'parse error at character 9: did not expect “)”'],
    ['up{job=~"("}', 'regular expression “(”: missing closing )'],
    ['up{job!~"(?=a)"}', 'regular expression “(?=a)”: invalid or unsupported Perl syntax: (?='],
    ['label_replace(up, "a", "$1", "job", "\\\\1")', 'regular expression “\\1”: invalid escape sequence'],
    ['up offset 5m offset 6m', 'offset may not be set multiple times'],
    ['(up) offset 5m', 'offset modifier must be preceded by a selector or a subquery'],
    ['rate(up)', 'expected type range vector in call to function “rate”, got instant vector'],
    ['up[5m]', 'invalid expression type “range vector” for range query, must be scalar or instant vector'],
  ])('%p', (query, details) => expect(refusal(query)).toEqual({ kind: 'invalid', details }))

  test('as for one that is too long or too deep', () => {
    expect(refusal('1'.repeat(20_000))?.details).toEndWith(': it is longer than 16384 characters')
    const nested = `${'('.repeat(1100)}up${')'.repeat(1100)}`
    expect(refusal(nested)?.details).toEndWith(': it is nested deeper than 1000 levels')
  })
})

describe('a query beyond its limits is stopped', () => {
  test.each([
    ['requests_total', { ...plenty, maxSeries: 17 }, { kind: 'too_large', details: 'it needs more than 17 series' }],
    ['ramp', { ...plenty, maxSamples: 2500 }, { kind: 'too_large', details: 'it needs more than 2500 samples' }],
    ['1', { ...plenty, maxSamples: 2000 }, { kind: 'too_large', details: 'it needs more than 2000 samples' }],
    ['sum_over_time(ramp[1h:1ms])', plenty, { kind: 'too_large', details: 'it needs more than 1000000 samples' }],
    ['ramp', tooLate, { kind: 'too_slow', details: undefined }],
  ] as const)('%s', (query, limits, problem) => expect(refusal(query, limits)).toEqual(problem))

  test('in the middle of a long loop', () => {
    let looks = 0
    const expired = () => {
      looks += 1
      return looks > 3
    }
    expect(refusal('sum_over_time(ramp[30m])', { ...plenty, expired })).toEqual({
      kind: 'too_slow',
      details: undefined,
    })
  })
})

test('a label named like what every object has is a label like any other', () => {
  const { type, ...rest } = evaluateInstant(reader, 'count by (constructor, __proto__) (up)', startMs, {
    limits: plenty,
  })
  expect(type).toBe('vector')
  expect(rest).toMatchObject({ samples: [{ labels: {} }] })
})

test('sort and topk keep their order', () => {
  const query =
    'topk(3, label_replace(vector(1), "n", "a", "", "") or label_replace(vector(3), "n", "b", "", "") or vector(2))'
  const values = ['sort_desc(%)', 'sort(%)', '%'].map((form) => {
    const result = evaluateInstant(
      reader,
      form.replace('%', () => query),
      startMs,
      { limits: plenty },
    )
    return result.type === 'vector' ? result.samples.map(({ point }) => point[1]) : []
  })
  expect(values).toEqual([
    [3, 2, 1],
    [1, 2, 3],
    [3, 2, 1],
  ])
})

test('a long chain of operators is no deep nesting that could overflow', () => {
  const chain = (operator: string) => Array.from({ length: 250 }, () => '1').join(operator)
  const values = ['+', '^', ' >= bool '].map((operator) => {
    const result = evaluateInstant(reader, chain(operator), startMs, { limits: plenty })
    return result.type === 'scalar' ? result.point[1] : null
  })
  expect(values).toEqual([250, 1, 1])
})
