import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { putBuckets } from '../../src/ledger/ledger-store.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(() => 0.999)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const query = async (change: object = {}) =>
  (await nines.call('POST', '/api/v1/tsdb/query', { query: 'up', time_range: '24h', ...change })).body
const isoAgo = (seconds: number) => new Date(testStartMs - seconds * 1000).toISOString()

describe('a query sent again', () => {
  test('within the step is answered as it was', async () => {
    const first = await query()
    expect(first.metadata).toMatchObject({ cached: false, end_time: new Date(testStartMs).toISOString() })
    nines.clock.advance(59_999)
    expect(await query()).toEqual({ ...first, metadata: { ...first.metadata, cached: true } })
    expect(source.asked).toHaveLength(1)
    nines.clock.advance(1)
    expect((await query()).metadata.cached).toBe(false)
    expect(source.asked).toHaveLength(2)
  })

  test.each([
    [{ query: 'down' }],
    [{ query: 'up + 0' }],
    [{ time_range: '7d' }],
    [{ step: '5m' }],
    [{ extend_time: isoAgo(600) }],
    [{ extend_time: isoAgo(1) }],
  ])('otherwise, with %j, is another', async (change) => {
    await query()
    expect((await query(change)).metadata.cached).toBe(false)
    expect((await query(change)).metadata.cached).toBe(true)
  })

  test('by many at once is sent to the source once', async () => {
    await Promise.all(Array.from({ length: 50 }, () => query({ step: '1h' })))
    expect(source.asked).toHaveLength(1)
  })

  test('after it was refused is sent again', async () => {
    source.script(() => {
      throw new Error('no such function')
    })
    expect((await query()).success).toBe(false)
    source.script(() => 1)
    expect((await query()).metadata.cached).toBe(false)
  })

  test.each([
    ['partial', { value: 1, isPartial: true }],
    ['empty, of long ago', null],
  ])('that was %s is sent again', async (_, reply) => {
    source.script(() => reply)
    await query({ extend_time: isoAgo(600) })
    source.script(() => 1)
    expect((await query({ extend_time: isoAgo(600) })).query_result.result).toHaveLength(1)
    expect((await query({ extend_time: isoAgo(600) })).metadata.cached).toBe(true)
  })
})

test('labels and values come back as they were', async () => {
  source.script(() => [{ labels: { __name__: 'up', ['käse']: '"€"\n', constructor: 'x' }, value: NaN }])
  const first = await query()
  const again = await query()
  expect(again.query_result).toEqual(first.query_result)
  expect(again.query_result.result[0]).toEqual({
    metric: { __name__: 'up', ['käse']: '"€"\n', constructor: 'x' },
    value: [testStartMs / 1000, 'NaN'],
  })
})

describe('the trend of all SLOs', () => {
  const hour = 3600
  const lastHour = testStartMs / 1000 - hour
  const trend = async () => (await nines.call('GET', '/api/v1/slos/availability-trend')).body
  const ofHour = { revision: 1, resolution: 3600 as const, startSeconds: lastHour, coveredSeconds: hour, total: 100 }
  const measured = (sloId: number, good: number) =>
    nines.app.db.write
      .transaction()
      .execute((trx) => putBuckets(trx, [{ ...ofHour, sloId, good, leadGood: 0, leadTotal: 0 }]))
  beforeEach(async () => {
    for (const [sloId, good] of [
      [1, 90],
      [2, 80],
    ] as const) {
      await nines.call('POST', '/api/v1/slos', { ...checkout, name: `SLO ${sloId}` })
      await measured(sloId, good)
    }
  })

  test('holds for a minute', async () => {
    const first = await trend()
    expect(first).toMatchObject({ points: [{ avg_sli: 0.85 }], metadata: { cached: false } })
    await measured(1, 100)
    nines.clock.advance(59_999)
    expect(await trend()).toEqual({ ...first, metadata: { cached: true } })
    nines.clock.advance(1)
    expect(await trend()).toMatchObject({ points: [{ avg_sli: 0.9 }], metadata: { cached: false } })
  })

  test.each([
    ['deleted', 'DELETE', undefined],
    ['measured otherwise', 'PUT', { metric_query: 'up' }],
  ])('does not hold once an SLO is %s', async (_, method, body) => {
    await trend()
    await nines.call(method, '/api/v1/slos/2', body)
    expect(await trend()).toMatchObject({ points: [{ avg_sli: 0.9, slo_count: 1 }], metadata: { cached: false } })
  })
})
