import { expect, test } from 'bun:test'
import { keySentences } from '../../../../../src/web/page/pages/collect/heartbeats/words.ts'
import { labelsHint } from '../../../../../src/web/page/pages/collect/parts/words.ts'
import { readersWords, usedText } from '../../../../../src/web/page/pages/collect/sources/words.ts'
import { fileSentences, importStateWords } from '../../../../../src/web/page/pages/collect/storage/words.ts'

test.each([
  [0, false, 'No SLO reads it.'],
  [0, true, 'The default. No SLO reads it.'],
  [1, false, '1 SLO reads it'],
  [2, true, 'The default. 2 SLOs read it'],
])('a source that %p SLOs read (the default: %p): %p', (slos, isDefault, text) => {
  expect(readersWords(slos, isDefault)).toBe(text)
})

test('a source that SLOs read is not deleted, and five of them are named', () => {
  expect(usedText('Main', ['A', 'B'])).toBe('Main: not deleted. SLOs read it: A and B.')
  expect(usedText('Main', ['A', 'B', 'C', 'D', 'E', 'F', 'G'])).toEndWith('A, B, C, D, E and 2 more.')
})

test.each([
  [null, 'old.txt: 25\u2009%'],
  ['done', 'old.txt: imported.'],
  ['cancelled', 'old.txt: cancelled.'],
  [{ problem: 'refused' }, 'old.txt: stopped.'],
] as const)('the import that ended as %p: %p', (end, text) => {
  expect(importStateWords('old.txt', 0.25, end)).toBe(text)
})

test('the file of samples has the room of the disk where it is known, and its bound', () => {
  const bound = 'Beyond the bound (SAMPLES_MAX_BYTES) the organization that holds most loses its oldest samples.'
  expect(fileSentences(null)).toBe(bound)
  expect(fileSentences(12_300_000)).toBe(`12.3\u2009MB of the disk are free. ${bound}`)
})

test('the label job and the key for addresses are named once they are known', () => {
  expect(['', 'api'].map(labelsHint)).toEqual([
    'Added to every series, one a line, such as rack=b. The label job is the name.',
    'Added to every series, one a line, such as rack=b. The label job is api.',
  ])
  expect(keySentences(null).join('')).toEndWith(' There is no key yet.')
  expect(keySentences('14:00').join('')).toEndWith(' The key was made 14:00; it is shown only then.')
})
