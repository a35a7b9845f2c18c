import { describe, expect, test } from 'bun:test'
import { normalForm } from '../../../src/promql/analysis/normal-form.ts'

describe('the normal form of an expression', () => {
  test.each([
    ['sum by (code) (rate(x[5m]))', ' sum  by(code)\n  (rate( x [5m] ) )\t'],
    ['a / b', 'a/b # good over all'],
    ['a / b', '# good\na # over\n/ # all\nb'],
    ['a and b', 'a\n  and\t b'],
    ['a and b', 'a # first\nand b'],
    ['x{job="a b"}', 'x { job = "a b" }'],
    ['rate(x[$window])', 'rate( x [ $window ] )'],
    ['rate(x[{{ window }}])', 'rate(x[{{window}}])'],
    ['x offset 5m > bool 1', 'x  offset  5m>bool  1'],
  ])('of %j is that of %j', (one, other) => {
    expect(normalForm(other)).toBe(normalForm(one))
  })

  test.each([
    ['x{job="a b"}', 'x{job="ab"}'],
    ['x{job="a # b"}', 'x{job="a'],
    ["x{job='a'}", "x{job=' a'}"],
    ['x{job=`a  b`}', 'x{job=`a b`}'],
    ['a - b', 'a - -b'],
    ['a and b', 'aandb'],
    ['up', 'UP'],
    ['a / b', 'b / a'],
  ])('of %j is not that of %j', (one, other) => {
    expect(normalForm(other)).not.toBe(normalForm(one))
  })

  test('of what nobody can read is the text without what surrounds it', () => {
    expect(normalForm('  sum( x   y ( \n')).toBe('sum( x   y (')
  })
})
