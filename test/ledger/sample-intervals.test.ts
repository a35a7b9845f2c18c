import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import { dropIntervalsAhead, expectShorterIntervals, learnIntervals } from '../../src/ledger/sample-intervals.ts'
import type { Counter } from '../../src/promql/analysis/counters/counter-sum.ts'
import { sampledSource, type SampledSeries, type SampledSource } from '../support/sampled-source.ts'

const now = 1_784_000_400 // a multiple of 20 minutes
const hour = 3600
const minute = 60

type Scrapes = {
  name: string
  everySeconds: number
  phaseSeconds?: number
  pod?: string
  samples?: number
  jitter?: number
  but?: (agoSeconds: number) => boolean
}

/** A series whose last sample is `phaseSeconds` before now. */
function scraped({ name, everySeconds, phaseSeconds = 0.4 * everySeconds, ...more }: Scrapes): SampledSeries {
  const { pod = 'a', samples = Math.ceil((8 * hour) / everySeconds), jitter = 0, but = () => false } = more
  const all = Array.from({ length: samples }, (_, n) => {
    const ago = phaseSeconds + n * everySeconds + jitter * everySeconds * Math.sin(n * 7)
    return { atMs: Math.round((now - ago) * 1000), value: samples - n, ago }
  })
  const kept = all.filter(({ ago }) => ago >= 0 && !but(ago)).toReversed()
  return { labels: { __name__: 'm', name, pod }, samples: kept.map(({ atMs, value }) => ({ atMs, value })) }
}

const selector = (name: string): Counter => {
  const matcher = { label: 'name', operator: '=', value: `"${name}"` } as Counter['matchers'][number]
  return { metric: 'm', matchers: [matcher], text: `m{name="${name}"}` }
}

/** Shortest and longest interval by name. */
async function learn(series: SampledSeries[]): Promise<Record<string, [number, number] | null>> {
  const names = [...new Set(series.map(({ labels }) => labels['name'] ?? ''))]
  const learned = await learnIntervals(sampledSource(series), names.map(selector), now)
  return Object.fromEntries(
    names.map((name) => {
      const intervals = learned.get(`m{name="${name}"}`)
      return [name, intervals ? [intervals.shortestSeconds, intervals.longestSeconds] : null]
    }),
  )
}

const usual = [1, 2, 5, 7, 10, 15, 30, 60, 120, 180, 200, 240, 270, 300, 600, 900, 1800, 3600]

test.each([
  ['at full minutes', { phaseSeconds: 0 }],
  ['with any phase', {}],
  ['with jitter', { jitter: 0.02 }],
  ['with a sample in ten missing', { but: (ago: number) => Math.floor(ago / 3) % 10 === 7 }],
  ['of a series with three samples, just scraped', { samples: 3, phaseSeconds: 0.01 }],
  ['of a series with three samples, about to be scraped', { samples: 3, phaseSeconds: 0.99 }],
])('intervals from a second to an hour are learned from samples %s', async (_, change) => {
  const isShare = 'samples' in change
  const series = usual.map((everySeconds) => {
    const phase = isShare ? { phaseSeconds: change.phaseSeconds * everySeconds } : {}
    const but = 'but' in change ? { but: (ago: number) => change.but((ago / everySeconds) * 3) } : {}
    return scraped({ name: String(everySeconds), everySeconds, ...change, ...phase, ...but })
  })
  const learned = await learn(series)
  for (const everySeconds of usual) {
    const isNear = 'jitter' in change && everySeconds > 60
    const [shortest, longest] = learned[String(everySeconds)] ?? []
    if (!isNear) expect([everySeconds, shortest, longest]).toEqual([everySeconds, everySeconds, everySeconds])
    else expect(Math.abs((longest ?? 0) - everySeconds) / everySeconds).toBeLessThan(0.05)
  }
})

test('an interval is the same before, in and after a gap', async () => {
  const gaps = [15, 60, 300, 900].flatMap((everySeconds) =>
    [0, 1, 3].map((ended) => ({ everySeconds, ended: ended * everySeconds, name: `${everySeconds} ${ended}` })),
  )
  const learned = await learn(
    gaps.map(({ name, everySeconds, ended }) =>
      scraped({ name, everySeconds, but: (ago) => ago >= ended && ago < ended + 4.5 * everySeconds }),
    ),
  )
  expect(learned).toEqual(Object.fromEntries(gaps.map(({ name, everySeconds: s }) => [name, [s, s]])))
})

test('of several series behind a selector, the shortest interval and the longest are learned', async () => {
  const mixes: [number, number][] = [
    [5, 60],
    [15, 300],
    [60, 600],
    [30, 3600],
    [300, 1200],
  ]
  const series = mixes.flatMap(([short, long]) => {
    const name = `${short} ${long}`
    return [scraped({ name, everySeconds: short }), scraped({ name, everySeconds: long, pod: 'b' })]
  })
  expect(await learn(series)).toEqual(Object.fromEntries(mixes.map((mix) => [mix.join(' '), mix])))
})

test('a series of one sample has no interval, and neither has a selector without series', async () => {
  const source = sampledSource([scraped({ name: 'young', everySeconds: 15, samples: 1 })])
  const learned = await learnIntervals(source, [selector('young'), selector('none')], now)
  expect([...learned.values()]).toEqual([null, null])
})

