import { expect, test } from 'bun:test'
import { demoAdvice, heldSentence } from '../../../../../src/web/page/pages/account/words.ts'

test.each([
  [1, 'Try again in 0:01.'],
  [60, 'Try again in 1:00.'],
  [899, 'Try again in 14:59.'],
])('after %p seconds the form may be sent again: %p', (seconds, text) => {
  expect(heldSentence(seconds)).toBe(text)
})

test.each([
  [
    403,
    /^Open it there, .* From elsewhere: Sign in with the e-mail and the password that the start of the demo printed\.$/,
  ],
  [401, /^It is good once .* printed, or start the demo again for a new link\.$/],
  [400, /^It is good once /],
  [404, /^Sign in with the e-mail and the password that the start of the demo printed\.$/],
])('the advice where a link to the demo is answered by %p', (status, text) => {
  expect(demoAdvice(status)).toMatch(text)
})
