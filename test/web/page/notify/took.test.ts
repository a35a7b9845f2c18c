import { expect, test } from 'bun:test'
import { took } from '../../../../src/web/page/pages/notify/history/took.ts'

test.each([
  [0, '0 ms'],
  [240, '240 ms'],
  [999, '999 ms'],
  [1400, '1.4 s'],
  [59_000, '59.0 s'],
  [120_000, '2 min'],
  [5_040_000, '1 h 24 min'],
])('%i ms took %s', (ms, text) => {
  expect(took(ms).replaceAll('\u2009', ' ')).toBe(text)
})
