import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import {
  baseUrl,
  flag,
  headers,
  httpUrl,
  singleLine,
  oneOf,
  type FieldReader,
  readFields,
  wholeNumber,
} from '../../../src/notifications/channels/configuration.ts'
import type { ChannelSchema } from '../../../src/notifications/channels/schemas/schema.ts'

/** Parsed value, or the details of the refusal. */
function read<T>(how: FieldReader<T>, value: unknown) {
  try {
    return how({ key: value }, 'key')
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error
    return `refused: ${error.details}`
  }
}

const readers = { line: singleLine(), oneOf: oneOf({ a: 'A', b: 'B' }), httpUrl, baseUrl, headers }

describe.each(Object.entries(readers))('%s', (_, how) => {
  test.each([[undefined], [null], ['']])('takes %p for absent', (value) => {
    expect(read<unknown>(how, value)).toBeUndefined()
  })

  test.each([[7], [true], [['a']], [[]], ['\u0000'], ['a\nb']])('refuses %p, naming the key', (value) => {
    expect(read<unknown>(how, value)).toStartWith('refused: configuration.key: must ')
  })
})

test('a flag is true, or false like one that is absent', () => {
  expect([read(flag, true), read(flag, false)]).toEqual([true, undefined])
})

test.each(['true', 1, {}])('a flag is never %p', (value) => {
  expect(read(flag, value)).toBe('refused: configuration.key: must be true or false')
})

test.each([30, 60])('a whole number from 30 to 60 is %p', (value) => {
  expect(read(wholeNumber(30, 60), value)).toBe(value)
})

test.each([29, 61, 30.5, '30', Infinity, true])('a whole number from 30 to 60 is never %p', (value) => {
  expect(read(wholeNumber(30, 60), value)).toBe('refused: configuration.key: must be a whole number from 30 to 60')
})

describe('the fields of a schema', () => {
  const schema = {
    mode: { kind: 'choice', choices: { one: 'One', two: 'Two' }, default: 'one' },
    key: { requirement: 'must be a key', pattern: [/^k/, 'must begin with k'] },
    extra: { max: 3, when: { key: 'mode', is: 'two' } },
    seconds: {
      kind: 'number',
      range: [1, 9],
      default: 5,
      when: { key: 'mode', is: 'two', otherwise: 'must be left out' },
    },
    tags: { kind: 'list', maxEntries: 2, max: 3 },
  } as const satisfies ChannelSchema
  const refusal = (details: string) => expect.objectContaining({ kind: 'invalid', details })

  test.each([
    [
      { key: ' k1 ', unknown: 'x' },
      { mode: 'one', key: 'k1' },
    ],
    [
      { key: 'k', extra: 'too long', tags: [] },
      { mode: 'one', key: 'k', tags: [] },
    ],
    [
      { key: 'k', mode: 'two', extra: 'abc', tags: ['a', ' b '] },
      { mode: 'two', key: 'k', extra: 'abc', seconds: 5, tags: ['a', 'b'] },
    ],
  ])('%p is read as %p', (given, expected) => {
    expect(JSON.stringify(readFields(schema, given))).toBe(JSON.stringify(expected))
  })

  test.each([
    [{}, 'configuration.key: must be a key'],
    [{ key: '' }, 'configuration.key: must be a key'],
    [{ key: null }, 'configuration.key: must be a key'],
    [{ key: 'x' }, 'configuration.key: must begin with k'],
    [
      { key: 'x', mode: 'three', seconds: 10 },
      'configuration.mode: must be one of one, two; configuration.key: must begin with k',
    ],
    [{ key: 'k', seconds: 5 }, 'configuration.seconds: must be left out'],
    [{ key: 'k', mode: 'two', seconds: 10 }, 'configuration.seconds: must be a whole number from 1 to 9'],
    [{ key: 'k', mode: 'two', extra: 'long' }, 'configuration.extra: must be 1 to 3 characters, no control characters'],
    [{ key: 'k', tags: 'a' }, 'configuration.tags: must be a list of at most 2 entries'],
    [{ key: 'k', tags: ['a', 'b', 'c'] }, 'configuration.tags: must be a list of at most 2 entries'],
    [{ key: 'k', tags: ['a', 'long'] }, 'configuration.tags.1: must be 1 to 3 characters'],
  ])('%p is refused: %s', (given, details) => {
    expect(() => readFields(schema, given)).toThrow(refusal(details))
  })

  test('a field with a reader of its own is read by it', () => {
    const successor: FieldReader<number> = (given, key) => Number(given[key]) + 1
    expect(readFields(schema, { key: 7 }, { key: successor }).key).toBe(8)
    expect(() => readFields(schema, {}, { key: () => undefined })).toThrow(refusal('configuration.key: must be a key'))
  })
})

