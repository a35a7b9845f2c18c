import { describe, expect, test } from 'bun:test'
import { A, B, day, E, overDay, plan } from '../planned.ts'

describe('a ratio of events in the ways people write it', () => {
  test.each([
    [`${A} / ${B}`, 'good', 'ratio'],
    [`100 * ${A} / ${B}`, 'good', 'percent'],
    [`1 - ${E} / ${B}`, 'bad', 'ratio'],
    [`1 - (${E} or vector(0)) / ${B}`, 'bad', 'ratio'],
    [`100 - 100 * ${E} / ${B}`, 'bad', 'percent'],
    [`100 * (1 - (${E} / ${B}))`, 'bad', 'percent'],
    [`(${B} - ${E}) / ${B}`, 'bad', 'ratio'],
  ] as const)('%s', (stored, counts, unit) => {
    const made = plan(stored)
    expect(made).toMatchObject({ method: 'widen', stored, unitByText: unit, isRawQuantity: false, notes: [] })
    expect(made.expression(day)).toBe(overDay(stored))
    expect(made.stepSeconds).toBeNull()
    expect(made.sides).toMatchObject({ counts, unit, counted: { kind: 'count' }, total: { stored: B } })
    expect(made.sides?.total.expression(day)).toBe(overDay(B))
    expect(made.sides?.counted.expression(day)).toContain(overDay(counts === 'good' ? A : E))
    expect(made.coverageExpression(300)).toBe(B)
  })
})

describe('placeholders come first', () => {
  test('they become the window, literal ranges stay, and the sides are filled in the same way', () => {
    const made = plan('sum(rate(a{x="$window"}[$window])) / sum(rate(b[window])) # [window]')
    expect(made).toMatchObject({ method: 'placeholder', unitByText: 'ratio', notes: [] })
    expect(made.expression(day)).toBe('sum(increase(a{x="$window"}[86400s])) / sum(increase(b[86400s])) # [window]')
    expect(made.stepSeconds).toBeNull()
    expect(made.sides?.counted).toMatchObject({ stored: 'sum(rate(a{x="$window"}[$window]))', kind: 'count' })
    expect(made.sides?.counted.expression(day)).toBe('sum(increase(a{x="$window"}[86400s]))')
    expect(made.coverageExpression(300)).toBe('sum(rate(b[300s]))')
  })

  test('a fixed range beside one stays, and is noted', () => {
    const made = plan('sum(rate(a[5m])) / sum(rate(b[$window]))')
    expect(made.expression(day)).toBe('sum(rate(a[5m])) / sum(rate(b[86400s]))')
    expect(made.notes).toEqual(['A fixed range beside a placeholder stays as it is (metric_query, character 12).'])
  })

  test('those in strings and comments do not count', () => {
    expect(plan('sum(rate(a{x="[window]"}[5m])) # $window').method).toBe('widen')
  })

  test('window_method does not override them', () => {
    expect(plan({ metric_query: 'rate(a[$window]) / rate(b[$window])', window_method: 'mean' }).method).toBe(
      'placeholder',
    )
  })

  test('one in a name is filled and noted', () => {
    const made = plan('1 - slo:error:ratio_rate{{.window}}')
    expect(made.expression(3600)).toBe('1 - slo:error:ratio_rate3600s')
    expect(made.notes).toEqual([expect.stringContaining('part of a name (metric_query, character 25)')])
  })
})

describe('the mean over time is for everything else', () => {
  test.each([
    'max(job:availability:ratio)',
    'clamp_max(worker_items_per_second / 200, 1)',
    'avg_over_time((a / b)[1h:5m])',
    `${A} / ${B} and on() up`,
    'sum(irate(a[2m])) / sum(irate(b[2m]))',
    'avg_over_time(up[30s] offset 1m)',
    '0.999',
  ])('%s, once a minute', (stored) => {
    const made = plan(stored)
    expect(made).toMatchObject({ method: 'mean', stored, samples: null, stepSeconds: 60 })
    expect(made.expression(day)).toBe(stored)
  })

  test('the sides of a ratio are queried as stored', () => {
    const made = plan('sum(irate(a[5m])) / sum(irate(b[5m]))')
    expect(made.sides?.counted.expression(day)).toBe('sum(irate(a[5m]))')
    expect(made.notes).toEqual([expect.stringContaining('because irate looks at its own range only')])
  })

  test('window_method chooses between it and widening', () => {
    expect(plan({ metric_query: `${A} / ${B}`, window_method: 'mean' })).toMatchObject({ method: 'mean', notes: [] })
    const forced = plan({ metric_query: 'sum(irate(a[5m])) / sum(rate(b[5m]))', window_method: 'widen' })
    expect(forced.method).toBe('widen')
    expect(forced.expression(day)).toBe('sum(irate(a[5m])) / sum(rate(b[86400s]))')
    const hopeless = plan({ metric_query: 'max(job:availability:ratio)', window_method: 'widen' })
    expect(hopeless).toMatchObject({
      method: 'mean',
      notes: ['There is no range to widen: measured as a mean over time.'],
    })
  })
})

describe('a raw quantity', () => {
  test.each(['sum(rate(x[5m]))', 'sum(rate(x[$window]))', 'rate(x_sum[5m]) / rate(x_count[5m])'])('%s', (stored) => {
    const made = plan(stored)
    expect(made).toMatchObject({ isRawQuantity: true, sides: null, unitByText: null })
    expect(made.notes).toHaveLength(1)
    expect(made.notes[0]).toContain('threshold: 0.3 and threshold_op: lte')
    expect(made.notes[0]?.split('\n')).toHaveLength(2)
  })

  test('is none with a bound', () => {
    expect(plan('sum(rate(x[5m])) > 3').isRawQuantity).toBe(false)
    expect(plan({ metric_query: 'time()', threshold: 3, threshold_op: 'gt' }).isRawQuantity).toBe(false)
    expect(plan('clamp_max(sum(rate(x[5m])) / 200, 1)').isRawQuantity).toBe(false)
  })
})

test('parts that may be missing are not read as none: such a ratio is measured as a whole only', () => {
  const made = plan(`1 - (sum(rate(a[5m])) + sum(rate(c[5m]))) / ${B}`)
  expect(made).toMatchObject({ method: 'widen', sides: null, unitByText: 'ratio' })
  expect(made.coverageExpression(300)).toBe(B)
})

test('a text or a range of samples is queried at one instant, so that the source says what it is', () => {
  expect(plan('up[5m]')).toMatchObject({ method: 'widen', stored: 'up[5m]' })
  expect(plan('up[5m]').expression(day)).toBe('up[5m]')
})

test.each([
  ['0.999', '((vector(0.999)) == (vector(0.999)))'],
  ['sum(a) / scalar(sum(b))', '((vector(scalar(sum(b)))) == (vector(scalar(sum(b)))))'],
  ['up[5m]', 'vector(0) > 0'],
  ['job:availability:ratio # c', 'job:availability:ratio'],
])('the coverage of %s can be queried in a subquery', (stored, coverage) => {
  expect(plan(stored).coverageExpression(300)).toBe(coverage)
})

test.each([
  ['probe_success{job="site"}', 'ratio'],
  ['avg(up{job="shop"})', 'ratio'],
  ['avg_over_time(up[5m])', 'ratio'],
  ['availability{job="shop"}', null],
] as const)('the unit of %s is known before a value is: %s', (query, unit) => {
  expect(plan(query).unitByText).toBe(unit)
})
