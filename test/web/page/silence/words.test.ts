import { expect, test } from 'bun:test'
import { endNowLabel, silencedByWords, silencedText, silencedWords } from '../../../../src/web/page/silence/words.ts'
import { coversSentence } from '../../../../src/web/page/silence/dialog-words.ts'

test.each([
  [null, null, 'Silenced until 14:00: update'],
  ['Ada', null, 'Silenced until 14:00 by Ada: update'],
  [null, 'env=prod', 'Silenced until 14:00 with all of env=prod: update'],
  ['Ada', 'env=prod', 'Silenced until 14:00 with all of env=prod by Ada: update'],
])('the silence of an SLO by %p with labels %p: %p', (by, labels, text) => {
  expect(silencedWords('14:00', { by, labels, comment: 'update' }).join('')).toBe(text)
})

test.each([
  ['Search', 'Search: silenced until 14:00.'],
  ['env=prod', 'env=prod: silenced until 14:00.'],
  [1200, '1,200 SLOs: silenced until 14:00.'],
  [null, 'The SLO is silenced until 14:00.'],
])('the message after %p was silenced: %p', (of, text) => {
  const untilMs = new Date(2026, 10, 30, 14).getTime()
  expect(silencedText(of, { untilMs }, untilMs - 3_600_000)).toBe(text)
})

test.each([
  ['Search', 'Search: silenced from 13:30 until 14:00.'],
  [2, '2 SLOs: silenced from 13:30 until 14:00.'],
  [null, 'The SLO is silenced from 13:30 until 14:00.'],
])('the message after a silence of %p was planned: %p', (of, text) => {
  const untilMs = new Date(2026, 10, 30, 14).getTime()
  expect(silencedText(of, { startsMs: untilMs - 1_800_000, untilMs }, untilMs - 3_600_000)).toBe(text)
})

test('a silence names its author, and the labels that it ends for', () => {
  expect(silencedByWords(null, 'update')).toBe('Silenced: update')
  expect(silencedByWords('Ada', 'update')).toBe('Silenced by Ada: update')
  expect([null, 'env=prod'].map(endNowLabel)).toEqual(['End now', 'End now, for all with env=prod'])
})

test.each([
  [[], 'It covers no SLO.'],
  [['A'], 'It covers 1 SLO: A.'],
  [['A', 'B'], 'It covers 2 SLOs: A and B.'],
  [['A', 'B', 'C', 'D', 'E', 'F', 'G'], 'It covers 7 SLOs: A, B, C, D, E and 2 more.'],
])('the SLOs %p of a silence: %p', (names, text) => {
  expect(coversSentence(names)).toBe(text)
})
