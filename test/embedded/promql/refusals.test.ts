import { describe, expect, test } from 'bun:test'
import type { Limits } from '../../../src/embedded/promql/budget.ts'
import { evaluateInstant, evaluateRange } from '../../../src/embedded/promql/query.ts'
import { AppError } from '../../../src/errors.ts'
import { endMs, readerOf, startMs, generatedSeries } from './samples.ts'

const reader = readerOf(generatedSeries())
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
    ['start_timestamp(up)', 'the function start_timestamp()'],
    ['ts_of_first_over_time(up[5m])', 'the function ts_of_first_over_time()'],
    ['histogram_quantiles(up, "q", 0.5)', 'the function histogram_quantiles()'],
    ['rate(up[5m] smoothed)', '“smoothed”'],
    ['up[5m] anchored', '“anchored”'],
    ['up + fill(0) up', '“fill”'],
    ['rate(up[step()])', 'step() in durations'],
    ['up offset min_of(5m, 1m)', 'min_of(5m, 1m) in durations'],
    ['up >/ 1', 'the operator “>/”'],
  ])('%s', (query, what) => {
    expect(refusal(query)).toEqual({ kind: 'invalid', details: `the embedded source does not do ${what}` })
  })
})

test('a query may have a hundred regular expressions', () => {
  const query = (count: number) => `a{${Array.from({ length: count }, (_, at) => `l${at}=~"x."`).join()}, b="c"}`
  expect(refusal(query(100))).toBeUndefined()
  expect(refusal(query(101))).toEqual({ kind: 'invalid', details: 'must be at most 100 regular expressions' })
})

describe('what is no PromQL says why', () => {
  test.each([
    ['', 'parse error at character 1: it is empty'],
    ['sum(up', 'parse error at character 7: it ends too early'],
    ['sum(up) )', 'parse error at character 9: did not expect “)”'],
    ['up{job=~"("}', 'regular expression “(”: missing closing )'],
    ['up{job!~"(?=a)"}', 'regular expression “(?=a)”: invalid or unsupported Perl syntax: (?='],
    [
      'up offset (5m) * 2',
      'parse error at character 15: put “offset (…)” and what it follows in parentheses here: it can be read in two ways',
    ],
    ['up offset 5m offset 6m', 'offset may not be set multiple times'],
    ['(up) offset 5m', 'offset modifier must be preceded by a selector or a subquery'],
    ['rate(up)', 'expected type range vector in call to function “rate”, got instant vector'],
    ['up[5m]', 'invalid expression type “range vector” for range query, must be scalar or instant vector'],
  ])('%p', (query, details) => expect(refusal(query)).toEqual({ kind: 'invalid', details }))

  test('as for one that is too long or too deep', () => {
    expect(refusal('1'.repeat(300_000))?.details).toEndWith(': it is longer than 262144 characters')
    const nested = `${'('.repeat(1100)}up${')'.repeat(1100)}`
    expect(refusal(nested)?.details).toEndWith(': its brackets are nested deeper than 200 levels')
  })
})

test('a bad pattern of label_replace is found as the query is executed, also where nothing is there', () => {
  for (const vector of ['up', 'nothing']) {
    expect(refusal(`label_replace(${vector}, "a", "$1", "job", "\\\\1")`)).toEqual({
      kind: 'source_refused',
      details: 'invalid regular expression in label_replace(): \\1: invalid escape sequence',
    })
  }
})

describe('a query beyond its limits is stopped', () => {
  test.each([
    ['requests_total', { ...plenty, maxSeries: 17 }, { kind: 'too_large', details: 'it needs more than 17 series' }],
    ['ramp', { ...plenty, maxSamples: 2500 }, { kind: 'too_large', details: 'it needs more than 2500 samples' }],
    ['1', { ...plenty, maxSamples: 2000 }, { kind: 'too_large', details: 'it needs more than 2000 samples' }],
    ['sum_over_time(ramp[1h:1ms])', plenty, { kind: 'too_large', details: 'it needs more than 1000000 samples' }],
    [
      'time() + time()',
      { ...plenty, maxSamples: 5000 },
      { kind: 'too_large', details: 'it needs more than 5000 samples' },
    ],
    ['1', { ...plenty, maxPoints: 100 }, { kind: 'too_large', details: 'it needs more than 100 points in its answer' }],
    ['ramp', tooLate, { kind: 'too_slow', details: undefined }],
  ] as const)('%s', (query, limits, problem) => expect(refusal(query, limits)).toEqual(problem))

  test.each([
    ['in the middle of a long loop', 'sum_over_time(ramp[30m])', 3],
    ['between things of which none takes long', `${'-'.repeat(100)}requests_total`, 50],
    [
      'between matches of a long pattern',
      `label_replace(requests_total, "n", "", "__name__", "${'x'.repeat(15_000)}")`,
      10,
    ],
  ])('%s', (_, query, enough) => {
    let looks = 0
    const expired = () => {
      looks += 1
      return looks > enough
    }
    expect(refusal(query, { ...plenty, expired })).toEqual({ kind: 'too_slow', details: undefined })
  })

  test.each([
    ['label_join(%, "n", "", "n", "n", "n")', 'it makes a label of more than 16384 characters'],
    ['label_replace(%, "n", "$1$1$1", "n", "(.*)")', 'it makes a label of more than 16384 characters'],
  ])('where it makes labels of labels: %s', (form, details) => {
    let query = 'label_replace(vector(1), "n", "0123456789", "", "")'
    for (let times = 0; times < 30; times += 1) query = form.replace('%', () => query)
    expect(refusal(query, { ...plenty, maxSamples: 1e8 })).toEqual({ kind: 'too_large', details })
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
