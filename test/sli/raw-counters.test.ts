import { describe, expect, test } from 'bun:test'
import { planSli } from '../../src/sli/plan/plan.ts'
import type { MetricKind } from '../../src/promql/analysis/counters/raw-counters.ts'
import { day, plan } from './planned.ts'

const good = 'c_total{code="200"}'

describe('a ratio of counters that are read as they are is measured as that of their increases', () => {
  test.each([
    [`sum(${good}) / sum(c_total)`, `sum(increase(${good}[86400s])) / sum(increase(c_total[86400s]))`],
    [`100 * sum(${good}) / sum(c_total)`, `100 * sum(increase(${good}[86400s])) / sum(increase(c_total[86400s]))`],
    [
      `1 - (sum(${good}) or vector(0)) / sum(c_total)`,
      `1 - (sum(increase(${good}[86400s])) or vector(0)) / sum(increase(c_total[86400s]))`,
    ],
    [
      '(sum(c_total) - sum(e_total)) / sum(c_total)',
      '(sum(increase(c_total[86400s])) - sum(increase(e_total[86400s]))) / sum(increase(c_total[86400s]))',
    ],
    [`${good} / c_total`, `sum(increase(${good}[86400s])) / sum(increase(c_total[86400s]))`],
    ['ok_total / all_total', 'increase(ok_total[86400s]) / increase(all_total[86400s])'],
    [
      'sum(x_bucket{le="0.3"}) / sum(x_count)',
      'sum(increase(x_bucket{le="0.3"}[86400s])) / sum(increase(x_count[86400s]))',
    ],
    [
      'clamp_max(sum(ok_total) / clamp_min(sum(all_total), 1), 1)',
      'clamp_max(sum(increase(ok_total[86400s])) / clamp_min(sum(increase(all_total[86400s])), 1), 1)',
    ],
    [
      'sum(ok_total) / (sum(all_total) > 0)',
      'sum(increase(ok_total[86400s])) / (sum(increase(all_total[86400s])) > 0)',
    ],
  ])('%s', (written, sent) => {
    const made = plan(written)
    expect(made.expression(day)).toBe(sent)
    expect(made).toMatchObject({ method: 'widen', written, isRawQuantity: false, problem: null })
    expect(made.rewriteNotes[0]).toMatch(
      /_(total|bucket|count) is a counter and is read without rate or increase: it is measured/,
    )
    expect(made.notes.slice(0, made.rewriteNotes.length)).toEqual(made.rewriteNotes)
  })

  test('also as two queries, each in its own parentheses', () => {
    const made = plan({ good_query: good, total_query: 'c_total # all' })
    expect(made.expression(day)).toBe(`(sum(increase(${good}[86400s]))) / (sum(increase(c_total[86400s])) # all\n)`)
    expect(made.counters).toMatchObject({ counts: 'good' })
    expect(made.rewriteNotes).toEqual([
      `c_total is a counter and is read without rate or increase: it is measured as its increase over the window. Write increase(${good}[5m]).`,
      expect.stringContaining('Put sum(…) around both sides.'),
    ])
  })

  test('beside a rate, and beside a placeholder, as the other side is', () => {
    expect(plan('sum(ok_total) / sum(rate(all_total[5m]))').stored).toBe(
      'sum(rate(ok_total[5m])) / sum(rate(all_total[5m]))',
    )
    expect(plan('sum(increase(ok_total[$window])) / sum(all_total)').expression(day)).toBe(
      'sum(increase(ok_total[86400s])) / sum(increase(all_total[86400s]))',
    )
  })

  test('a bound on it holds five minutes against it', () => {
    expect(plan('sum(ok_total) / sum(all_total) >= 0.99').expression(day)).toContain(
      'sum(increase(ok_total[5m])) / sum(increase(all_total[5m]))',
    )
  })
})

describe('what cannot be made an increase has no SLI, and says what mends it', () => {
  test.each([
    'sum(ok_total) / sum(job:requests:rate5m)',
    'sum(ok_total) / count(up)',
    'sum(ok_total * weight) / sum(all_total)',
    'sum(ok_total offset 1m) / sum(all_total offset 1m)',
    'http_requests_total',
    '1 - sum(errors_total)',
  ])('%s', (written) => {
    const made = plan(written)
    expect(made).toMatchObject({ isRawQuantity: true, stored: written, rewriteNotes: [] })
    expect(made.notes[0]).toContain('is a counter: its value counts from its start')
    expect(made.notes[0]).toContain('Divide increase(')
  })
})

describe('what is no raw counter is measured as it is written', () => {
  test.each([
    'sum(rate(ok_total[5m])) / sum(rate(all_total[5m]))',
    'sum(rate(ok_total[5m] offset 1h)) / sum(rate(all_total[5m] offset 1h))',
    'sum(increase(ok_total[5m] @ end() offset -1h)) / sum(increase(all_total[5m] @ end()))',
    '(sum(ok_total) - sum(ok_total offset 1d)) / (sum(all_total) - sum(all_total offset 1d))',
    'count(x_total) / count(y_total)',
    'sum(up) / count(up)',
    'job:ok:rate5m / job:all:rate5m',
    'absent(x_total) / count(up)',
    'timestamp(x_total) / time()',
  ])('%s', (written) => {
    expect(plan(written)).toMatchObject({ stored: written, rewriteNotes: [], problem: null })
  })

  test('a function over a range says that a metric is a gauge, whatever its name', () => {
    const made = plan('avg_over_time(ready_count[5m]) / avg_over_time(pods_count[5m])')
    expect(made).toMatchObject({ isRawQuantity: false, problem: null })
    expect(made.notes[0]).toContain('ready_count is a counter by its name, and is read as a gauge')
  })
})

describe('what the source says of a metric comes before its name', () => {
  const planned = (metricQuery: string, kind: MetricKind) => {
    const { selectorsOfUnknownKind } = plan(metricQuery)
    const definition = { good_query: null, bad_query: null, total_query: null, threshold: null, threshold_op: null }
    const known = new Map(selectorsOfUnknownKind.map((selector) => [selector, kind]))
    return planSli({ ...definition, metric_query: metricQuery, window_method: 'auto' }, known)
  }

  test('a gauge is read as it is', () => {
    expect(planned('sum(ready_count) / sum(pods_count)', 'gauge')).toMatchObject({ rewriteNotes: [], problem: null })
  })

  test('a counter without the name of one is measured as its increase', () => {
    expect(planned('sum(ok) / sum(requests{a="b"})', 'counter').stored).toBe(
      'sum(increase(ok[5m])) / sum(increase(requests{a="b"}[5m]))',
    )
  })

  test('where it cannot be decided there is no SLI, and both ways out are named', () => {
    const made = planned('sum(ok) / sum(requests)', 'unsure')
    expect(made.isRawQuantity).toBe(true)
    expect(made.notes[0]).toBe(
      'The source does not say whether ok is a counter or a gauge. If it is a counter, write increase(ok[5m]); if it is a gauge, write last_over_time(ok[5m]).',
    )
  })

  test('a counter of which samples are taken has no SLI', () => {
    expect(planned('max_over_time(ok_total[5m]) / max_over_time(all_total[5m])', 'counter').isRawQuantity).toBe(true)
  })
})
