import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { keyMatcher } from '../../src/cache/removal.ts'

test.each([
  ['query:7:', 'query:7:30d:ab', true],
  ['query:7:', 'query:77:30d:ab', false],
  ['', 'anything', true],
  ['query:*:30d:*', 'query:7:30d:ab', true],
  ['query:*:30d:*', 'query:7:1h:ab', false],
  ['query:?:*', 'query:77:30d:ab', false],
  ['*', 'a', true],
  ['?', '😀', true],
  ['a*', 'ba', false],
  ['*a', 'ab', false],
  ['a.c', 'abc', false],
  ['a.*', 'abc', false],
  ['[a]*', 'abc', false],
] as const)('%j means %j: %p', (pattern, key, means) => {
  expect(keyMatcher(pattern)(key)).toBe(means)
})

test('a glob means what the expression of the same shape means', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 8 }).map((chars) => chars.join(''))
  fc.assert(
    fc.property(text, text, (pattern, key) => {
      fc.pre(/[*?]/.test(pattern))
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
      expect(keyMatcher(pattern)(key)).toBe(expression.test(key))
    }),
    { numRuns: 1000 },
  )
})

test('no pattern is slow', () => {
  expect(keyMatcher(`${'*a'.repeat(500)}b`)('a'.repeat(1000))).toBe(false)
})
