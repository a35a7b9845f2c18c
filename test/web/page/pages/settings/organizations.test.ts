import { expect, test } from 'bun:test'
import { largestSentence } from '../../../../../src/web/page/pages/settings/system/words.ts'

test('a sentence says how many organizations are not listed', () => {
  expect(largestSentence(100, 1512)).toBe('The 100 largest of 1,512.')
})
