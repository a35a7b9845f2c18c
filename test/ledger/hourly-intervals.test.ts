import { expect, test } from 'bun:test'
import { learnHourlyIntervals } from '../../src/ledger/hourly-intervals.ts'
import type { Counter } from '../../src/promql/analysis/counters/counter-sum.ts'
import { sampledSource, type SampledSeries } from '../support/sampled-source.ts'

const hour = 3600
const startSeconds = 1_784_000_400 - (1_784_000_400 % hour)
const span = { resolution: hour, startSeconds, endSeconds: startSeconds + 120 * hour } as const
const selector: Counter = { metric: 'm', matchers: [], text: 'm' }

/** Intervals in seconds from an hour of the span on. */
type Part = [fromHour: number, everySeconds: number]

function sampled(pod: string, parts: [Part, ...Part[]], isMissing = (_hours: number) => false): SampledSeries {
  const samples: SampledSeries['samples'] = []
  const everyAt = (hours: number) => parts.findLast(([from]) => from <= hours)?.[1] ?? NaN
  for (let at = parts[0][0] * hour + 0.7; at <= 120 * hour; at += everyAt(at / hour)) {
    if (!isMissing(at / hour)) samples.push({ atMs: Math.round((startSeconds + at) * 1000), value: 1 })
  }
  return { labels: { __name__: 'm', pod }, samples }
}

/** Interval of the slowest series by hour, wherever it differs from the hour before. */
async function learned(...series: SampledSeries[]): Promise<{ parts: Part[]; asked: number }> {
  const source = sampledSource(series)
  const learned = (await learnHourlyIntervals(source, [selector], span)).get('m')
  if (!learned || 'error' in learned) throw new Error('nothing was learned')
  const parts: Part[] = []
  for (let n = 0; n < 120; n += 1) {
    const every = learned.ofBucket(startSeconds + (n + 1) * hour)?.longestSeconds
    if (every !== undefined && parts.at(-1)?.[1] !== every) parts.push([n, every])
  }
  return { parts, asked: source.asked.length }
}

const latestAndCounts = 5 + 2

test.each([1, 7, 15, 45, 60, 90, 300, 400, 600, 900, 3600])(
  'samples %p s apart have the same interval in each hour, for two more queries, also around gaps',
  async (every) => {
    const { parts, asked } = await learned(sampled('a', [[-6, every]]))
    expect({ parts, isCheap: asked <= latestAndCounts }).toEqual({ parts: [[0, every]], isCheap: true })
    const isMissing = (hours: number) => (hours > 20.3 && hours < 31.8) || (hours > 60.1 && hours < 60.6)
    expect((await learned(sampled('a', [[-6, every]], isMissing))).parts).toEqual([[0, every]])
  },
)

test.each([
  [60, 15],
  [15, 60],
  [300, 10],
  [10, 600],
  [600, 60],
  [3600, 600],
])('a change from %p s to %p s is found, and in its hour the longer interval counts', async (before, after) => {
  const { parts, asked } = await learned(
    sampled('a', [
      [-6, before],
      [50.4, after],
    ]),
  )
  const [[, first], [change, last] = []] = parts as [Part, Part]
  expect([parts.length, first, last]).toEqual([2, before, after])
  expect(before > after ? [51, 52] : [49, 50]).toContain(change ?? NaN)
  expect(asked).toBeLessThanOrEqual(latestAndCounts + 2 * 5)
})

test('a change back and forth is found', async () => {
  const { parts } = await learned(
    sampled('a', [
      [-6, 15],
      [30, 60],
      [40, 15],
    ]),
  )
  expect(parts).toEqual([
    [0, 15],
    [29, 60],
    [41, 15],
  ])
})

test('series that come and go do not change the interval', async () => {
  const pods = Array.from({ length: 24 }, (_, n) => sampled(`p${n}`, [[5 * n + 0.3, 30]], (at) => at > 5 * n + 5.2))
  const { parts, asked } = await learned(...pods)
  expect(parts).toEqual([[0, 30]])
  expect(asked).toBeLessThanOrEqual(latestAndCounts + 6 * 5)
})

test('a series that ended long before the end of the span has its interval', async () => {
  expect((await learned(sampled('a', [[-6, 300]], (at) => at > 40))).parts).toEqual([[0, 300]])
})
