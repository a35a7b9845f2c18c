import { describe, expect, test } from 'bun:test'
import { day, plan } from '../../../sli/planned.ts'

describe('where both sides of a ratio become the window, rates are sent as increases', () => {
  test.each([
    ['sum(rate(a[5m])) / sum(rate(b[5m]))', 'sum(increase(a[86400s])) / sum(increase(b[86400s]))'],
    ['sum(increase(a[5m])) / sum(increase(b[5m]))', 'sum(increase(a[86400s])) / sum(increase(b[86400s]))'],
    ['sum(rate(a[5m])) / sum(increase(b[5m]))', 'sum(increase(a[86400s])) / sum(increase(b[86400s]))'],
    ['sum(rate(a[$window])) / sum(rate(b[$window]))', 'sum(increase(a[86400s])) / sum(increase(b[86400s]))'],
    ['avg(rate(a[5m])) / avg(rate(b[5m]))', 'avg(increase(a[86400s])) / avg(increase(b[86400s]))'],
    [
      'clamp_max(sum(rate(a[5m])) / sum(rate(b[5m])), 1)',
      'clamp_max(sum(increase(a[86400s])) / sum(increase(b[86400s])), 1)',
    ],
    ['avg(rate(a[5m]) / rate(b[5m]))', 'avg(increase(a[86400s]) / increase(b[86400s]))'],
    ['sum(rate(a[5m])) / (sum(rate(b[5m])) > 0)', 'sum(increase(a[86400s])) / (sum(increase(b[86400s])) > 0)'],
    ['-100 * -sum(rate(a[5m])) / sum(rate(b[5m]))', '-100 * -sum(increase(a[86400s])) / sum(increase(b[86400s]))'],
  ])('%s', (written, sent) => {
    const made = plan(written)
    expect(made.expression(day)).toBe(sent)
    if (made.sides) expect([made.sides.counted, made.sides.total].map(({ kind }) => kind)).not.toContain('per_second')
  })

  test('what counts per second on one side only has counters, and is still noted', () => {
    const made = plan('sum(rate(a[5m])) / sum(increase(b[5m]))')
    expect(made.counters).not.toBeNull()
    expect(made.notes).toEqual([expect.stringContaining('both are measured as increases')])
  })
})

describe('rates stay where an increase would be another number', () => {
  test.each([
    'sum(rate(a[5m])) / sum(rate(b[5m]) > 3)',
    'sum(rate(a[5m])) / clamp_min(sum(rate(b[5m])), 1)',
    'sum(rate(a[5m])) / sum(count_over_time(b[5m]))',
    'sum(rate(a[5m]) * rate(c[5m])) / sum(rate(b[5m]))',
    'sum(rate(a[5m])) / count(b)',
    'sum(rate(a[5m])) / sum(rate(b[5m])) >= 0.99',
    'sum(rate(a[5m])) / 200',
  ])('%s', (written) => {
    expect(plan(written).expression(day)).not.toContain('increase')
  })

  test('as does one that keeps its own range', () => {
    expect(plan('sum(rate(a[5m])) / sum(rate(b[$window]))').expression(day)).toBe(
      'sum(rate(a[5m])) / sum(rate(b[86400s]))',
    )
    const mean = plan({ metric_query: 'sum(rate(a[5m])) / sum(rate(b[5m]))', window_method: 'mean' })
    expect(mean.expression(day)).toBe(mean.stored)
    expect(mean.sides?.total.kind).toBe('per_second')
  })
})
