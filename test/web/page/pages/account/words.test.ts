import { expect, test } from 'bun:test'
import { heldSentence } from '../../../../../src/web/page/pages/account/words.ts'

test.each([
  [1, 'Try again in 0:01.'],
  [60, 'Try again in 1:00.'],
  [899, 'Try again in 14:59.'],
])('after %p seconds the form may be sent again: %p', (seconds, text) => {
  expect(heldSentence(seconds)).toBe(text)
})
