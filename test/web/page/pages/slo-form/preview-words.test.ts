import { expect, test } from 'bun:test'
import type { SloWindow } from '../../../../../src/slos/arithmetic/windows.ts'
import { formatMoment } from '../../../../../src/web/page/format.ts'
import {
  budgetWords,
  notYetWords,
  ofTarget,
  previewTitle,
} from '../../../../../src/web/page/pages/slo-form/preview/words.ts'

type Known = Parameters<typeof ofTarget>[0]
type Would = Parameters<typeof budgetWords>[1]

const nowMs = Date.parse('2026-11-18T13:03:12Z')
const known = (share: number, events: Known['measured']['events'] = null, window: SloWindow = '30d') => {
  const length = { seconds: 2_592_000, wholeSeconds: 2_592_000 }
  const measured = { window, ...length, sli: null, reason: null, message: null, events }
  return { share, firstSeconds: null, measured, sums: { startSeconds: 0, endSeconds: 720 } as Known['sums'] }
}
const plain = (text: string) => text.replaceAll('\u2009', ' ')

test('the preview has the past that it shows in its title, once there is one', () => {
  expect([null, known(1)].map(previewTitle).map(plain)).toEqual(['Preview', 'Preview: the last 30 d'])
  expect(previewTitle(known(0.4, null, 'month'))).toBe('Preview: the month so far')
})

test('an SLI has its events before its target, if it counts any', () => {
  expect(ofTarget(known(1), 99.9)).toBe('target 99.9')
  expect(ofTarget(known(1, { good: 950, total: 1000 }), 99.9)).toBe('of 1,000 events, target 99.9')
})

test.each([
  [1, 35, null, 'budget left, never used up'],
  [1, 320, null, 'budget, used up'],
  [1, 320, nowMs / 1000 - 3600, `budget, used up since ${formatMoment(nowMs - 3_600_000, nowMs)}`],
  [0.4, 35, null, 'budget left of 30 d'],
  [0.4, 320, null, 'budget of 30 d, used up'],
])('the budget of the share %p of a window, used to %p %%, exhausted at %p: %p', (share, used, seconds, text) => {
  expect(plain(budgetWords(known(share), { usedPercent: used, exhaustedSeconds: seconds } as Would, nowMs))).toBe(text)
})

test('a tier without data for its short window says how much it needs', () => {
  expect(plain(notYetWords(1800))).toBe('not known: it needs 30 min of data')
})
