import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { runSync } from '../../../src/concurrency/cooperative.ts'
import { AppError } from '../../../src/errors.ts'
import { createScrapeCache, type ScrapeCache } from '../../../src/embedded/exposition/scrape-cache.ts'
import { parseFloat64, readNumber } from '../../../src/embedded/exposition/number.ts'
import { type Exposition, parsingExposition } from '../../../src/embedded/exposition/parse.ts'
import { defaultLimits } from '../../../src/embedded/exposition/sample.ts'
import { exposition, type Format } from './generated.ts'
import { parseExposition } from './parse-exposition.ts'
import { contentTypes } from './scraped.ts'

const limits = { ...defaultLimits, samples: 12 }
const knownTexts = () => createScrapeCache({ keepEmpty: true, limits })

/** Everything parsed from a body, or the error. */
function outcome(read: () => Exposition): unknown {
  try {
    const { samples, metadata } = read()
    const values = samples.map(({ labels, value, timestampMs }) => [labels, value, timestampMs])
    return { values, metadata: [...metadata] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [error.kind, error.message, error.details]
  }
}

function expectSame(body: Uint8Array, format: Format, known: ScrapeCache): void {
  const contentType = contentTypes[format]
  const again = outcome(() => runSync(parsingExposition(body, contentType, known)))
  expect(again).toEqual(outcome(() => parseExposition(body, { contentType, keepEmpty: true, limits })))
}

/** Changes from one scrape to the next: values of some lines, and lines removed, moved, repeated or new. */
const change = fc.record({
  kind: fc.constantFrom('number', 'gone', 'moved', 'twice', 'new', 'end', 'byte'),
  from: fc.nat(),
  to: fc.nat(),
  number: fc.constantFrom(
    '7',
    '0.25',
    '-1e3',
    'NaN',
    '12345678901234567',
    '1 5',
    '3\r',
    'x',
    '.5',
    '8 ',
    '9\t1',
    '2 # {} 1',
  ),
  piece: fc.constantFrom('"', '{', '}', ' ', '\n', '\t', '#', '\\', 'é', '_'),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(text: string, { kind, from, to, number, piece }: Change, other: string): string {
  const lines = text.split('\n')
  const [at, target] = [from % lines.length, to % lines.length]
  const line = lines[at] ?? ''
  if (kind === 'number') lines[at] = line.replace(/ [^ ]+$/, ` ${number}`)
  else if (kind === 'gone') lines.splice(at, 1)
  else if (kind === 'moved') lines.splice(target, 0, ...lines.splice(at, 1))
  else if (kind === 'twice') lines.splice(target, 0, line)
  else if (kind === 'new') lines.splice(at, 0, ...other.split('\n').slice(0, 2))
  else if (kind === 'end') return text.replace(/\n?$/, to % 2 === 0 ? '' : '\n\n')
  else return text.slice(0, from % (text.length + 1)) + piece + text.slice(from % (text.length + 1))
  return lines.join('\n')
}

describe.each(['text', 'openmetrics'] as const)('a target that is scraped again and again, in %s', (format) => {
  test('is read as each scrape is by itself', () => {
    const one = exposition(format, 1_700_000_000)
    fc.assert(
      fc.property(one, one, fc.array(change, { maxLength: 6 }), (first, other, changes) => {
        const known = knownTexts()
        let text = first
        for (const each of [undefined, undefined, ...changes, undefined]) {
          if (each) text = changed(text, each, other)
          expectSame(Buffer.from(text), format, known)
        }
      }),
      { numRuns: 1500 },
    )
  })

  test('is read likewise when its bytes are no text, or it changes its format', () => {
    const known = knownTexts()
    const bodies = ['a{x="1"} 1\n# c\xff\nb 2\n', 'a{x="1"} 1\nb\xff 2\n', 'a{x="1"} 1\n# EOF\n', '']
    for (const body of [...bodies, ...bodies]) {
      for (const either of [format, 'text', 'openmetrics'] as const)
        expectSame(Buffer.from(body, 'latin1'), either, known)
    }
  })
})

const texts = (body: string, known: ScrapeCache) =>
  runSync(parsingExposition(Buffer.from(body), null, known)).samples.map(({ text }) => text)

test('a series that was in the last scrape is known by its bytes, wherever it stands', () => {
  const known = knownTexts()
  const before = texts('a{x="é\\"}"} 1\n# TYPE b gauge\nb 1\nc{} 1\n', known)
  const again = texts('c{}\t2 3\nnew 1\n# TYPE b gauge\nb 3\na{x="é\\"}"} NaN\n', known)
  expect(again.map((text) => before.indexOf(text))).toEqual([2, -1, 1, 0])
  const b = before[1]
  expect(texts('b 1\nb_2 1\n', known).map((text) => text === b)).toEqual([true, false])
})

test('what is said of a family changes what the text of a series means', () => {
  const known = knownTexts()
  const [plain] = texts('m{le="1"} 1\n', known)
  const [bound] = texts('# TYPE m histogram\nm{le="1"} 1\n', known)
  expect(bound).not.toBe(plain)
  expect(texts('# TYPE m histogram\nm{le="1"} 2\n', known)).toEqual([bound])
  const { samples } = runSync(parsingExposition(Buffer.from('# TYPE m histogram\nm{le="1"} 2\n'), null, known))
  expect(samples[0]?.labels).toContainEqual(['le', '1.0'])
})

test('the same comments are the same metadata', () => {
  const known = knownTexts()
  const said = (body: string) => runSync(parsingExposition(Buffer.from(body), null, known)).metadata
  const first = said('# HELP m One.\nm 1\n')
  expect(said('# HELP m One.\nm 2\nn 1\n')).toBe(first)
  expect([...said('# HELP m Two.\nm 2\n')]).toEqual([['m', { help: 'Two.' }]])
})

test('texts that do not come again are forgotten', () => {
  const known = createScrapeCache({ keepEmpty: true, limits: defaultLimits })
  const body = (round: number) => Array.from({ length: 500 }, (_, at) => `m{at="${at}",round="${round}"} 1\n`).join('')
  const [first] = texts(body(0), known)
  for (let round = 1; round < 5; round += 1) texts(body(round), known)
  expect(texts(body(0), known)[0]).not.toBe(first)
})

test('a number in bytes is the double that it is as text', () => {
  const digits = fc.stringMatching(/^-?[0-9]{0,18}(\.[0-9]{0,17})?(e[+-]?[0-9]{1,3})?$/)
  const any = fc.oneof(digits, fc.double().map(String), fc.constantFrom('NaN', '+Inf', '-0', '.', '1.2.3', '', '0x1'))
  fc.assert(
    fc.property(any, fc.constantFrom(' ', '\n', ' 1', ''), (text, behind) => {
      const cursor = { bytes: Buffer.from(`m ${text}${behind}`), at: 2, linesBefore: 0 }
      expect(readNumber(cursor, false)).toBe(parseFloat64(text))
      expect(cursor.at).toBe(2 + text.length)
    }),
    { numRuns: 5000 },
  )
})
