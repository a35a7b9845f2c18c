import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testStartMs } from '../../../support/app.ts'
import { joinedApp } from '../../../support/reused-app.ts'
import { evaluation, failure, put, testStartSeconds } from '../../../support/evaluations.ts'
import { putBuckets } from '../../../../src/ledger/ledger-store.ts'
import { checkout } from '../../../support/slo-calls.ts'

const minute = 60
const hour = 3600
const day = 86_400

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', { ...checkout, labels: { team: 'pay' } })
})
afterEach(() => nines.close())

const ask = async (token?: string) =>
  (await nines.call('GET', '/api/v1/tsdb/real-time-metrics', undefined, token ? { token } : {})).body
const only = async () => (await ask()).metrics[0]

test('an SLO is given as it was last evaluated', async () => {
  await put(nines.app.db.write, evaluation())
  nines.clock.advance(5000)
  const updatedAt = new Date(testStartMs + 1234).toISOString()
  expect(await ask()).toEqual({
    metrics: [
      {
        slo_id: 1,
        slo_name: 'Checkout',
        time_window: '30d',
        labels: { team: 'pay' },
        current_status: 'healthy',
        status: 'healthy',
        status_reason: null,
        status_message: null,
        state: 'measuring', // alerts decide it, and none were raised
        state_since: null,
        state_reason: null,
        burn_rate_now: 0,
        current_value: 99.95,
        target_value: 99.9,
        own_value: 99.93,
        error_budget_percent: 30,
        error_budget_used: 70,
        window_percent_used: 70,
        window_percent_estimated: false,
        coverage: 0.98,
        own_coverage: 0.87,
        burn_rates: [
          {
            severity: 'page',
            long_window: '1h',
            short_window: '5m',
            factor: 14.4,
            min_events: 5,
            enabled: true,
            long_burn_rate: 0.5,
            short_burn_rate: null,
            long_bad_events: 12,
            firing: null,
          },
        ],
        trends: { '24h_change': null, '7d_change': null },
        last_updated: updatedAt,
        updated_at: updatedAt,
        age_seconds: 5,
        stale: false,
        last_measured: null,
      },
    ],
    total: 1,
  })
})

test('percentages come without the dust of binary fractions', async () => {
  await put(nines.app.db.write, evaluation({ current: 99.95000000000002, own: 95.83333333333334 }))
  expect(await only()).toMatchObject({ current_value: 99.95, own_value: 95.8333333333 })
})

test('a stale SLO is unknown, and what it was is said to be of then', async () => {
  await put(nines.app.db.write, evaluation())
  nines.clock.advance(3 * minute * 1000 + 1)
  expect(await only()).toMatchObject({
    status: 'unknown',
    status_reason: 'stale',
    current_value: null,
    error_budget_percent: null,
    error_budget_used: null,
    burn_rates: [],
    stale: true,
    age_seconds: 180,
    last_measured: {
      at: new Date(testStartMs).toISOString(),
      age_seconds: 180,
      current_value: 99.95,
      own_value: 99.93,
      error_budget_used: 70,
    },
  })
})

test('an SLO whose source fails, and one that is new, each say so', async () => {
  await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'new' })
  await put(nines.app.db.write, failure())
  const { metrics, total } = await ask()
  expect(total).toBe(2)
  expect(metrics).toMatchObject([
    { slo_name: 'new', status_reason: 'warming_up', last_updated: null, age_seconds: null, stale: false },
    { slo_name: 'Checkout', status_reason: 'source_error', status_message: 'metrics source did not answer' },
  ])
})

test('a budget that is overspent remains as less than nothing', async () => {
  await put(nines.app.db.write, evaluation({ budgetUsed: 250.3 }))
  expect(await only()).toMatchObject({ error_budget_used: 250.3, error_budget_percent: -150.3 })
})

test('each organization sees its own active SLOs', async () => {
  const eve = await nines.join('eve')
  expect(await ask(eve)).toEqual({ metrics: [], total: 0 })
  await nines.call('DELETE', '/api/v1/slos/1')
  expect(await ask()).toEqual({ metrics: [], total: 0 })
})

