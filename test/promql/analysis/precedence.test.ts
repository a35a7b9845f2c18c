import { describe, expect, test } from 'bun:test'
import { A, day, plan } from '../../sli/planned.ts'

describe('a side that ends in an offset or @ is a side', () => {
  test.each([
    ['good / total offset 5m', 'good', 'good', 'total offset 5m', 'ratio'],
    ['good offset 5m / total', 'good', 'good offset 5m', 'total', 'ratio'],
    ['good / total @ 123', 'good', 'good', 'total @ 123', 'ratio'],
    ['good offset -5m / total @ end() offset -5m', 'good', 'good offset -5m', 'total @ end() offset -5m', 'ratio'],
    ['1 - bad / total offset 5m', 'bad', 'bad', 'total offset 5m', 'ratio'],
    ['100 * good / total offset 5m', 'good', 'good', 'total offset 5m', 'percent'],
    ['100 - bad / total offset 5m * 100', 'bad', 'bad', 'total offset 5m', 'percent'],
    ['-bad / total offset 5m + 1', 'bad', 'bad', 'total offset 5m', 'ratio'],
    ['good # of\n/ total # all\noffset # then\n5m # end', 'good', 'good', 'total # all\noffset # then\n5m', 'ratio'],
    [`${A} / total offset 1d`, 'good', A, 'total offset 1d', 'ratio'],
  ])('%j counts %s events', (stored, counts, counted, total, unit) => {
    const { sides, coverageExpression } = plan(stored)
    expect(sides).toMatchObject({ counts, unit, counted: { stored: counted }, total: { stored: total } })
    expect(coverageExpression(300)).toBe(total)
  })

  test('and has its placeholders filled where they stand', () => {
    const { sides, expression } = plan('rate(good[$window]) / total offset ${window}')
    expect(expression(day)).toBe('rate(good[86400s]) / total offset 86400s')
    expect(sides?.counted.expression(day)).toBe('rate(good[86400s])')
    expect(sides?.total.expression(day)).toBe('total offset 86400s')
  })

  test('and has no effect on the ranges of the other, but that the whole is not widened of itself', () => {
    const stored = 'rate(good[5m]) / total offset 1d'
    expect(plan(stored).method).toBe('mean')
    const forced = plan({ metric_query: stored, window_method: 'widen' })
    expect(forced.expression(day)).toBe('rate(good[86400s]) / total offset 1d')
  })
})

describe('a comparison with a side that ends in an offset or @ is a comparison', () => {
  test.each([
    ['a / b offset 5m <= bool 0.3', '((a / b offset 5m) == (a / b offset 5m)) <= bool 0.3'],
    ['0.3 >= a offset 5m', '0.3 >= bool ((a offset 5m) == (a offset 5m))'],
    ['a > b @ 123', 'a > bool b @ 123'],
    ['a < on (x) b # of\noffset 1d', 'a < bool on (x) b # of\noffset 1d'],
  ])('%j', (stored, sent) => {
    expect(plan(stored)).toMatchObject({ method: 'slices', isAssessed: true })
    expect(plan(stored).expression(day)).toBe(sent)
  })

  test('but not one inside of a selection', () => {
    expect(plan('a > 3 and b offset 5m').isAssessed).toBe(false)
  })
})

test.each(['100 * a offset 5m', '100 - a @ end()', '-a offset 5m + 100'])(
  'the unit of %s is percent by its text',
  (stored) => expect(plan(stored).unitByText).toBe('percent'),
)
