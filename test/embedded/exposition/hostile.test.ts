import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { parseExposition } from './parse-exposition.ts'
import { exposition, type Format } from './generated.ts'
import { contentTypes } from './scraped.ts'

const formats = ['text', 'openmetrics'] as const

/** Number of samples, or the kind of an expected error; throws any other error. */
function outcome(format: Format, body: string | Uint8Array): number | string {
  try {
    return parseExposition(body, { contentType: contentTypes[format] }).samples.length
  } catch (error) {
    if (error instanceof AppError && error.details) return error.kind
    throw error
  }
}

test.each(formats)('whatever bytes come as %s, it is read or refused in our own words', (format) => {
  const token = fc.constantFrom(
    'a',
    '{',
    '}',
    '"',
    '=',
    ',',
    ' ',
    '\n',
    '\\',
    '1',
    '# ',
    'TYPE ',
    'HELP ',
    'EOF',
    'é',
    '\u0000',
  )
  const soup = fc.array(token, { maxLength: 40 }).map((all) => all.join(''))
  const body = fc.oneof(soup, exposition(format, 1_700_000_000), fc.uint8Array({ maxLength: 60 }))
  fc.assert(
    fc.property(body, (one) => {
      const result = outcome(format, one)
      expect(typeof result === 'number' || result === 'invalid').toBe(true)
    }),
    { numRuns: 2000 },
  )
})

const many = 1_000_000
test.each([
  ['an open brace', `a{${'l="x",'.repeat(many / 10)}`],
  ['a million labels', `a{${Array.from({ length: many / 10 }, (_, at) => `l${at}="x"`).join(',')}} 1\n`],
  ['a value without end', `a{l="${'x'.repeat(many)}`],
  ['a value of backslashes', `a{l="${'\\'.repeat(many)}`],
  ['a long name', `${'a'.repeat(many)} 1\n`],
  ['a long number', `a 1${'0'.repeat(many)}\n`],
  ['a long fraction', `a 0.${'1'.repeat(many)}x\n`],
  ['a long timestamp', `a 1 ${'9'.repeat(many)}\n`],
  ['blanks', `a${' '.repeat(many)}\n`],
  ['quotes', `a{${'"'.repeat(many)}\n`],
])('%s is refused in both formats, in linear time or never', (_, body) => {
  for (const format of formats) expect(outcome(format, body)).toBe('invalid')
})

test('empty lines, comments and families without end are read, in linear time or never', () => {
  expect(outcome('text', '\n'.repeat(many))).toBe(0)
  expect(outcome('text', '#\n# x\n'.repeat(many / 10))).toBe(0)
  expect(outcome('text', '# TYPE a gauge\n'.repeat(many / 10))).toBe(0)
})
