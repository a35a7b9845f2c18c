import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { fullMatch, compileReplacement } from '../../src/promql/regex.ts'
import { AppError } from '../../src/errors.ts'

const refusal = (why: string) => new AppError('invalid', why)

// The meaning of patterns is compared with a real Prometheus in test/e2e/promql-against-prometheus.proof.ts.
const part = fc.constantFrom('a', 'b', '|', '(', ')', '\\.', '\\|', '\\\\', '.', '\n', '-', '\\-', '/', 'é', '_')
const pattern = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
const text = fc.array(fc.constantFrom('a', 'b', '.', '|', '\\', '-', '\n', 'é'), { maxLength: 3 })

/** Result for a text, or the error for the pattern. */
const attempt = (judge: () => boolean) => {
  try {
    return judge()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

test('a list of plain texts is the pattern that it stands for', () => {
  fc.assert(
    fc.property(pattern, text, (one, parts) => {
      const other = parts.join('')
      expect(attempt(() => fullMatch(one, refusal)(other))).toBe(
        attempt(() => compileReplacement(one, refusal)(other, '') !== null),
      )
    }),
    {
      numRuns: 3000,
      seed: 8,
      examples: [
        ['(a|b)', ['b']],
        ['a\\.|b', ['a', '.']],
      ],
    },
  )
})

describe('a pattern that would take long to get ready is refused', () => {
  const tooLarge = 'its repeats make it too large'
  const tooDeep = 'expression nests too deeply'
  test.each([
    ['((a{1,1000}){1,1000})', tooLarge],
    ['(a{900}b{900}){2}c{900}'.repeat(100), tooLarge],
    ['a{1000}'.repeat(1000), tooLarge],
    ['\\pL{200}', tooLarge],
    ['((){1000}){1000}', tooLarge],
    [`(${'a'.repeat(100)})(?i){1000}`, tooLarge],
    [`(${'a'.repeat(100)})\\Q\\E{1000}`, tooLarge],
    [`${'('.repeat(10_000)}a${')'.repeat(10_000)}`, tooDeep],
    [`${'(?:a|'.repeat(2000)}b${')*'.repeat(2000)}`, tooDeep],
    ['('.repeat(16_000), 'missing closing )'],
  ])('%.30s…: %s', (one, why) => {
    expect(() => fullMatch(one, refusal)).toThrow(why)
    expect(() => compileReplacement(one, refusal)).toThrow(why)
  })
})

test.each([
  '[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}',
  '((25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1?\\d?\\d)',
  '([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.){1,8}[a-z]{2,63}',
  '.{1,1000}',
  '\\p{L}{1,63}',
  'a'.repeat(16_000),
  `(${'[^\\pL]'.repeat(100)})+`,
])('%.60s is not too large', (one) => {
  expect(() => fullMatch(one, refusal)).not.toThrow()
})
