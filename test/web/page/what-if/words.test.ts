import { describe, expect, test } from 'bun:test'
import { formatMoment } from '../../../../src/web/page/format.ts'
import { remainingSentence } from '../../../../src/web/page/what-if/words.ts'

const nowMs = Date.parse('2026-11-18T13:03:12Z')
const atMs = nowMs - 3_600_000
const at = formatMoment(atMs, nowMs)

describe('what a tried target would leave', () => {
  const left = { window: '30d', sli: 99.95, target: 99.9, usedPercent: 65, exhausted: null }
  const events = { bad: 1200, total: 2_400_000, allowed: 2400 }
  test.each([
    [{}, null, '*35 %* of the budget of 30 d would be left: 99.950 % of 99.9 %. 43.2 min allowed.'],
    [
      {},
      events,
      '*35 %* of the budget of 30 d would be left: 99.950 % of 99.9 %. 43.2 min or 2,400 failures allowed; 1,200 failed.',
    ],
    [
      { usedPercent: 320, exhausted: { atMs, isExact: true } },
      null,
      `The budget of 30 d would be *used 3.2 times over*, used up since ${at}: 99.950 % of 99.9 %. 43.2 min allowed.`,
    ],
    [
      { usedPercent: 100, exhausted: { atMs, isExact: false } },
      null,
      `*0 %* of the budget of 30 d would be left, used up by ${at}: 99.950 % of 99.9 %. 43.2 min allowed.`,
    ],
  ])('with %p and events %p: %p', (parts, events, text) => {
    const strong = (text: string) => `*${text}*`
    const words = remainingSentence({ ...left, ...parts, strong, result: { minutes: 43.2, events } }, nowMs).join('')
    expect(words.replaceAll('\u2009', ' ')).toBe(text)
  })
})
