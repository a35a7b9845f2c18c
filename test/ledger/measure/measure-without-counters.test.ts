import { expect, test } from 'bun:test'
import type { SloRow } from '../../../src/db/tables/tables.ts'
import { AppError } from '../../../src/errors.ts'
import { measureOneWithoutCounters } from '../../../src/ledger/measure/measure-without-counters.ts'
import type { Bucket, Span } from '../../../src/ledger/bucket.ts'
import type { Definition } from '../../../src/slos/definition.ts'
import { type ScriptedSource, scriptedSource } from '../../support/scripted-source.ts'
import { seeded } from '../../support/seeded.ts'
import { sampledSource, type SampledSeries } from '../../support/sampled-source.ts'
import { plan } from '../../sli/planned.ts'

const minutes: Span = { resolution: 60, startSeconds: 0, endSeconds: 180 }
const hour: Span = { resolution: 3600, startSeconds: 0, endSeconds: 3600 }
const undecided = { query_unit: 'auto', inferred_unit: null } as SloRow

async function measure(
  source: ScriptedSource,
  definition: string | Partial<Definition>,
  { span = minutes, slo = undecided } = {},
): Promise<Bucket[]> {
  const measured = await measureOneWithoutCounters(source, { slo, plan: plan(definition) }, span)
  if ('error' in measured) throw measured.error
  return measured.buckets
}

const shares = (buckets: Bucket[]) =>
  buckets.map(({ good, total, coveredSeconds }) => (coveredSeconds === 0 ? null : [good, total]))

test('a comparison covers the minutes in which it could be made, and those are good in which it held', async () => {
  const source = scriptedSource([['latency', [1, null, 0]]])
  expect(shares(await measure(source, 'max(latency) <= 0.3'))).toEqual([[60, 60], null, [0, 60]])
  expect(source.asked).toEqual([expect.stringContaining('<= bool')])
})

test('a threshold is as good as a comparison', async () => {
  const source = scriptedSource([['latency', [1, 1, 0]]])
  const definition = { metric_query: 'max(latency)', threshold: 0.3, threshold_op: 'lte' } as const
  expect(shares(await measure(source, definition))).toEqual([
    [60, 60],
    [60, 60],
    [0, 60],
  ])
})

test('a ratio weighs the time it stands for, and is asked for as it is stored', async () => {
  const source = scriptedSource([['rule:ratio', [0.5, 1.02, 7]]])
  const buckets = await measure(source, 'max(rule:ratio)', { slo: { ...undecided, query_unit: 'ratio' } as SloRow })
  // slightly above 1 counts as 1; 7 is no SLI
  expect(shares(buckets)).toEqual([[30, 60], [60, 60], null])
  expect(source.asked).toEqual(['max(rule:ratio)'])
})

test('a scalar is made a vector: a source looks over no other with a subquery', async () => {
  const source = scriptedSource([
    ['count_over_time', [60]],
    ['rule', [0.75]],
  ])
  expect(
    shares(
      await measure(source, '1 * scalar(rule:ratio)', {
        span: hour,
        slo: { ...undecided, query_unit: 'ratio' } as SloRow,
      }),
    ),
  ).toEqual([[2700, 3600]])
  for (const asked of source.asked) expect(asked).toContain('(vector(1 * scalar(rule:ratio)\n)')
})

test('a percentage is read as one', async () => {
  const source = scriptedSource([['rule', [50, 100, 0.5]]])
  expect(shares(await measure(source, '100 * max(rule:ratio)'))).toEqual([
    [30, 60],
    [60, 60],
    [0.3, 60],
  ])
})

test('what may be a ratio or a percentage is not stored before that is inferred', async () => {
  const source = scriptedSource([['rule', [0.5, 0, 1]]])
  expect(shares(await measure(source, 'max(rule:ratio)'))).toEqual([null, [0, 60], null])
  const settled = { ...undecided, inferred_unit: 'percent' } as SloRow
  expect(shares(await measure(source, 'max(rule:ratio)', { slo: settled }))[0]).toEqual([0.3, 60])
})

