import { describe, expect, test } from 'bun:test'
import { A, B, day, plan } from '../../sli/planned.ts'

describe('a comparison at the top is assessed moment by moment', () => {
  const Q = 'histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))'
  test.each([
    [`${Q} <= 0.3`, `((${Q}) == (${Q})) <= bool 0.3`],
    [`(( ${Q} <= 0.3 ))`, `((${Q}) == (${Q})) <= bool 0.3`],
    [`${Q}<=0.3 # seconds`, `((${Q}) == (${Q})) <= bool 0.3`],
    ['x >= bool 200', '((x) == (x)) >= bool 200'],
    ['x >= BOOL 200', '((x) == (x)) >= bool 200'],
    ['x != 2', '((x) == (x)) != bool 2'],
    ['0.3 > x', '0.3 > bool ((x) == (x))'],
    ['x < (2 * 0.15)', '((x) == (x)) < bool (2 * 0.15)'],
    ['x + y > 3', '((x + y) == (x + y)) > bool 3'],
    ['x{a="# <= 3"} # 1\n< # 2\n3', '((x{a="# <= 3"}) == (x{a="# <= 3"})) < bool # 2\n3'],
    ['x <= y', 'x <= bool y'],
    ['x <= on(a) group_left(b) y', 'x <= bool on(a) group_left(b) y'],
    ['x <= bool ignoring (a) y', 'x <= bool ignoring (a) y'],
    ['scalar(x) < 3', '((vector(scalar(x))) == (vector(scalar(x)))) < bool 3'],
    [
      'scalar(x) < scalar(y)',
      '((vector(scalar(x))) == (vector(scalar(x)))) < bool ((vector(scalar(y))) == (vector(scalar(y))))',
    ],
    ['x < scalar(y)', '((x) == (x)) < bool scalar(y)'],
    ['1 < 2', '((vector(1)) == (vector(1))) < bool ((vector(2)) == (vector(2)))'],
    ['{"my.metric"} < 3', '(({"my.metric"}) == ({"my.metric"})) < bool 3'],
    [`${A} / ${B} >= 0.99`, `((${A} / ${B}) == (${A} / ${B})) >= bool 0.99`],
  ])('%s', (stored, sent) => {
    const made = plan(stored)
    expect(made).toMatchObject({ stored, sides: null, unitByText: 'ratio', isRawQuantity: false })
    expect(made.coverageExpression(300)).toBe(sent)
    expect(made).toMatchObject({ method: 'slices', stepSeconds: 60 })
    expect(made.expression(day)).toBe(sent)
  })

  test.each(['x < 3 and y', 'x > 3 or vector(0)', 'x unless y > 3'])(
    '%s is a selection, not a comparison',
    (stored) => {
      expect(plan(stored)).toMatchObject({ method: 'mean', stored })
    },
  )

  test('a threshold means the same, whatever the quantity looks like', () => {
    const made = plan({ metric_query: `${Q} # p95`, threshold: 0.3, threshold_op: 'lte' })
    expect(made).toMatchObject({ method: 'slices', unitByText: 'ratio', isRawQuantity: false, sides: null, notes: [] })
    expect(made.stored).toBe(`${Q} # p95`)
    expect(made.expression(day)).toBe(`((${Q}) == (${Q})) <= bool 0.3`)
  })

  test.each([
    ['lte', '<='],
    ['lt', '<'],
    ['gte', '>='],
    ['gt', '>'],
  ] as const)('threshold_op %s is %s', (thresholdOp, symbol) => {
    const made = plan({ metric_query: 'a or b', threshold: -1e-7, threshold_op: thresholdOp })
    expect(made.expression(day)).toBe(`((a or b) == (a or b)) ${symbol} bool -1e-7`)
  })

  test('a threshold is kept for what the grammar cannot read, away from its comments', () => {
    const made = plan({ metric_query: 'rate(x) keep_metric_names # c', threshold: 0.3, threshold_op: 'gt' })
    expect(made.method).toBe('slices')
    expect(made.expression(day)).toBe('(rate(x) keep_metric_names # c\n) > bool 0.3')
  })

  test('a threshold over a comparison assesses what that leaves, and is noted', () => {
    const made = plan({ metric_query: 'max(x) > 0', threshold: 3, threshold_op: 'lt' })
    expect(made.expression(day)).toBe('((max(x) > 0) == (max(x) > 0)) < bool 3')
    expect(made.notes).toEqual([expect.stringContaining('comparison of its own')])
  })

  test.each([
    ['a comparison', { metric_query: 'sum(rate(x[$window])) >= 200' }],
    ['a threshold', { metric_query: 'sum(rate(x[$window]))', threshold: 200, threshold_op: 'gte' as const }],
  ])('%s with a placeholder is assessed once over the whole window, and that is noted', (_, definition) => {
    const made = plan(definition)
    expect(made).toMatchObject({ method: 'placeholder', unitByText: 'ratio', isRawQuantity: false, sides: null })
    expect(made.expression(day)).toBe('((sum(rate(x[86400s]))) == (sum(rate(x[86400s])))) >= bool 200')
    expect(made.stepSeconds).toBeNull()
    expect(made.coverageExpression(300)).toContain('x[300s]')
    expect(made.notes).toEqual([expect.stringContaining('assessed once over the whole window')])
  })

  test('window_method does not override it', () => {
    expect(plan({ metric_query: 'rate(x[5m]) < 3', window_method: 'widen' }).method).toBe('slices')
  })
})
