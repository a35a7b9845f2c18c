import { describe, expect, test } from 'bun:test'
import { pick, seeded } from '../promql/random.ts'
import { assertPattern, compilePattern } from '../../../src/embedded/probing/pattern.ts'

describe('a pattern matches anywhere', () => {
  test.each([
    ['ell', 'hello', true],
    ['^ell', 'hello', false],
    ['lo$', 'hello', true],
    ['^$', '', true],
    ['', 'anything', true],
    ['a|^b', 'xb', false],
    ['(a|b)+c', 'xxabac', true],
    ['a{2,3}', 'a a', false],
    ['^a{2,3}$', 'aaa', true],
    ['^a{2}$', 'aaa', false],
    ['^(ab){2,}$', 'ababab', true],
    ['a.b', 'a\nb', false],
    ['\\bok\\b', 'not ok!', true],
    ['\\bok\\b', 'token', false],
    ['\\Bk', 'ok', true],
    ['(?i)HELLO', 'hello', true],
    ['[^a-y]{3}', 'aZZZ', true],
    ['\\d+\\.\\d+', 'v1.25', true],
    ['\\x41\\[', 'A[', true],
    ['(?P<name>x)y', 'xy', true],
    ['^.$', '😀', true],
    ['(a*)*b', 'aaab', true],
    ['x*?y??$', 'z', true],
    ['(?s)a.b', 'a\nb', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^\\pL+$', 'schön', true],
    ['[[:digit:]]', 'v1', true],
    ['v1\\.25|v2', 'is v1.25', true],
    ['v1\\.25|v2', 'is v1x25', false],
    ['"status":\\s*"UP"', '{"status": "UP"}', true],
  ])('%p in %p: %p', (pattern, text, matches) => {
    expect(compilePattern(pattern)(text)).toBe(matches)
  })
})

test.each(['a.*b', '(a+)+$b', '(a|a)*b', 'a.*b.*c.*d', '(.*)*x', '(a|a)*[bc]', '(.*)*(.?){30}[bc]'])(
  '%p is not found in a mebibyte of a',
  (one) => {
    expect(compilePattern(one)('a'.repeat(1024 * 1024))).toBe(false)
  },
)

test('a pattern that would need too much of a text is given up', () => {
  const random = seeded(8)
  const text = Array.from({ length: 200_000 }, () => pick(random, ['a', 'b'])).join('')
  expect(() => compilePattern('a[ab]{100}[cd]')(text)).toThrow('too many steps')
})

test.each([
  ['(', 'missing closing )'],
  ['a**', 'invalid nested repetition operator: **'],
  ['(?=a)', 'invalid or unsupported Perl syntax: (?='],
  ['a\\1', 'invalid escape sequence: \\1'],
  ['a{1001}', 'invalid repeat count: {1001}'],
  ['(a{1000}){1000}', 'its repeats make it too large'],
])('%p is no pattern', (one, said) => {
  expect(() => assertPattern('settings.body_matches', one)).toThrow(
    expect.objectContaining({
      kind: 'invalid',
      details: expect.stringMatching(/^settings\.body_matches: must be a regular expression/),
    }),
  )
  expect(() => assertPattern('f', one)).toThrow(expect.objectContaining({ details: expect.stringContaining(said) }))
})

test('what is a pattern is let pass', () => {
  expect(() => assertPattern('expected', '^v=spf1 .*-all$')).not.toThrow()
})