test('250 selectors of one family are learned in a few queries, and are known for an hour', async () => {
  const names = Array.from({ length: 250 }, (_, n) => `service-${n}`)
  const source = sampledSource(names.map((name) => scraped({ name, everySeconds: 15, samples: 100 })))
  const selectors = names.map(selector)
  await learnIntervals(source, selectors, now)
  const asked = source.asked.length
  expect(asked).toBeLessThanOrEqual(25)
  for (const later of [60, 3599]) await learnIntervals(source, selectors, now + later)
  expect(source.asked).toHaveLength(asked)
  await learnIntervals(source, selectors, now + hour)
  expect(source.asked.length).toBeGreaterThan(asked)
})

test('a long interval is learned again after ten minutes: it may be that of a series that has just come back', async () => {
  const [gone, since] = [23 * 60, 10]
  const series = scraped({ name: 'back', everySeconds: 10, samples: 210, phaseSeconds: 1 })
  const isThere = (ago: number) => ago < since || ago > gone
  const samples = series.samples.filter(({ atMs }) => isThere(now - atMs / 1000))
  const later = Array.from({ length: 60 }, (_, n) => ({ atMs: (now + 9 + 10 * n) * 1000, value: 1000 + n }))
  const source = sampledSource([{ ...series, samples: [...samples, ...later] }])
  const longest = async (atSeconds: number) =>
    (await learnIntervals(source, [selector('back')], atSeconds)).get('m{name="back"}')?.longestSeconds
  expect(await longest(now)).toBeGreaterThan(60)
  expect(await longest(now + 600)).toBe(10)
})

describe('intervals that became shorter', () => {
  const half = 30
  const since = 5 * minute
  /** A series scraped every minute until now, and then every half minute. */
  const faster = () => {
    const { labels, samples } = scraped({ name: 'shop', everySeconds: minute, phaseSeconds: 0 })
    const later = Array.from({ length: 60 }, (_, n) => ({ atMs: (now + half * (n + 1)) * 1000, value: 1000 + n }))
    return sampledSource([{ labels, samples: [...samples, ...later] }])
  }
  const longest = async (source: SampledSource, atSeconds: number) =>
    (await learnIntervals(source, [selector('shop')], atSeconds)).get('m{name="shop"}')?.longestSeconds

  test('are found within minutes where they are expected, and are known by then like others', async () => {
    const source = faster()
    expect(await longest(source, now)).toBe(minute)
    const seen: number[] = []
    for (let later = 0; later <= since; later += minute) {
      const seconds = (await longest(source, now + later)) ?? 0
      if (seconds > half) expectShorterIntervals(source, [selector('shop')], now + later)
      seen.push(seconds)
    }
    expect(seen).toEqual([60, 60, 60, 60, 30, 30])
    const asked = source.asked.length
    expect(await longest(source, now + since + minute)).toBe(half)
    expect(source.asked).toHaveLength(asked)
  })

  test('cost three queries every two minutes while they are expected, and none afterwards', async () => {
    const source = sampledSource([
      scraped({ name: 'shop', everySeconds: minute }),
      scraped({ name: 'b', everySeconds: 60 }),
    ])
    const both = [selector('shop'), selector('b')]
    await learnIntervals(source, both, now)
    const asked: number[] = []
    for (let later = 0; later <= 7 * minute; later += minute) {
      const before = source.asked.length
      await learnIntervals(source, both, now + later)
      if (later < since) expectShorterIntervals(source, both, now + later)
      asked.push(source.asked.length - before)
    }
    expect(asked).toEqual([0, 0, 3, 0, 3, 0, 3, 0])
  })
})

test('what is not known is asked for again after a minute, then less often', async () => {
  const source = sampledSource([])
  const asked: number[] = []
  for (let at = 0; at <= 30; at += 1) {
    const before = source.asked.length
    await learnIntervals(source, [selector('shop')], now + at * minute)
    if (source.asked.length > before) asked.push(at)
  }
  expect(asked).toEqual([0, 1, 3, 7, 15, 25])
})

test('a failed query leaves what was known, and is made again', async () => {
  const source = sampledSource([scraped({ name: 'shop', everySeconds: 15 })])
  const range = source.range
  const known = { shortestSeconds: 15, longestSeconds: 15 }
  const learnAt = (later: number) =>
    learnIntervals(source, [selector('shop')], now + later).then((learned) => [...learned.values()])
  expect(await learnAt(0)).toEqual([known])
  source.range = () => Promise.reject(new AppError('source_unavailable', 'metrics source did not answer'))
  expect(await learnAt(hour)).toEqual([known])
  source.range = range
  await learnAt(hour + 60)
  expect(source.asked.length).toBeGreaterThan(3)
})

test('intervals learned ahead of an evaluation are dropped, others are not', async () => {
  const { labels, samples } = scraped({ name: 'shop', everySeconds: 15 })
  const ahead = now + 8 * hour
  const later = Array.from({ length: 40 }, (_, n) => ({ atMs: (ahead + 600 * (n - 39)) * 1000, value: 5000 + n }))
  const source = sampledSource([{ labels, samples: [...samples, ...later] }])
  const longestAt = async (atSeconds: number) =>
    (await learnIntervals(source, [selector('shop')], atSeconds)).get('m{name="shop"}')?.longestSeconds
  expect(await longestAt(ahead)).toBe(600) // by a backfill that began while the clock was ahead
  expect(await longestAt(now)).toBe(600)
  dropIntervalsAhead(source, now)
  expect(await longestAt(now)).toBe(15)
  const asked = source.asked.length
  dropIntervalsAhead(source, now + minute)
  expect(await longestAt(now + minute)).toBe(15)
  expect(source.asked).toHaveLength(asked)
})
