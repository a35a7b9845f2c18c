import { expect, test } from 'bun:test'
import { sampleNumber } from '../../src/sources/source.ts'

test.each([
  ['0.9995', 0.9995],
  ['-0.5', -0.5],
  ['3.3333333333333313', 3.3333333333333313],
  ['1e-05', 0.00001],
  ['1.5e+300', 1.5e300],
  ['+Inf', Infinity],
  ['Inf', Infinity],
  ['-Inf', -Infinity],
  ['NaN', NaN],
  ['', NaN],
  [' ', NaN],
  ['a string', NaN],
  ['0x10', NaN],
  ['1,5', NaN],
])('the sample %p is the number %p', (text, number) => {
  expect(sampleNumber(text)).toBe(number)
})
