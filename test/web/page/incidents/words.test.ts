import { expect, test } from 'bun:test'
import { outcomeWords, silencedWords } from '../../../../src/web/page/incidents/words.ts'

test.each([
  [null, 'Silenced to 14:00: update'],
  ['Ada', 'Silenced to 14:00 by Ada: update'],
])('the silence of an alert by %p: %p', (by, text) => {
  expect(silencedWords('14:00', by, 'update').join('')).toBe(text)
})

test.each([
  ['delivered', 200, null, 'Delivered (200)'],
  ['sent', null, null, 'Taken by a relay'],
  ['retry', 503, 'answered 503', 'Failed, may be tried again: Answered 503.'],
  ['new word', null, null, 'new word'],
] as const)('the outcome %p with status %p and error %p: %p', (outcome, status_code, error, text) => {
  expect(outcomeWords({ outcome, status_code, error } as Parameters<typeof outcomeWords>[0])).toBe(text)
})
