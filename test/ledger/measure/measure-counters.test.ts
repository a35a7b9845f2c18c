import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import type { Span } from '../../../src/ledger/bucket.ts'
import { measureCounters } from '../../../src/ledger/measure/measure-counters.ts'
import { type SampledSeries, sampledSource } from '../../support/sampled-source.ts'
import { scriptedSource } from '../../support/scripted-source.ts'
import { plan } from '../../sli/planned.ts'

const start = 1_784_001_600 // a whole hour
const hour = 3600

function counters(metricQuery: string) {
  const planned = plan(metricQuery).counters
  if (!planned) throw new Error(`no counters in ${metricQuery}`)
  return planned
}

const usual = counters('1 - sum(rate(bad_total[5m])) / sum(rate(all_total[5m]))')

type Scraped = {
  everySeconds?: number
  /** Scrape time after a whole minute. */
  phaseSeconds?: number
  pod?: string
  /** Value at a second since the start; null: not scraped; stale: a staleness marker. */
  valueAt: (second: number) => number | null | 'stale'
}

/** A counter scraped from an hour before the start until an hour after it. */
function scraped(name: string, { everySeconds = 15, phaseSeconds = 5, pod = 'a', valueAt }: Scraped): SampledSeries {
  const times = Array.from({ length: (2 * hour) / everySeconds }, (_, n) => n * everySeconds + phaseSeconds - hour)
  const samples = times.flatMap((second) => {
    const value = valueAt(second)
    return value === null ? [] : [{ atMs: (start + second) * 1000, value }]
  })
  return { labels: { __name__: name, pod }, samples }
}

/** Grows by one a second. */
const steady = (second: number) => hour + second
const all = (change: Partial<Scraped> = {}) => scraped('all_total', { valueAt: steady, ...change })

async function measure(
  series: SampledSeries[],
  span: Span = { resolution: 60, startSeconds: start, endSeconds: start + 180 },
) {
  const source = sampledSource(series)
  const measured = (await measureCounters(source, [{ sloId: 1, counters: usual }], span)).get(1)
  if (!measured || 'error' in measured) throw new Error('not measured')
  return { ...measured, asked: source.asked }
}

const full = { total: 60, coveredSeconds: 60, leadTotal: 15 }

test('a minute is what the counters gained, and its lead what its first sample brought', async () => {
  const valueAt = (second: number) => (second < 65 ? 0 : second < 80 ? 2 : 6)
  const { buckets, firstBreakStart } = await measure([all(), scraped('bad_total', { valueAt })])
  expect(buckets).toEqual([
    { ...full, startSeconds: start, good: 60, leadGood: 15 },
    { ...full, startSeconds: start + 60, good: 54, leadGood: 13 },
    { ...full, startSeconds: start + 120, good: 60, leadGood: 15 },
  ])
  expect(firstBreakStart).toBeNull()
})

test('minutes in which nothing came or went cost three queries of each family', async () => {
  const { asked } = await measure([all(), scraped('bad_total', { valueAt: () => 0 })])
  expect(asked.filter((expression) => !expression.includes('timestamp('))).toHaveLength(6)
})

test('without a bad series nothing was bad, and nothing is unsure', async () => {
  const { buckets, firstBreakStart } = await measure([all()])
  expect(buckets.map(({ good }) => good)).toEqual([60, 60, 60])
  expect(firstBreakStart).toBeNull()
})

