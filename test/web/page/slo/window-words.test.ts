import { expect, test } from 'bun:test'
import { windowWords } from '../../../../src/web/page/slo/window-words.ts'

test.each([
  ['1h', 'hour'],
  ['36h', '36 hours'],
  ['1d', 'day'],
  ['28d', '28 days'],
  ['1w', 'week'],
  ['4w', '4 weeks'],
])('the window %s is the last %s', (window, words) => expect(windowWords(window)).toBe(words))
