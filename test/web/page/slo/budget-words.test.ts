import { describe, expect, test } from 'bun:test'
import {
  burnNowWords,
  forecastWords,
  leftOfAllowed,
  leftTick,
  leftWords,
  lowestWords,
  usedWords,
} from '../../../../src/web/page/slo/budget-words.ts'

const day = 86_400
const month = [99.9, 30 * day] as const

describe('the budget used', () => {
  test.each([
    ['8 of 43\u2009min used', (100 * 480) / 2592, 'seconds', month],
    ['2.5 of 43\u2009min used', (100 * 150) / 2592, 'seconds', month],
    ['1.4 of 43\u2009min used', (100 * 84) / 2592, 'seconds', month],
    ['9.9 of 43\u2009min used', (100 * 599) / 2592, 'seconds', month],
    ['12 of 43\u2009min used', (100 * 779) / 2592, 'seconds', month],
    ['42.9 of 43\u2009min used', (100 * 2591) / 2592, 'seconds', month],
    ['42 of 43\u2009min used', (100 * 2531) / 2592, 'seconds', month],
    ['43 of 43\u2009min used', 100, 'seconds', month],
    ['21.5 of 22\u2009min used', (100 * 1295) / 1296, 'seconds', [99.95, 30 * day]],
    ['22 of 22\u2009min used', 100, 'seconds', [99.95, 30 * day]],
    ['0 of 43\u2009min used', 0, 'seconds', month],
    ['0.3 of 43\u2009min used', 0.7, 'seconds', month],
    ['<\u20090.1 of 43\u2009min used', 0.01, 'seconds', month],
    ['2.9 of 7.2\u2009h used', 41.6, 'seconds', [99, 30 * day]],
    ['2.1 of 4.3\u2009min used', 50, 'seconds', [99.99, 30 * day]],
    ['12 of 26\u2009s used', 50, 'seconds', [99.999, 30 * day]],
    ['4.2 of 9\u2009d used', 47, 'seconds', [90, 90 * day]],
    ['80\u2009% used', 80, 'events', month],
    ['2.4\u2009% used', 2.4, 'events', month],
    ['100\u2009% used', 100, 'events', month],
    ['used 3.2 times over', 320, 'events', month],
    ['used 3.2 times over', 320, 'seconds', month],
    ['used 1.01 times over', 100.4, 'events', month],
    ['used over 10 times', 43_802, 'seconds', month],
    ['–', null, 'events', month],
  ] as const)('the budget used is %p', (words, percent, unit, [target, window_seconds]) => {
    expect(usedWords({ window_percent_used: percent, unit, target, window_seconds })).toBe(words)
  })
})

test.each([
  ['35 of 43\u2009min', (100 * 480) / 2592, month],
  ['40.5 of 43\u2009min', (100 * 150) / 2592, month], // 2.5 min are used
  ['43 of 43\u2009min', 0, month],
  ['42.9 of 43\u2009min', 0.01, month],
  ['42.7 of 43\u2009min', 0.7, month],
  ['0.3 of 43\u2009min', 99.3, month],
  ['0 of 43\u2009min', 100, month],
  ['3.5 of 3.6\u2009h', 5, [99.5, 30 * day]],
] as const)('%p are left', (words, usedPercent, [target, window_seconds]) => {
  expect(leftOfAllowed(usedPercent, { target, window_seconds })).toBe(words)
})

const now = Date.parse('2026-11-22T14:00:00Z')
const ahead = (seconds: number) => new Date(now + seconds * 1000).toISOString()

test.each([
  ['down', 2100, 'gone in 35\u2009min'],
  ['burning_fast', 20, 'gone in 1\u2009min'],
  ['burning', 187_200, 'lasts 2\u2009d 4\u2009h'],
  ['ok', 187_200, 'lasts 2\u2009d 4\u2009h'],
  ['down', -20, ''],
  ['spent', 2100, ''],
  ['recovering', 2100, ''],
  ['unknown', 2100, ''],
] as const)('the forecast of what is %s, in %p s, is %p', (state, seconds, words) => {
  expect(forecastWords(state, ahead(seconds), now)).toBe(words)
})

test('a budget without an end has no forecast', () => {
  expect(forecastWords('ok', null, now)).toBe('')
})

test.each([
  ['down', 1000, 'Burning 1,000×'],
  ['ok', 0.1, 'Steady 0.1×'],
  ['ok', 1, 'Steady 1.0×'],
  ['ok', 0.01, 'Steady'],
  ['recovering', 0, 'Steady'],
  ['ok', 1.9, '1.9×'],
  ['unknown', null, ''],
] as const)('the burn rate of what is %s, at %p, is %p', (state, rate, words) => {
  expect(burnNowWords(state, rate)).toBe(words)
})

test.each([
  [35, '35 %', 'the lowest was 35 %', '35 %'],
  [0, '0 %', 'the lowest was 0 %', '0 %'],
  [-178, 'used 2.8 times over', 'at worst it was used 2.8 times over', 'used 2.8×'],
  [-934, 'used over 10 times', 'at worst it was used over 10 times', 'used 10.3×'],
])('%p percent left are %p, and no figure is beyond its bounds', (left, words, lowest, tick) => {
  expect([leftWords(left), lowestWords(left), leftTick(left)].map((text) => text.replaceAll('\u2009', ' '))).toEqual([
    words,
    lowest,
    tick,
  ])
})
