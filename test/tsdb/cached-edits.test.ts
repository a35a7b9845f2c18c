import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(() => 0.999)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', checkout)
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const calculate = async (change: object = {}, token?: string) =>
  (
    await nines.call(
      'POST',
      '/api/v1/tsdb/calculate-slo',
      { slo_id: 1, time_window: '30d', ...change },
      token === undefined ? {} : { token },
    )
  ).body
const cached = async (change: object = {}) => (await calculate(change)).metadata.cached
const isoAgo = (seconds: number) => new Date(nines.clock.now() - seconds * 1000).toISOString()
const entries = async () => (await nines.call('GET', '/api/v1/cache/entries')).body.data.entries

describe('nothing old is answered', () => {
  test.each([
    { metric_query: 'sum(rate(good[5m])) / sum(rate(all[5m]))' },
    { good_query: 'sum(rate(good[5m]))', total_query: 'sum(rate(all[5m]))', metric_query: null },
    { target: 99.5 },
    { name: 'Other' },
    { time_window: '7d' },
    { query_unit: 'percent' },
    { window_method: 'mean' },
    { threshold: 0.5, threshold_op: 'gte' },
  ])('once the SLO has %j', async (change) => {
    const extend_time = isoAgo(3600)
    await calculate()
    await calculate({ extend_time })
    expect((await nines.call('PUT', '/api/v1/slos/1', change)).status).toBe(200)
    expect(await cached()).toBe(false)
    expect(await cached({ extend_time })).toBe(false)
    expect(await cached()).toBe(true)
  })

  test('once the SLO is deleted', async () => {
    await calculate()
    await nines.call('DELETE', '/api/v1/slos/1')
    expect(await calculate()).toEqual({ success: false, error: 'SLO not found' })
  })

  test.each([
    ['another address', () => ({ api_url: source.url.replace('127.0.0.1', 'localhost') })],
    ['another tenant', () => ({ auth: { type: 'headers', headers: { 'X-Scope-OrgID': 'b' } } })],
    ['another name', () => ({ name: 'renamed' })],
  ])('once the source has %s', async (_, changeOf) => {
    await calculate()
    const changed = await nines.call('PUT', '/api/v1/tsdb/sources/1', changeOf())
    expect(changed.status).toBe(200)
    expect(await cached()).toBe(false)
  })

  test('once it is another source’s to answer', async () => {
    await calculate()
    await nines.call('POST', '/api/v1/tsdb/sources', { name: 'new', api_url: source.url, is_default: true })
    expect(await cached()).toBe(false)
  })

  test('once it was invalidated', async () => {
    await calculate()
    await nines.call('POST', '/api/v1/cache/invalidate', { type: 'slo', slo_id: 1 })
    expect(await cached()).toBe(false)
  })
})

test('with and without details are two answers', async () => {
  await calculate()
  const detailed = await calculate({ include_details: true })
  expect([detailed.metadata.cached, detailed.query_executions.length > 0]).toEqual([false, true])
  expect((await calculate()).query_executions).toBeUndefined()
})

test('organizations share nothing', async () => {
  const eve = await nines.join('eve')
  const theirs = (await nines.call('POST', '/api/v1/slos', checkout, { token: eve })).body.id
  await calculate()
  expect((await calculate({ slo_id: theirs }, eve)).metadata.cached).toBe(false)
  expect(await calculate({}, eve)).toEqual({ success: false, error: 'SLO not found' })
})

test.each([null, 'text', { slo_id: 1 }, { metadata: {} }])(
  'what somebody has put under the key by hand, such as %j, is no answer',
  async (result) => {
    const first = await calculate()
    const [{ key, query, slo_id, time_window }] = await entries()
    await nines.call('POST', '/api/v1/cache/entry', { key, query, slo_id, time_window, result })
    expect(await calculate()).toEqual(first)
    expect(await cached()).toBe(false)
    expect(await cached()).toBe(true)
  },
)
