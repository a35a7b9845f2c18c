import { describe, expect, test } from 'bun:test'
import { cachedCalls } from '../support/cached-calls.ts'
import { checkout } from '../support/slo-calls.ts'

const on = cachedCalls()

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
    const extend_time = on.isoAgo(3600)
    await on.calculate()
    await on.calculate({ extend_time })
    expect((await on.nines.call('PUT', '/api/v1/slos/1', change)).status).toBe(200)
    expect(await on.cached()).toBe(false)
    expect(await on.cached({ extend_time })).toBe(false)
    expect(await on.cached()).toBe(true)
  })

  test('once the SLO is deleted', async () => {
    await on.calculate()
    await on.nines.call('DELETE', '/api/v1/slos/1')
    expect(await on.calculate()).toEqual({ success: false, error: 'SLO not found' })
  })

  test.each([
    ['another address', () => ({ api_url: on.source.url.replace('127.0.0.1', 'localhost') })],
    ['another tenant', () => ({ auth: { type: 'headers', headers: { 'X-Scope-OrgID': 'b' } } })],
    ['another name', () => ({ name: 'renamed' })],
  ])('once the source has %s', async (_, changeOf) => {
    await on.calculate()
    const changed = await on.nines.call('PUT', '/api/v1/tsdb/sources/1', changeOf())
    expect(changed.status).toBe(200)
    expect(await on.cached()).toBe(false)
  })

  test('once it is another source’s to answer', async () => {
    await on.calculate()
    await on.nines.call('POST', '/api/v1/tsdb/sources', { name: 'new', api_url: on.source.url, is_default: true })
    expect(await on.cached()).toBe(false)
  })

  test('once it was invalidated', async () => {
    await on.calculate()
    await on.nines.call('POST', '/api/v1/cache/invalidate', { type: 'slo', slo_id: 1 })
    expect(await on.cached()).toBe(false)
  })
})

test('with and without details are two answers', async () => {
  await on.calculate()
  const detailed = await on.calculate({ include_details: true })
  expect([detailed.metadata.cached, detailed.query_executions.length > 0]).toEqual([false, true])
  expect((await on.calculate()).query_executions).toBeUndefined()
})

test('organizations share nothing', async () => {
  const eve = await on.nines.join('eve')
  const theirs = (await on.nines.call('POST', '/api/v1/slos', checkout, { token: eve })).body.id
  await on.calculate()
  expect((await on.calculate({ slo_id: theirs }, eve)).metadata.cached).toBe(false)
  expect(await on.calculate({}, eve)).toEqual({ success: false, error: 'SLO not found' })
})

test.each([null, 'text', { slo_id: 1 }, { metadata: {} }])(
  'what somebody has put under the key by hand, such as %j, is no answer',
  async (result) => {
    const first = await on.calculate()
    const [{ key, query, slo_id, time_window }] = await on.entries()
    await on.nines.call('POST', '/api/v1/cache/entry', { key, query, slo_id, time_window, result })
    expect(await on.calculate()).toEqual(first)
    expect(await on.cached()).toBe(false)
    expect(await on.cached()).toBe(true)
  },
)
