import { expect, test } from 'bun:test'
import {
  periodExcludedWords,
  periodName,
  recomputedWords,
  resultWords,
} from '../../../../../src/web/page/pages/slo/period-words.ts'

test.each([
  ['month', 'Europe/Zurich', '2026-10-31T23:00:00.000Z', 'Nov 2026'],
  ['quarter', 'Europe/Zurich', '2026-09-30T22:00:00.000Z', 'Q4 2026'],
  ['year', 'Asia/Kolkata', '2025-12-31T18:30:00.000Z', '2026'],
  ['week', 'America/Los_Angeles', '2026-11-23T08:00:00.000Z', 'week of 23 Nov 2026'],
])('a %s in %s that begins at %s is %p', (time_window, time_zone, starts_at, name) => {
  expect(periodName({ time_window, time_zone, starts_at }).replace('Nov 23, 2026', '23 Nov 2026')).toBe(name)
})

test('a period has met its target, missed it, or says why that is not known', () => {
  const plain = (of: Parameters<typeof resultWords>[0]) => resultWords(of).replaceAll('\u2009', ' ')
  expect(plain({ met: true, target: 99.9, note: null })).toBe('99.9 % met')
  expect(plain({ met: false, target: 99.9, note: null })).toBe('99.9 % missed')
  expect(plain({ met: null, target: 99.9, note: 'The source did not answer' })).toBe('The source did not answer')
})

test('what corrections leave out is there with the SLI as if it counted, if that is known', () => {
  const plain = (of: Parameters<typeof periodExcludedWords>[0]) => periodExcludedWords(of).replaceAll('\u2009', ' ')
  const excluded = { seconds: 5400, good: 3, total: 4, sli_without: 99.8512 }
  expect(plain({ target: 99.9, excluded: null })).toBe('–')
  expect(plain({ target: 99.9, excluded })).toBe('1 h 30 min; 99.851 % with it')
  expect(plain({ target: 99.9, excluded: { ...excluded, sli_without: null } })).toBe('1 h 30 min')
})

test('a period that was computed again says when', () => {
  const nowMs = Date.parse('2026-11-30T12:00:00Z')
  expect(recomputedWords({ recomputed_at: null }, nowMs)).toBe('')
  expect(recomputedWords({ recomputed_at: '2026-11-30T10:05:00Z' }, nowMs)).toBe('computed again 10:05')
})