describe('the change', () => {
  const at = (ageSeconds: number, change = {}) => evaluation({ atSeconds: testStartSeconds - ageSeconds, ...change })
  const trends = async () => (await only()).trends

  test('is in points since the newest value of a day and of a week ago', async () => {
    const past = [at(day + 60, { current: 1 }), at(day, { current: 99.5 }), at(day - 60, { current: 2 })]
    await put(nines.app.db.write, at(7 * day + hour, { current: 99.9 }), ...past, at(0, { current: 99.8 }))
    expect(await trends()).toEqual({ '24h_change': 0.3, '7d_change': -0.1 })
  })

  test.each([
    [day + 2 * hour, { '24h_change': 0.3, '7d_change': null }],
    [day + 2 * hour + minute, { '24h_change': null, '7d_change': null }],
    [8 * day, { '24h_change': null, '7d_change': 0.3 }],
    [8 * day + minute, { '24h_change': null, '7d_change': null }],
  ])('from a value %p s old is %p', async (age, expected) => {
    await put(nines.app.db.write, at(age, { current: 99.5 }), at(0, { current: 99.8 }))
    expect(await trends()).toEqual(expected)
  })

  test('passes over evaluations without a value', async () => {
    const unknown = failure({ atSeconds: testStartSeconds - day })
    await put(nines.app.db.write, at(day + hour, { current: 99.5 }), unknown, at(0, { current: 99.8 }))
    expect(await trends()).toEqual({ '24h_change': 0.3, '7d_change': null })
  })

  test('does not compare with what another query measured', async () => {
    await put(nines.app.db.write, at(day, { current: 99.5 }))
    await nines.call('PUT', '/api/v1/slos/1', { metric_query: 'up' })
    await put(nines.app.db.write, evaluation({ revision: 2 }))
    expect(await trends()).toEqual({ '24h_change': null, '7d_change': null })
  })

  test('is from the ledger where an SLO is younger than its past that was filled in', async () => {
    const ofHour = (agoSeconds: number, good: number, resolution: 60 | 3600 = 3600) => ({
      sloId: 1,
      revision: 1,
      resolution,
      startSeconds: testStartSeconds - agoSeconds,
      good,
      total: 1000,
      coveredSeconds: resolution,
      leadGood: 0,
      leadTotal: 0,
    })
    const minutesOfHour = Array.from({ length: 60 }, (_, n) => ofHour(day + hour - 60 * n, 990, 60))
    const buckets = [...minutesOfHour, ofHour(7 * day + hour, 950), ofHour(7 * day, 1)]
    await nines.app.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
    await put(nines.app.db.write, at(0, { current: 99.8 }))
    expect(await trends()).toEqual({ '24h_change': 0.8, '7d_change': 4.8 })
    // the result of that evaluation takes precedence
    await put(nines.app.db.write, at(day, { current: 99.5 }), at(0, { current: 99.8 }))
    expect(await trends()).toEqual({ '24h_change': 0.3, '7d_change': 4.8 })
  })

  test('is not from an hour that was measured for less than half', async () => {
    const [startSeconds, none] = [testStartSeconds - 7 * day - hour, { leadGood: 0, leadTotal: 0 }]
    const some = { sloId: 1, revision: 1, startSeconds, good: 1, total: 1, coveredSeconds: 1799, ...none }
    await nines.app.db.write.transaction().execute((trx) => putBuckets(trx, [{ ...some, resolution: 3600 }]))
    await put(nines.app.db.write, at(0))
    expect(await trends()).toEqual({ '24h_change': null, '7d_change': null })
  })

  test('is not known while the SLO’s value is not', async () => {
    await put(nines.app.db.write, at(day))
    await put(nines.app.db.write, failure())
    expect(await trends()).toEqual({ '24h_change': null, '7d_change': null })
  })
})

test('so many SLOs that they are written in pieces are given as a few are', async () => {
  const { id, ...slo } = await nines.app.db.read.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
  await put(nines.app.db.write, evaluation())
  const [shown] = (await ask()).metrics
  for (let made = 0; made < 300; made += 100) {
    const some = Array.from({ length: 100 }, (_, place) => ({ ...slo, name: `SLO ${made + place}` }))
    await nines.app.db.write.insertInto('slos').values(some).execute()
  }
  const { metrics, total } = await ask()
  expect(total).toBe(301)
  expect(metrics).toHaveLength(301)
  expect(metrics.find(({ slo_id }: { slo_id: number }) => slo_id === id)).toEqual(shown)
})