test('sides that count events in another way than counters do are spread over five minutes', async () => {
  const source = scriptedSource([
    ['ok', [40, 30, null]],
    ['every', [50, 50, null]],
  ])
  const buckets = await measure(source, 'sum(count_over_time(ok[1m])) / sum(count_over_time(every[1m]))')
  expect(shares(buckets)).toEqual([[8, 10], [6, 10], null])
  expect(source.asked).toEqual(['sum(count_over_time(ok[300s]))', 'sum(count_over_time(every[300s]))'])
})

test('an hour is the mean over its minutes, and covers those that have a value', async () => {
  const source = scriptedSource([
    ['avg_over_time', [0.75]],
    ['count_over_time', [40]],
  ])
  expect(await measure(source, 'max(latency) <= 0.3', { span: hour })).toEqual([
    { startSeconds: 0, good: 1800, total: 2400, coveredSeconds: 2400, leadGood: 0, leadTotal: 0 },
  ])
})

test('an hour is that of its minutes with a number: one 0/0 does not make it none', async () => {
  const source = scriptedSource([])
  await measure(source, 'max(rule:ratio) # a remark', { span: hour })
  const moments = '(((max(rule:ratio) # a remark\n) < Inf > -Inf)[3600s:60s])'
  expect(source.asked).toEqual([`avg_over_time${moments}`, `count_over_time${moments}`])
})

test('of several series that are there for unlike times, whole seconds are covered', async () => {
  const source = scriptedSource([
    ['avg_over_time', [1]],
    ['count_over_time', [419 / 7]],
  ])
  const [bucket] = await measure(source, 'max(latency) <= 0.3', { span: hour })
  expect(bucket?.coveredSeconds).toBe(3591)
})

test.each(['source_refused', 'source_unavailable'] as const)('%s is an error of this SLO', async (kind) => {
  const error = new AppError(kind, 'no')
  const measured = await measureOneWithoutCounters(
    scriptedSource([['rule', error]]),
    { slo: undecided, plan: plan('max(rule)') },
    minutes,
  )
  expect(measured).toEqual({ error })
})

const at = (seconds: number, value: number) => ({ atMs: seconds * 1000, value })
const every = (intervalSeconds: number, untilSeconds: number, valueAt: (seconds: number) => number) =>
  Array.from({ length: Math.floor(untilSeconds / intervalSeconds) }, (_, n) => {
    const seconds = (n + 1) * intervalSeconds
    return at(seconds, valueAt(seconds))
  })
const up = (samples: SampledSeries['samples'], instance = 'a'): SampledSeries => {
  return { labels: { __name__: 'up', instance }, samples }
}
const inRatios = { query_unit: 'ratio', inferred_unit: null } as SloRow
const since = (startSeconds: number, minutesLong: number): Span => {
  return { resolution: 60, startSeconds, endSeconds: startSeconds + minutesLong * 60 }
}

async function measureSamples(series: SampledSeries[], query: string, span: Span): Promise<Bucket[]> {
  const measured = await measureOneWithoutCounters(sampledSource(series), { slo: inRatios, plan: plan(query) }, span)
  if ('error' in measured) throw measured.error
  return measured.buckets
}

test('a minute is the sum of all its samples, not the last one', async () => {
  const failing = up(every(30, 7200, (seconds) => (seconds === 6090 ? 0 : 1)))
  expect(shares(await measureSamples([failing], 'up', since(6000, 3)))).toEqual([
    [60, 60],
    [30, 60],
    [60, 60],
  ])
})

test('a minute of which samples are missing is covered by those that are there', async () => {
  const gap = up(every(30, 7200, () => 1).filter(({ atMs }) => atMs !== 6090_000))
  expect(shares(await measureSamples([gap], 'up', since(6000, 3)))).toEqual([
    [60, 60],
    [30, 30],
    [60, 60],
  ])
})

test('several series add up', async () => {
  const all = [
    up(every(30, 7200, () => 1)),
    up(
      every(30, 7200, () => 0),
      'b',
    ),
    up(
      every(60, 7200, () => 1),
      'c',
    ),
  ]
  const [bucket] = await measureSamples(all, 'avg(up)', since(6000, 1))
  expect(bucket).toMatchObject({ good: expect.closeTo(120, 9), total: 180, coveredSeconds: 60 })
})

