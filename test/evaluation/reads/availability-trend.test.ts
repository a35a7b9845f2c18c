import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type LedgerBucket, putBuckets } from '../../../src/ledger/ledger-store.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { testStartSeconds } from '../../support/evaluations.ts'
import { checkout } from '../../support/slo-calls.ts'

const hour = 3600
const day = 86_400

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  for (const name of ['one', 'two', 'three']) await nines.call('POST', '/api/v1/slos', { ...checkout, name })
  nines.clock.advance(1_234_567) // 10:20:34.567
})
afterEach(() => nines.close())

const trend = (query: string, token?: string) =>
  nines.call('GET', `/api/v1/slos/availability-trend${query}`, undefined, token ? { token } : {})

/** Buckets that end a multiple of an hour before the last whole hour. */
const bucket = (sloId: number, hoursAgo: number, change: Partial<LedgerBucket> = {}): LedgerBucket => ({
  sloId,
  revision: 1,
  resolution: 3600,
  startSeconds: testStartSeconds - hoursAgo * hour,
  good: 90,
  total: 100,
  coveredSeconds: 3600,
  leadGood: 0,
  leadTotal: 0,
  ...change,
})
const put = (...buckets: LedgerBucket[]) => nines.app.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
const at = (hoursAgo: number) => new Date((testStartSeconds - hoursAgo * hour) * 1000).toISOString()

test('a point is the mean of the SLIs of the SLOs, not of their events', async () => {
  await put(bucket(1, 1, { good: 50 }), bucket(2, 1, { good: 900, total: 1000 }), bucket(1, 3, { good: 99 }))
  const { status, body } = await trend('')
  expect(status).toBe(200)
  expect(body).toEqual({
    period: '24h',
    step: '1h',
    start_time: at(24),
    end_time: at(-1 / 3),
    points: [
      { timestamp: at(3), avg_sli: 0.99, slo_count: 1 },
      { timestamp: at(1), avg_sli: 0.7, slo_count: 2 },
    ],
    metadata: { cached: false },
  })
})

test('an SLO counts where it was measured for at least half of the step and had traffic', async () => {
  await put(
    bucket(1, 1, { coveredSeconds: 1800 }),
    bucket(2, 1, { good: 0, total: 0 }),
    bucket(3, 1, { good: 0, coveredSeconds: 1799 }),
    bucket(2, 2, { good: 0, total: 0 }),
  )
  expect((await trend('')).body.points).toEqual([{ timestamp: at(1), avg_sli: 0.9, slo_count: 1 }])
})

test('a step of an hour that is not closed yet is the sum of its minutes, all that they count', async () => {
  const minutes = Array.from({ length: 60 }, (_, n) =>
    bucket(1, 1, {
      resolution: 60,
      startSeconds: testStartSeconds - hour + 60 * n,
      good: n === 0 ? 15 : 4,
      total: n === 0 ? 105 : 5,
      coveredSeconds: 60,
      leadGood: 11,
      leadTotal: 100,
    }),
  )
  await put(...minutes)
  expect((await trend('?period=2h&step=60m')).body).toMatchObject({
    period: '2h',
    step: '1h',
    points: [{ timestamp: at(1), avg_sli: 0.6275, slo_count: 1 }],
  })
})

