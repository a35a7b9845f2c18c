import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { type Columns, columns, pushRange, type SampleValue } from '../../../src/embedded/store/columns.ts'
import { largestInteger } from '../../../src/embedded/store/encoding/integers.ts'
import { createHeads, samplesOf, spanOf } from '../../../src/embedded/store/heads.ts'
import type { StoredSeries } from '../../../src/embedded/store/series.ts'
import { isStale, wordsOf } from '../../../src/embedded/promql/reader.ts'

function newHead() {
  const none = { head: undefined, barrier: undefined, isRemoved: false }
  const series: StoredSeries = { id: 1, organizationId: 1, key: '', labels: {}, ...none }
  const heads = createHeads()
  const head = () => {
    if (!series.head) throw new Error('there is no head')
    return series.head
  }
  return { heads, series, head }
}

function pairsIn({ timesMs, values, length }: Columns): [number, SampleValue][] {
  return Array.from({ length }, (_, at) => [timesMs[at] ?? NaN, isStale(values, at) ? 'stale' : (values[at] ?? NaN)])
}

const largest = largestInteger - 1
const time = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_010_000 }),
  fc.integer({ min: -largest, max: largest }),
  fc.constantFrom(0, largestInteger, -largestInteger),
)
const value = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }),
  fc.double(),
  fc.constantFrom<SampleValue>('stale', NaN, -0, 0, Infinity, Number.MIN_VALUE),
)

test('a head gives back every sample in order; of many at one time the one that came last', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(time, value), { minLength: 1, maxLength: 120 }), fc.boolean(), (samples, inOrder) => {
      const { heads, series, head } = newHead()
      const all = inOrder ? samples.toSorted(([a], [b]) => a - b) : samples
      const model = new Map<number, SampleValue>()
      for (const [at, [timeMs, given]] of all.entries()) {
        heads.append(series, 1, timeMs, given)
        model.set(timeMs, given)
        if (at === 40) samplesOf(head()) // a read in between changes nothing
      }
      const expected = [...model].toSorted(([a], [b]) => a - b)
      expect(spanOf(head())).toEqual({ fromMs: expected[0]?.[0] ?? NaN, toMs: expected.at(-1)?.[0] ?? NaN })
      expect(pairsIn(samplesOf(head()))).toEqual(expected)
    }),
    { numRuns: 1000 },
  )
})

test('of a time in which there is little, not much more is read', () => {
  const { heads, series, head } = newHead()
  for (let at = 0; at < 1000; at += 1) heads.append(series, 1, at * 15_000 + (at % 3), at * 7)
  const some = pairsIn(samplesOf(head(), 15_000 * 500, 15_000 * 510))
  for (let at = 500; at < 510; at += 1) expect(some).toContainEqual([at * 15_000 + (at % 3), at * 7])
  expect(some.length).toBeLessThan(250)
  expect(samplesOf(head(), 15_000 * 2000, 15_000 * 3000).length).toBe(0)
})

test('a value keeps bits of which JavaScript knows nothing', () => {
  const from = columns(100)
  from.length = 100
  const words = wordsOf(from.values)
  for (let at = 0; at < 100; at += 1) {
    from.timesMs[at] = at * 1000
    words[2 * at] = at * 0x01234567
    words[2 * at + 1] = 0x7ff80000 | at
  }
  const { heads, series, head } = newHead()
  for (let at = 0; at < 100; at += 1) heads.appendFrom(series, 1, from, at)
  const copy = columns(0)
  pushRange(copy, from)
  const read = samplesOf(head())
  expect([...wordsOf(read.values)].slice(0, 200)).toEqual([...wordsOf(copy.values)].slice(0, 200))
  expect(read.timesMs).toEqual(copy.timesMs)
})
