import { describe, expect, test } from 'bun:test'
import {
  formatAgo,
  formatCost,
  formatShare,
  formatBurn,
  formatCount,
  formatDuration,
  formatNumber,
  formatSli,
  formatTarget,
  formatTook,
  formatWindow,
  list,
  plural,
  sentence,
} from '../../../src/web/page/format.ts'
import { durations } from '../../support/durations.ts'

describe('an SLI', () => {
  test.each([
    [99.862, 99.9, '99.862'],
    [99.8999999, 99.9, '99.899'],
    [99.9, 99.9, '99.900'],
    [99.90004, 99.9, '99.900'],
    [94.9996, 95, '94.99'],
    [99.99999, 99.99, '100.0000'],
    [0, 99.9, '0.000'],
  ])('of %p beside a target of %p is written %p', (sli, target, text) => {
    expect(formatSli(sli, target)).toBe(text)
  })

  test('an SLI is never rounded across its target', () => {
    for (const target of [90, 99, 99.5, 99.9, 99.95, 99.99]) {
      for (const delta of [1e-9, 1e-7, 1e-5, 1e-4, 1e-3]) {
        expect(Number(formatSli(target - delta, target))).toBeLessThan(target)
        expect(Number(formatSli(target + delta, target))).toBeGreaterThanOrEqual(target)
      }
    }
  })
})

test.each([
  [1234567, 0, '1,234,567'],
  [-38.2, 0, '−38'],
  [-0.2, 0, '0'],
  [0.05, 2, '0.05'],
])('the number %p with %p places is written %p', (n, places, text) => {
  expect(formatNumber(n, places)).toBe(text)
})

test.each([
  [46.04, '46\u2009%', '46\u2009%'],
  [-38, '−38\u2009%', '−38\u2009%'],
  [0.04, '<\u20090.1\u2009%', '<\u20090.1\u2009%'],
  [100.9, '101\u2009%', '101\u2009%'],
  [846.7, '847\u2009%', '8.5 times'],
  [2000, '2,000\u2009%', 'over 10 times'],
])('a share of %p is written %p, as a cost %p', (percent, share, cost) => {
  expect([formatShare(percent), formatCost(percent)]).toEqual([share, cost])
})

test.each(durations)('%p seconds are written %p, as in messages', (seconds, text) => {
  expect(formatDuration(seconds).replaceAll('\u2009', ' ')).toBe(text)
})

test('counts are short from 10,000 on', () => {
  expect([9999, 10_368, 143_077, 103_679_000, 2.5e9].map(formatCount)).toEqual([
    '9,999',
    '10.4\u2009k',
    '143\u2009k',
    '103.7\u2009M',
    '2.5\u2009G',
  ])
})

test.each([
  [9999.6, '10.0\u2009k'],
  [99_960, '100\u2009k'],
  [999_499, '999\u2009k'],
  [999_960, '1.0\u2009M'],
  [999_940_000, '999.9\u2009M'],
  [-999_950_000, '−1.0\u2009G'],
])('the count %p is rounded before its unit is chosen: %p', (count, text) => {
  expect(formatCount(count)).toBe(text)
})

test('burn rates, targets and windows', () => {
  expect([formatBurn(6.104), formatBurn(26.44), formatTarget(99.95), formatWindow('30d'), formatWindow('5m')]).toEqual([
    '6.1×',
    '26×',
    '99.95',
    '30\u2009d',
    '5\u2009min',
  ])
})

test('a moment within a day is written as an age', () => {
  const now = Date.parse('2026-11-22T14:00:00Z')
  expect([2, 40, 360, 7200].map((seconds) => formatAgo(now - seconds * 1000, now))).toEqual([
    'just now',
    '40\u2009s ago',
    '6\u2009min ago',
    '2\u2009h ago',
  ])
})

test.each([
  [0, '0 ms'],
  [240, '240 ms'],
  [999, '999 ms'],
  [999.6, '1.0 s'],
  [1400, '1.4 s'],
  [59_000, '59.0 s'],
  [59_960, '1 min'],
  [120_000, '2 min'],
  [5_040_000, '1 h 24 min'],
])('%p ms took %s', (ms, text) => {
  expect(formatTook(ms).replaceAll('\u2009', ' ')).toBe(text)
})

test.each([
  [[], ''],
  [['A'], 'A'],
  [['A', 'B'], 'A and B'],
  [['A', 'B', 'C'], 'A, B and C'],
  [['A', 'B', 'C', 'D'], 'A, B and 2 more'],
])('the names %j, of which two are enough, read %p', (names, text) => {
  expect(list(names, 2)).toBe(text)
})

test.each([
  [0, '0 SLOs'],
  [1, '1 SLO'],
  [2, '2 SLOs'],
  [1234, '1,234 SLOs'],
])('a count of %p SLOs reads %p', (count, text) => {
  expect(plural(count, '# SLO', '# SLOs')).toBe(text)
})

test('a sentence has its parts in their places', () => {
  const part = { type: 'time' }
  expect(sentence`Silenced ${part} to ${part} by ${'Ada'}.`.filter((one) => one !== '')).toEqual([
    'Silenced ',
    part,
    ' to ',
    part,
    ' by ',
    'Ada',
    '.',
  ])
})
