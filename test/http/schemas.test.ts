import { expect, test } from 'bun:test'
import { Name, readerOf } from '../../src/http/schemas.ts'

const read = readerOf(Name({ max: 20 }))

test.each([' Checkout ', '可用性', '\u{1f469}\u200d\u{1f4bb}', '1', '-', 'می\u200cخواهم', 'e\u0301'])(
  '%j is a name',
  (name) => {
    expect(read(name)).toBe(name.trim())
  },
)

test.each([
  '',
  ' ',
  '\u200b\u200b',
  '\u202e\u2066',
  '\ufeff',
  '\u00ad',
  '\u2800',
  '\u3164',
  '\u00a0\u2003',
  '\u0301',
  '\ufe0f',
  'a\nb',
])('%j is none', (name) => {
  expect(() => read(name)).toThrow()
})
