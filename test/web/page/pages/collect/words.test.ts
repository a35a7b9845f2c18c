import { describe, expect, test } from 'bun:test'
import { everyWords, formatMs, ranWords } from '../../../../../src/web/page/pages/collect/parts/words.ts'
import { answeredSentence, lastAnswerWords } from '../../../../../src/web/page/pages/collect/sources/words.ts'
import { importedSentence } from '../../../../../src/web/page/pages/collect/storage/words.ts'
import { moreWords } from '../../../../../src/web/page/pages/collect/targets/words.ts'
import { formatMoment } from '../../../../../src/web/page/format.ts'

const nowMs = Date.parse('2026-11-18T13:03:12Z')
const plain = (text: string) => text.replaceAll('\u2009', ' ')

test('a short duration has a tenth below 10 ms, and is in seconds from 10 s on', () => {
  expect([0.94, 23.2, 9999, 12_000].map(formatMs).map(plain)).toEqual(['0.9 ms', '23 ms', '9,999 ms', '12 s'])
})

describe('a run', () => {
  test.each([
    [23, 1, 'Ran just now, took 23 ms, 1 sample'],
    [23, 2, 'Ran just now, took 23 ms, 2 samples'],
    [null, 0, 'Ran just now, 0 samples'],
  ])('of %p ms with %p samples: %p', (durationMs, samples, text) => {
    expect(plain(ranWords('just now', durationMs, samples).join(''))).toBe(text)
  })

  test.each([
    [null, 'every 15 s'],
    ['2026-11-18T13:03:12Z', 'every 15 s, next now'],
    ['2026-11-18T13:03:16Z', 'every 15 s, next in 4 s'],
  ])('that is due at %p: %p', (nextAt, text) => {
    expect(plain(everyWords(15, nextAt, nowMs))).toBe(text)
  })
})

test('a source says its version, and how long its last answer took, where they are known', () => {
  expect(answeredSentence('It answers.', null).join('')).toBe('It answers.')
  expect(answeredSentence('It answers.', '3.1').join('')).toBe('It answers. It calls itself version 3.1.')
  expect(lastAnswerWords('just now', null).join('')).toBe('Last answer just now')
  expect(plain(lastAnswerWords('just now', 23).join(''))).toBe('Last answer just now, in 23 ms')
})

test('metrics below the first ones, of all where the answer does not have them all', () => {
  expect([moreWords(12, null), moreWords(12, 1500)]).toEqual(['12 more', '12 more of 1,500'])
})

describe('an import', () => {
  const none = { samples: 0, tooOld: 0, tooNew: 0, firstMs: null, lastMs: null }
  const [firstMs, lastMs] = [nowMs - 7_200_000, nowMs - 3_600_000]
  const times = `from ${formatMoment(firstMs, nowMs)} to ${formatMoment(lastMs, nowMs)}`
  test.each([
    [{}, '0 samples.'],
    [{ samples: 1, firstMs, lastMs }, `1 sample ${times}.`],
    [
      { samples: 1500, firstMs, lastMs, tooOld: 2, tooNew: 3 },
      `1,500 samples ${times}. 2 left out: older than what is kept. 3 left out: in the future (timestamps are in seconds).`,
    ],
  ])('of %p: %p', (parts, text) => {
    expect(importedSentence({ ...none, ...parts }, nowMs)).toBe(text)
  })
})