describe('the step that has not ended', () => {
  const minutes = (count: number, change: Partial<LedgerBucket> = {}) =>
    Array.from({ length: count }, (_, n) =>
      bucket(1, 0, { resolution: 60, startSeconds: testStartSeconds + 60 * n, coveredSeconds: 60, ...change }),
    )

  test('is the last point, as far as it was measured', async () => {
    await put(bucket(1, 1, { good: 80 }), ...minutes(18), ...minutes(9, { good: 10 }))
    expect((await trend('?period=2h&step=1h')).body).toMatchObject({
      start_time: at(2),
      end_time: at(-1 / 3),
      points: [
        { timestamp: at(1), avg_sli: 0.8 },
        { timestamp: at(0), avg_sli: 0.5, slo_count: 1 },
      ],
    })
  })

  test('is left out where less than half of what is over of it was measured', async () => {
    await put(...minutes(9))
    expect((await trend('')).body.points).toEqual([])
  })

  test('is in an answer as soon as another minute has ended', async () => {
    await put(...minutes(18))
    expect((await trend('')).body.end_time).toBe(at(-1 / 3))
    nines.clock.advance(60_000)
    expect((await trend('')).body).toMatchObject({ end_time: at(-21 / 60), metadata: { cached: false } })
  })

  test('is one of a thousand points at most', async () => {
    nines.clock.advance(120_000)
    await put(bucket(1, 1), ...minutes(22))
    const { body } = await trend('?period=5000m&step=5m')
    expect(body.points.at(-1).timestamp).toBe(at(-20 / 60))
  })
})

test('a step of which only hours are still kept is that of its hour', async () => {
  await put(bucket(1, 100, { good: 95 }))
  expect((await trend('?period=7d&step=30m')).body.points).toEqual([
    { timestamp: at(100), avg_sli: 0.95, slo_count: 1 },
    { timestamp: at(99.5), avg_sli: 0.95, slo_count: 1 },
  ])
})

test('what was filled in from before an SLO was created counts', async () => {
  await put(bucket(1, 20, { good: 70 })) // it was created at 0
  expect((await trend('')).body.points).toEqual([{ timestamp: at(20), avg_sli: 0.7, slo_count: 1 }])
})

test('days make up a long period, and older steps come first', async () => {
  const midnight = testStartSeconds - 10 * hour
  const ofDay = (daysAgo: number, good: number) =>
    bucket(1, 0, { resolution: 86_400, startSeconds: midnight - daysAgo * day, coveredSeconds: day, good })
  await put(ofDay(1, 97), ofDay(90, 95), ofDay(91, 1))
  const { points } = (await trend('?period=90d&step=1d')).body
  expect(points.map(({ avg_sli }: { avg_sli: number }) => avg_sli)).toEqual([0.95, 0.97])
})

test('neither other organizations, deleted SLOs nor earlier queries count', async () => {
  await put(bucket(1, 1, { good: 1 }), bucket(2, 1, { good: 1 }), bucket(3, 1, { good: 75 }))
  await nines.call('DELETE', '/api/v1/slos/1')
  await nines.call('PUT', '/api/v1/slos/2', { metric_query: 'up' })
  expect((await trend('')).body.points).toEqual([{ timestamp: at(1), avg_sli: 0.75, slo_count: 1 }])
  expect((await trend('', await nines.join('eve'))).body.points).toEqual([])
})

describe('a request', () => {
  test.each([
    ['?period=24', 'period'],
    ['?period=1.5h', 'period'],
    ['?period=91d', 'period'],
    ['?period=-1h', 'period'],
    ['?period=0h', 'period'],
    ['?period=1h30m', 'period'],
    ['?step=90s', 'step'],
    ['?step=1w', 'step'],
    ['?period=90d&step=1m', 'step'],
    ['?period=17h&step=1m', 'step'],
    ['?period=90m&step=2d', 'period'],
  ])('with %p is refused, naming the field', async (query, field) => {
    const { status, body } = await trend(query)
    expect([status, body.success]).toEqual([400, false])
    expect(body.details).toStartWith(`${field}: must `)
  })

  test('may have as many as a thousand points', async () => {
    await put(bucket(1, 1))
    expect((await trend('?period=1000m&step=1m')).status).toBe(200)
  })
})

test('requests at once share one computation, and an empty answer is kept as any other', async () => {
  const first = await Promise.all(Array.from({ length: 6 }, () => trend('?period=7d&step=11m')))
  expect(first.map(({ status, body }) => [status, body.points])).toEqual(first.map(() => [200, []]))
  const { body } = await nines.call('GET', '/api/v1/cache/statistics')
  expect(body.data).toMatchObject({ total_entries: 1 })
  expect((await trend('?period=7d&step=11m')).body).toMatchObject({ points: [], metadata: { cached: true } })
})