test('without any series a minute is not covered', async () => {
  const { buckets } = await measure([])
  const nothing = { good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
  expect(buckets).toEqual([0, 60, 120].map((second) => ({ ...nothing, startSeconds: start + second })))
})

test('what failed in the last partial minute of a series is part of that minute', async () => {
  const ending = (rate: number) => (second: number) => {
    if (second > 110) return second < 130 ? ('stale' as const) : null
    return rate * Math.max(0, second - 70)
  }
  const failing = [scraped('bad_total', { everySeconds: 5, valueAt: ending(10) })]
  const going = [all({ everySeconds: 5, valueAt: ending(10) }), all({ everySeconds: 5, pod: 'b' })]
  const { buckets, firstBreakStart, lastBreakEnd } = await measure([...failing, ...going])
  expect(buckets.map(({ good, total }) => [total - good, total])).toEqual([
    [0, 60],
    [400, 460],
    [0, 60],
  ])
  expect([firstBreakStart, lastBreakEnd]).toEqual([start + 60, start + 120])
})

test('a series of less than a minute counts what its samples show', async () => {
  const valueAt = (second: number) => (second < 70 || second > 105 ? null : second)
  const { buckets } = await measure([all(), all({ everySeconds: 5, pod: 'b', valueAt })])
  expect(buckets.map(({ total }) => total)).toEqual([60, 60 + 35, 60])
})

test('a counter that comes back brings what it counted in between, all of it as lead', async () => {
  const valueAt = (second: number) =>
    second > -600 && second < 60 ? (second < -580 ? ('stale' as const) : null) : steady(second)
  const { buckets, firstBreakStart } = await measure([all({ valueAt })])
  expect(buckets.map(({ coveredSeconds }) => coveredSeconds)).toEqual([0, 60, 60])
  expect(buckets[1]).toMatchObject({ total: 720, leadTotal: 675 })
  expect(buckets[2]).toMatchObject({ good: 60, total: 60 })
  expect(firstBreakStart).toBe(start + 60)
})

test.each([
  ['and stays below its last value', 0],
  ['and has grown beyond its last value by the end of the minute', 1_000_000],
])('one that begins again %s brings what it has counted since', async (_, growth) => {
  const since = (second: number) => (second < 80 ? 0 : second < 95 ? 7 : 7 + growth)
  const valueAt = (second: number) => (second < 60 ? steady(second) : since(second))
  const { buckets, firstBreakStart } = await measure([all({ valueAt })])
  expect(buckets.map(({ total }) => total)).toEqual([60, 7 + growth, 0])
  expect(firstBreakStart).toBe(start + 60)
})

test('one that begins again between two samples of a minute brings what it had counted too', async () => {
  const valueAt = (second: number) => (second < 90 ? steady(second) : second - 90)
  const { buckets } = await measure([all({ valueAt })])
  expect(buckets[1]).toMatchObject({ total: 15 + 15 + 5 + 15, leadTotal: 15 })
})

test('the last value of a counter that went unseen is no data', async () => {
  const { buckets } = await measure([all({ valueAt: (second) => (second < 60 ? steady(second) : null) })], {
    resolution: 60,
    startSeconds: start,
    endSeconds: start + 600,
  })
  expect(buckets.map(({ coveredSeconds }) => coveredSeconds)).toEqual([60, ...Array.from({ length: 9 }, () => 0)])
})

test('a counter that began with several samples in less than the learned interval counts from its first sample on', async () => {
  const times = [58.2, 59.7, 64.7, 70.7, ...Array.from({ length: 20 }, (_, n) => 121 + 60 * n)]
  const samples = (values: number[]) =>
    times.map((second, n) => ({ atMs: Math.round((start + second) * 1000), value: values[n] ?? values.at(-1) ?? 0 }))
  const { buckets, intervalSeconds } = await measure([
    { labels: { __name__: 'all_total' }, samples: samples([0, 1, 2, 3]) },
    { labels: { __name__: 'bad_total' }, samples: samples([0, 0, 1]) },
  ])
  expect(intervalSeconds).toBeGreaterThan(2)
  expect(buckets.map(({ good, total, coveredSeconds }) => [good, total, coveredSeconds])).toEqual([
    [1, 1, 60],
    [1, 2, 60],
    [0, 0, 60],
  ])
})

test('a minute without a new sample is covered while the counter is there', async () => {
  const { buckets } = await measure([
    all({ valueAt: (second) => (second > 60 && second < 120 ? null : steady(second)) }),
  ])
  expect(buckets.map(({ total, coveredSeconds }) => [total, coveredSeconds])).toEqual([
    [60, 60],
    [0, 60],
    [120, 60],
  ])
})

test('a part of a side that has to be there and is not leaves the minute uncovered', async () => {
  const span = { resolution: 60, startSeconds: 0, endSeconds: 60 } as const
  const values: [string, number[]][] = [
    ['timestamp(', []],
    [' unless ', []],
    ['present_total', [5]],
  ]
  const measureOne = async (metricQuery: string) => {
    const asked = [{ sloId: 1, counters: counters(metricQuery) }]
    const measured = (await measureCounters(scriptedSource(values), asked, span)).get(1)
    return measured && 'buckets' in measured ? measured.buckets[0]?.coveredSeconds : undefined
  }
  const good = 'sum(rate(present_total[5m]))'
  expect(await measureOne(`${good} / (${good} + sum(rate(absent_total[5m])))`)).toBe(0)
  expect(await measureOne(`${good} / (${good} + (sum(rate(absent_total[5m])) or vector(0)))`)).toBe(60)
})

test('what the source refuses is an error of the SLO that asks it, and of no other', async () => {
  const refused = new AppError('source_refused', 'too many samples')
  const source = scriptedSource([
    ['heavy_total', refused],
    ['timestamp(', []],
    [' unless ', []],
    ['all_total', [60]],
  ])
  const other = counters('sum(rate(heavy_total[5m])) / sum(rate(heavy_total[5m]))')
  const span = { resolution: 60, startSeconds: 0, endSeconds: 60 } as const
  const slos = [
    { sloId: 1, counters: usual },
    { sloId: 2, counters: other },
  ]
  const measured = await measureCounters(source, slos, span)
  expect(measured.get(1)).toMatchObject({ buckets: [{ coveredSeconds: 60 }] })
  expect(measured.get(2)).toEqual({ error: refused })
})

test('an hour is what increase says of it, and covers what has data', async () => {
  const valueAt = (second: number) => (second < 1800 ? steady(second) : null)
  const bad = scraped('bad_total', { valueAt: (second) => (second < 1800 ? steady(second) / 100 : null) })
  const span = { resolution: 3600, startSeconds: start - hour, endSeconds: start + hour } as const
  const { buckets } = await measure([all({ valueAt }), bad], span)
  expect(buckets[0]?.total).toBeCloseTo(3600, -1)
  expect(buckets[0]?.coveredSeconds).toBe(3600)
  expect(buckets[1]?.total).toBeCloseTo(1800, -2)
  expect(buckets[1]?.coveredSeconds).toBeWithin(1800, 2161)
  for (const { good, total } of buckets) expect(good / total).toBeCloseTo(0.99, 6)
})

test.each([120, 180, 300, 600, 1800, 3600])(
  'of scrapes every %d s, minutes, hours and days are covered, and count every event once',
  async (everySeconds) => {
    const [from, until] = [start - 20 * 86_400, start]
    const count = Math.floor((until - from) / everySeconds)
    const samples = Array.from({ length: count }, (_, n) => ({
      atMs: (from + 7 + n * everySeconds) * 1000,
      value: n * everySeconds,
    }))
    const series = [{ labels: { __name__: 'all_total', pod: 'a' }, samples }]
    const spans = [
      { resolution: 60, startSeconds: until - 12 * hour, endSeconds: until },
      { resolution: 3600, startSeconds: until - 5 * 86_400, endSeconds: until },
      {
        resolution: 86_400,
        startSeconds: Math.ceil(from / 86_400) * 86_400,
        endSeconds: Math.floor(until / 86_400) * 86_400,
      },
    ] as const
    for (const span of spans) {
      const { buckets, intervalSeconds } = await measure(series, span)
      const [seconds, total] = [span.endSeconds - span.startSeconds, buckets.reduce((sum, { total }) => sum + total, 0)]
      expect(intervalSeconds).toBe(everySeconds)
      expect(buckets.reduce((sum, { coveredSeconds }) => sum + coveredSeconds, 0)).toBe(seconds)
      expect(Math.abs(total - seconds)).toBeLessThanOrEqual(span.resolution === 86_400 ? 0.03 * seconds : everySeconds)
    }
  },
)

test('slow scrapes that were missed for longer than two intervals are a gap', async () => {
  const valueAt = (second: number) => (second > 600 && second < 2400 ? null : steady(second))
  const span = { resolution: 60, startSeconds: start, endSeconds: start + hour } as const
  const { buckets } = await measure([all({ everySeconds: 300, valueAt })], span)
  const covered = buckets.map(({ coveredSeconds }) => coveredSeconds > 0)
  // missing from the minute of the last sample to the minute of the next
  expect(covered.filter(Boolean)).toHaveLength(26)
  expect(buckets.reduce((sum, { total }) => sum + total, 0)).toBeWithin(3300, 3601)
})

test.each([
  ['11 hours', 11],
  ['15 hours', 15],
  ['two and a half days', 60],
])('a counter whose series were all away for %s brings what it counted in between, as lead', async (_, hours) => {
  const series = ['a', 'b', 'c'].map((pod, at) => {
    const times = Array.from({ length: 4 * 5 * 1440 }, (_one, n) => n * 15 + 3 + at * 5 - 5 * 86_400 + hour)
    const there = times.filter((second) => second < 120 - hours * hour || second >= 120)
    const samples = there.map((second) => ({ atMs: (start + second) * 1000, value: second + 5 * 86_400 }))
    return { labels: { __name__: 'all_total', pod }, samples }
  })
  const { buckets } = await measure(series, { resolution: 60, startSeconds: start, endSeconds: start + 240 })
  expect(buckets.map(({ coveredSeconds }) => coveredSeconds)).toEqual([0, 0, 60, 60])
  const [, , back, next] = buckets
  const total = 3 * (hours * hour + 60)
  expect(back).toMatchObject({ total, good: total, leadTotal: total - 3 * 45, leadGood: total - 3 * 45 })
  expect(next).toMatchObject({ total: 180, leadTotal: 45 })
  // measured again without the minute in which they came back, as a later round does
  const again = await measure(series, { resolution: 60, startSeconds: start + 120, endSeconds: start + 240 })
  expect(again.buckets).toEqual(buckets.slice(2))
})
