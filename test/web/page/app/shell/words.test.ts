import { expect, test } from 'bun:test'
import { limitedSentence, offlineSentence } from '../../../../../src/web/page/app/shell/words.ts'
import { formatClock, formatClockSeconds } from '../../../../../src/web/page/format.ts'

const atMs = Date.parse('2026-11-18T13:03:12Z')

test('the bar says since when there is no connection, and of what time the figures are if the page has any', () => {
  const since = `Not connected since ${formatClock(atMs)}.`
  expect(offlineSentence(atMs, false)).toBe(since)
  expect(offlineSentence(atMs, true)).toBe(`${since} Figures are from then.`)
})

test('the bar says when figures are read again after too many requests', () => {
  const again = 'Too many requests. Figures are read again'
  expect(limitedSentence(atMs, atMs - 1)).toBe(`${again} at ${formatClockSeconds(atMs)}.`)
  expect(limitedSentence(atMs, atMs)).toBe(`${again} now.`)
})
