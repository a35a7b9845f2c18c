import { expect, test } from 'bun:test'
import { failingOf, hasFailed } from '../../../src/embedded/collection/item.ts'

const item = (kind: 'target' | 'probe') => ({ kind })
const outcome = (ok: boolean) => ({ ok, error: null, durationMs: 1, samples: [] })

test.each([
  ['a scrape that fails', item('target'), false, null, true],
  ['a scrape whose samples are refused', item('target'), true, 'too many series', true],
  ['a scrape', item('target'), true, null, false],
  ['a probe that finds its target down, which is a measurement', item('probe'), false, null, false],
  ['a probe whose samples are refused', item('probe'), false, 'too many series', true],
])('counts as failed or not: %s', (_, ranItem, ok, refused, failed) => {
  expect(hasFailed(ranItem, outcome(ok), refused)).toBe(failed)
})

test.each([
  ['before the first run', 60_000, null, { failing: 0, names: [], isSure: false }],
  ['whose last run succeeded', 60_000, 0, { failing: 0, names: [], isSure: true }],
  ['failing for four minutes', 60_000, 4, { failing: 0, names: [], isSure: false }],
  ['failing for five minutes', 60_000, 5, { failing: 1, names: ['node'], isSure: true }],
  ['failing 19 times in less than five minutes', 15_000, 19, { failing: 0, names: [], isSure: false }],
  ['failing twice in ten minutes', 300_000, 2, { failing: 0, names: [], isSure: false }],
  ['failing three times', 300_000, 3, { failing: 1, names: ['node'], isSure: true }],
])('an item is counted as failing or not, and for sure or not: %s', (_, intervalMs, consecutiveFailures, expected) => {
  expect(failingOf([{ item: { definition: { name: 'node', intervalMs } }, failures: consecutiveFailures }])).toEqual({
    all: 1,
    ...expected,
  })
})
