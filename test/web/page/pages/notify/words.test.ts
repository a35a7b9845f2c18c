import { expect, test } from 'bun:test'
import { lossSentences, storedHint } from '../../../../../src/web/page/pages/notify/channels/words.ts'
import { retriedWords } from '../../../../../src/web/page/pages/notify/history/words.ts'
import { coveredWords, rulesOfTitle } from '../../../../../src/web/page/pages/notify/rules/words.ts'

test.each([
  [{ count: 2, all: 5 }, '2 SLOs'],
  [{ count: 1, all: 1 }, '1 SLO'],
  [{ count: 5, all: 5 }, 'All 5 SLOs'],
  [{ count: 0, all: 5, selected: 'env=#1' }, 'env=#1: none now'],
  [{ count: 1, all: 5, selected: 'env=#1' }, 'env=#1: 1 SLO now'],
  [{ count: 5, all: 5, selected: 'Every SLO', isEvery: true }, 'Every SLO'],
  [{ count: 4, all: 5, selected: 'Every SLO', isEvery: true }, 'Every SLO: 4 SLOs now'],
])('the SLOs %p of a rule: %p', (of, text) => {
  expect(coveredWords({ selected: null, isEvery: false, ...of })).toBe(text)
})

test.each([
  [true, 0, 'This channel is notified of every SLO. This cannot be undone.'],
  [false, 1, 'A rule notifies through this channel, and is deleted with it. This cannot be undone.'],
  [
    true,
    2,
    'This channel is notified of every SLO. 2 rules notify through this channel, and are deleted with it. This cannot be undone.',
  ],
])('the loss of a channel (of every SLO: %p) with %p rules', (isDefault, rules, text) => {
  expect(lossSentences(isDefault, rules)).toBe(text)
})

test('notifications that are sent again are counted, and those that cannot be', () => {
  expect(retriedWords({ retried: 1, skipped: 0 })).toBe('1 notification is queued again.')
  expect(retriedWords({ retried: 3, skipped: 1 })).toBe(
    '3 are queued again. 1 skipped: its channel is gone or switched off.',
  )
  expect(retriedWords({ retried: 3, skipped: 2 })).toBe(
    '3 are queued again. 2 skipped: their channel is gone or switched off.',
  )
})

test('a secret that is stored names its host, and the rules of a channel the channel', () => {
  expect(storedHint('hooks.slack.com')).toBe('Stored for hooks.slack.com. Fill it in to replace it.')
  expect(storedHint(null)).toBe('Stored. Fill it in to replace it.')
  expect([undefined, 'Ops'].map(rulesOfTitle)).toEqual(['Rules of a deleted channel', 'Rules of Ops'])
})
