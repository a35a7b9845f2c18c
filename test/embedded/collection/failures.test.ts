import { expect, test } from 'bun:test'
import { failingOf, hasFailed } from '../../../src/embedded/collection/item.ts'

const item = (kind: 'target' | 'probe') => ({ kind })
const outcome = (ok: boolean) => ({ ok, error: null, durationMs: 1, readings: [] })

test.each([
  ['a scrape that fails', item('target'), false, null, true],
  ['a scrape of which samples are refused', item('target'), true, 'too many series', true],
  ['a scrape', item('target'), true, null, false],
  ['a probe that finds its target down, which is a measurement', item('probe'), false, null, false],
  ['a probe of which nothing can be written', item('probe'), false, 'too many series', true],
])('%s', (_, one, ok, refused, failed) => {
  expect(hasFailed(one, outcome(ok), refused)).toBe(failed)
})

test.each([
  ['before the first run', 60_000, null, { failing: 0, isSure: false }],
  ['well', 60_000, 0, { failing: 0, isSure: true }],
  ['failing for four minutes', 60_000, 4, { failing: 0, isSure: false }],
  ['failing for five minutes', 60_000, 5, { failing: 1, isSure: true }],
  ['failing 19 times in less', 15_000, 19, { failing: 0, isSure: false }],
  ['failing twice in ten minutes', 300_000, 2, { failing: 0, isSure: false }],
  ['failing three times', 300_000, 3, { failing: 1, isSure: true }],
])('an item %s', (_, intervalMs, failures, expected) => {
  expect(failingOf([{ item: { what: { intervalMs } }, failures }])).toEqual({ all: 1, ...expected })
})
