import { describe, expect, test } from 'bun:test'
import { alertTitle, burnWords, costWords, tierSentence } from '../../../../src/web/page/incidents/alert-words.ts'

const thin = '\u2009'

test.each([
  [14.4, '1h', '5m', '30d', `14.4× over 1${thin}h and 5${thin}min: budget gone in 50${thin}h`],
  [1, '72h', '6h', '30d', `1× over 72${thin}h and 6${thin}h: budget gone in 30${thin}d`],
  [3, '2h', '10m', '24h', `3× over 2${thin}h and 10${thin}min: budget gone in 8${thin}h`],
  [3, '5m', '1m', '1h', `3× over 5${thin}min and 1${thin}min: budget gone in 20${thin}min`],
])('a tier of %p over %p and %p of a window of %p: %p', (factor, long_window, short_window, window, sentence) => {
  expect(tierSentence({ factor, long_window, short_window }, window)).toBe(sentence)
})

test.each([
  [{ long_window: '6h', short_window: '30m' }, 'ticket', `ticket (can wait), 6${thin}h and 30${thin}min`],
  [{ threshold_percent: 25 }, 'warning', `25${thin}% of the budget left`],
  [{ threshold_percent: 0 }, 'critical', 'budget used up'],
  [{}, 'critical', 'recently below target'],
  [{}, 'warning', 'recently below target'],
  [{ kind: 'down' as const }, 'critical', 'down'],
  [{ condition: 'disk_full' }, 'critical', 'disk full'],
])('the alert with %p of %p is called %p', (parts, severity, title) => {
  const none = {
    kind: 'status' as const,
    long_window: null,
    short_window: null,
    threshold_percent: null,
    condition: null,
  }
  expect(alertTitle({ ...none, ...parts, severity })).toBe(title)
})

describe('words of an alert', () => {
  test('what it cost: to a tenth below ten percent, and about so much where it is known by the hour', () => {
    const words = [
      [61.2, 60],
      [2.24, 3600],
      [0.02, 3600],
      [0, 3600],
      [767, 60],
      [4380, 3600],
      [null, null],
    ] as const
    expect(
      words.map(([budget_percent, budget_resolution_seconds]) =>
        costWords({ budget_percent, budget_resolution_seconds }),
      ),
    ).toEqual(['61\u2009%', 'about 2.2\u2009%', '<\u20090.1\u2009%', '0\u2009%', '7.7 times', 'over 10 times', '–'])
  })

  test('how fast the budget burns, by both burn rates', () => {
    const rate = { factor: 6, long_window: '6h', short_window: '30m' }
    const words = (long: number | null, short: number) => burnWords({ burn_rate: { ...rate, long, short } })
    expect([words(6.1, 7), words(6.1, 5), words(null, 5), burnWords({ burn_rate: null })]).toEqual([
      'Burning 6.1× over 6\u2009h',
      '6.1× over 6\u2009h',
      undefined,
      undefined,
    ])
  })
})