test('a line has so many characters at most', () => {
  expect(read(singleLine(3), 'abc')).toBe('abc')
  expect(read(singleLine(3), ' abc ')).toBe('abc')
  expect(read(singleLine(3), 'abcd')).toBe(
    'refused: configuration.key: must be 1 to 3 characters, no control characters',
  )
  expect(read(singleLine(3), '   ')).toStartWith('refused')
})

test('a value is one of those there are', () => {
  expect(read(oneOf({ a: 'A', b: 'B' }), 'b')).toBe('b')
  expect(read(oneOf({ a: 'A', b: 'B' }), 'B')).toBe('refused: configuration.key: must be one of a, b')
})

describe('an http(s) URL', () => {
  test.each([
    'https://h.example',
    'HTTP://127.0.0.1:8080/a/b?c=d&e=%20',
    'http://[::1]/x',
    'https://h.example/@x:y',
    `https://h.example/${'x'.repeat(1980)}`,
  ])('%p', (url) => {
    expect(read(httpUrl, ` ${url} `)).toBe(url)
  })

  test.each([
    'h.example/x',
    'ftp://h.example/x',
    'javascript:alert(1)',
    'https://',
    'https://user@h.example/',
    'https://:secret@h.example/',
    'https://h.example/#here',
    'https://h.example/a b',
    'https://h.example:99999/',
    'https:h.example',
    `https://h.example/${'x'.repeat(1990)}`,
  ])('not %p', (url) => {
    expect(read(httpUrl, url)).toStartWith('refused: configuration.key: must ')
  })

  test('never repeats what it refuses, for it may be a secret', () => {
    expect(read(httpUrl, 'https://user:secret@h.example/')).not.toContain('secret')
  })
})

test.each([
  ['https://h.example', 'https://h.example'],
  ['https://h.example//', 'https://h.example'],
  ['https://h.example/api/', 'https://h.example/api'],
  ['https://h.example/api?x=1', 'refused: configuration.key: must be a URL without query string'],
])('the base URL %p is %p', (url, expected) => {
  expect(read(baseUrl, url)).toBe(expected)
})

describe('headers', () => {
  test('are kept as they are', () => {
    const given = { Authorization: 'Bearer abc', 'X-Scope-OrgID': 'a|b', 'user-agent': 'ours' }
    expect(read(headers, given)).toEqual(given)
  })

  test.each([
    [{}, 'configuration.key: must be an object of 1 to 50 headers'],
    [{ 'a b': 'x' }, 'configuration.key: must be header names'],
    [{ 'a\r\nb': 'x' }, 'configuration.key: must be header names'],
    [JSON.parse('{"__proto__": "x"}'), 'configuration.key: must be header names'],
    [{ HOST: 'x' }, 'configuration.key: cannot have HOST'],
    [{ 'Idempotency-Key': 'x' }, 'configuration.key: cannot have Idempotency-Key'],
    [{ a: '' }, 'configuration.key.a: must be 1 to 4096 characters'],
    [{ a: 7 }, 'configuration.key.a: must be 1 to 4096 characters'],
    [{ a: 'x\r\nb: y' }, 'configuration.key.a: must be 1 to 4096 characters'],
    [{ a: 'ü' }, 'configuration.key.a: must be 1 to 4096 characters'],
    [{ 'X-A': '1', 'x-a': '2' }, 'configuration.key: must have each header once'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`x-${i}`, 'x'])), 'configuration.key: must be an object'],
  ])('%p are refused', (given, details) => {
    expect(read(headers, given)).toStartWith(`refused: ${details}`)
  })
})
