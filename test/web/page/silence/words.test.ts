import { expect, test } from 'bun:test'
import { silencedWords } from '../../../../src/web/page/silence/words.ts'

test.each([
  [null, null, 'Silenced until 14:00: update'],
  ['Ada', null, 'Silenced until 14:00 by Ada: update'],
  [null, 'env=prod', 'Silenced until 14:00 with all of env=prod: update'],
  ['Ada', 'env=prod', 'Silenced until 14:00 with all of env=prod by Ada: update'],
])('the silence of an SLO by %p with labels %p: %p', (by, labels, text) => {
  expect(silencedWords('14:00', { by, labels, comment: 'update' }).join('')).toBe(text)
})