test('a check every five minutes says how it was until the next one', async () => {
  const slow = up(every(300, 14_400, (seconds) => (seconds === 12_600 ? 0 : 1)))
  const buckets = await measureSamples([slow], 'up', since(12_300, 20))
  expect(buckets.map(({ good, total }) => total - good)).toEqual([
    ...Array.from({ length: 4 }, () => 0),
    ...Array.from({ length: 5 }, () => 60),
    ...Array.from({ length: 11 }, () => 0),
  ])
  expect(buckets.every(({ coveredSeconds }) => coveredSeconds === 60)).toBe(true)
})

test('the first sample of a new series covers its minute', async () => {
  expect(shares(await measureSamples([up([at(6030, 0)])], 'up', since(6000, 1)))).toEqual([[0, 60]])
})

test.each([NaN, Infinity, -Infinity])('a sample that is %p is left out of its minute', async (value) => {
  const ratio = up(every(30, 7200, (seconds) => (seconds === 6060 ? value : 0.5)))
  expect(shares(await measureSamples([ratio], 'up', since(6000, 2)))).toEqual([
    [15, 30],
    [30, 60],
  ])
})

test.each([NaN, Infinity, -Infinity])('a minute in which a query is %p is left out of its hour', async (value) => {
  const ratio = up(every(60, 7200, (seconds) => (seconds === 5400 ? value : 0.5)))
  const span: Span = { resolution: 3600, startSeconds: 3600, endSeconds: 7200 }
  expect(shares(await measureSamples([ratio], 'max(up)', span))).toEqual([[1770, 3540]])
})

test('hours and days are the sums of the same samples', async () => {
  const failing = up(every(30, 2 * 86_400, (seconds) => (seconds % 3600 < 120 ? 0 : 1)))
  const ofHour = await measureSamples([failing], 'up', { resolution: 3600, startSeconds: 90_000, endSeconds: 93_600 })
  expect(shares(ofHour)).toEqual([[3480, 3600]])
  const ofDay = await measureSamples([failing], 'up', { resolution: 86_400, startSeconds: 86_400, endSeconds: 172_800 })
  expect(shares(ofDay)).toEqual([[24 * 3480, 86_400]])
})

test.each([
  ['5 s, one in nine 0.52 s late', 5, (n: number) => (n % 9 === 0 ? 0.52 : 0)],
  ...[1, 2, 3, 5, 6, 10, 15, 30].map((interval) => {
    const random = seeded(interval)
    return [`${interval} s, up to a fourth late`, interval, () => random() * interval * 0.25] as const
  }),
] as const)('a comparison counts each of the samples every %s', async (_, intervalSeconds, lateSeconds) => {
  const samples = every(intervalSeconds, 7200, () => 0).map(({ atMs }, n) => {
    const phaseSeconds = -intervalSeconds / 10 // so that some samples are past a step only when they are late
    const isBad = n % 9 === 0 && n % 2 === 1
    return { atMs: atMs + Math.round(1000 * (phaseSeconds + lateSeconds(n))), value: isBad ? 0.9 : 0.1 }
  })
  for (const { startSeconds, good, total } of await measureSamples([up(samples)], 'up < 0.3', since(3600, 55))) {
    const inside = samples.filter(({ atMs }) => atMs > startSeconds * 1000 && atMs <= (startSeconds + 60) * 1000)
    const share = inside.filter(({ value }) => value < 0.3).length / inside.length
    expect([startSeconds, good / total]).toEqual([startSeconds, expect.closeTo(share, 9)])
  }
})

test('a comparison counts the last sample of a series that has ended', async () => {
  const ended: SampledSeries['samples'] = [
    ...every(30, 6028, () => 0.1),
    at(6020, 0.9),
    { atMs: 6025_000, value: 'stale' },
  ]
  expect(shares(await measureSamples([up(ended)], 'up < 0.3', since(6000, 2)))).toEqual([[0, 30], null])
})

test('three hours of samples every second are asked in two queries: a source refuses too many steps', async () => {
  const source = sampledSource([up(every(1, 4 * 3600, (seconds) => (seconds % 60 === 30 ? 0.9 : 0.1)))])
  const measured = await measureOneWithoutCounters(source, { slo: inRatios, plan: plan('up < 0.3') }, since(3600, 180))
  if ('error' in measured) throw measured.error
  expect(shares(measured.buckets)).toEqual(Array.from({ length: 180 }, () => [59, 60]))
  expect(source.asked.filter((asked) => asked.includes('nines_sum'))).toHaveLength(2)
})
