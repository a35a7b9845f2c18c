import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource((expression) => {
    if (expression.includes('broken')) throw new Error('no such function')
    return 0.999
  })
  nines = await testApp({ env: { SOURCE_URL: source.url, JWT_EXPIRATION: '172800' } })
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', checkout)
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const up = { query: 'up', slo_id: 0, time_window: '24h' }
const warm = (...queries: object[]) => nines.call('POST', '/api/v1/cache/warmup', { queries })
const entries = async () => (await nines.call('GET', '/api/v1/cache/entries')).body.data.entries
const calculate = async (app = nines) =>
  (await app.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: 1, time_window: '24h' })).body
const query = async (app = nines) =>
  (await app.call('POST', '/api/v1/tsdb/query', { query: 'up', time_range: '24h' })).body

describe('warming up', () => {
  test('reports how many were kept', async () => {
    const { status, body } = await warm(up, { ...up, query: 'down', time_window: '1h' })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: 'Cache warmed',
        data: { queries_warmed: 2, failed: [], timestamp: new Date(testStartMs).toISOString() },
      },
    ])
    expect(source.expressions().toSorted()).toEqual(['down', 'up'])
  })

  test('answers the query afterwards', async () => {
    await warm(up)
    expect((await query()).metadata.cached).toBe(true)
    expect(source.asked).toHaveLength(1)
  })

  test('with an SLO’s own query, however it is written, answers its calculation', async () => {
    await warm({ query: 'sum(rate(ok[5m]))/sum( rate(all[5m]) )', slo_id: 1, time_window: '24h' })
    const asked = source.asked.length
    expect(asked).toBeGreaterThan(0)
    expect(await calculate()).toMatchObject({ current_value: 99.9, metadata: { cached: true } })
    expect(source.asked).toHaveLength(asked)
  })

  test('keeps under the name of the SLO, for the ttl that is given or else the usual', async () => {
    await warm({ ...up, slo_id: 1, ttl: 3_600_000_000_000 }, { ...up, query: 'down', slo_id: 1 })
    const expected = [
      ['up', 3_600_000],
      ['down', 300_000],
    ] as const
    const kept = await entries()
    expect(kept).toHaveLength(2)
    expect(kept).toEqual(
      expect.arrayContaining(
        expected.map(([text, ttlMs]) =>
          expect.objectContaining({
            key: expect.stringMatching(/^query:1:24h:[0-9a-f]{64}$/),
            query: text,
            slo_id: 1,
            time_window: '24h',
            expires_at: new Date(testStartMs + ttlMs).toISOString(),
          }),
        ),
      ),
    )
  })

  test('asks the source even for what is kept', async () => {
    await warm(up)
    source.script(() => 0.5)
    await warm(up)
    expect(source.asked).toHaveLength(2)
    expect((await query()).query_result.result[0].value[1]).toBe('0.5')
  })

  test('keeps the others where some fail, and reports which', async () => {
    const eve = await nines.join('eve')
    const foreign = (await nines.call('POST', '/api/v1/slos', checkout, { token: eve })).body.id
    const { status, body } = await warm(
      { ...up, query: 'broken' },
      up,
      { ...up, query: 'a', slo_id: 99 },
      { ...up, query: 'b', slo_id: foreign },
      { ...up, query: 'c', time_window: '90m' },
    )
    expect(status).toBe(200)
    expect(body.data.queries_warmed).toBe(1)
    expect(body.data.failed).toEqual([
      { query: 'broken', error: expect.stringContaining('no such function') },
      { query: 'a', error: 'SLO not found' },
      { query: 'b', error: 'SLO not found' },
      { query: 'c', error: expect.stringContaining('time_window: must be 5m, ') },
    ])
    expect(await entries()).toHaveLength(1)
  })

  test('does not keep what is partial', async () => {
    source.script(() => ({ value: 1, isPartial: true }))
    expect((await warm(up)).body.data).toMatchObject({ queries_warmed: 0, failed: [{ query: 'up' }] })
    expect(await entries()).toEqual([])
  })

  test.each([
    [{}, 'queries'],
    [{ queries: [null] }, 'queries.0'],
    [{ queries: [up, { ...up, query: '' }] }, 'queries.1.query'],
    [{ queries: [{ ...up, slo_id: 'x' }] }, 'queries.0.slo_id'],
    [{ queries: [{ ...up, ttl: 0 }] }, 'queries.0.ttl'],
    [{ queries: Array.from({ length: 101 }, () => up) }, 'queries'],
  ])('with %j is refused, and nothing is asked', async (wanted, field) => {
    const { status, body } = await nines.call('POST', '/api/v1/cache/warmup', wanted)
    expect([status, body.details]).toEqual([400, expect.stringMatching(new RegExp(`^${field}: `))])
    expect(source.asked).toEqual([])
  })
})

describe('at the start', () => {
  const restart = async (): Promise<TestApp> => {
    await nines.app.close()
    const restarted = await testApp({ dataDir: nines.dataDir })
    restarted.clock.advance(3_600_000)
    const login = { email: 'ada@example.com', password: 'correct horse' }
    const { body } = await restarted.call('POST', '/api/v1/auth/login', login, { token: null })
    nines = {
      ...restarted,
      call: (method, path, sent, options) =>
        restarted.call(method, path, sent, { token: body.access_token, ...options }),
    }
    return nines
  }
  const hitBoth = async () => {
    for (let n = 0; n < 3; n++) await Promise.all([calculate(), query()])
    await nines.call('GET', '/api/v1/slos/availability-trend')
    await nines.call('GET', '/api/v1/slos/availability-trend')
  }

  test('what was asked most is asked again, of then', async () => {
    await nines.call('PUT', '/api/v1/cache/config', { enable_warmup: true })
    await hitBoth()
    await restart()
    await nines.app.warmup.warmHottest()
    const asked = source.asked.length
    expect((await calculate()).metadata.cached).toBe(true)
    expect((await query()).metadata.cached).toBe(true)
    expect(source.asked).toHaveLength(asked)
    expect(nines.logged.filter((line) => line.includes('the cache is warm'))).toEqual([
      expect.stringContaining('"queries":2,"failed":0'),
    ])
  })

  test('a source that fails holds nothing up', async () => {
    await nines.call('PUT', '/api/v1/cache/config', { enable_warmup: true })
    await hitBoth()
    await restart()
    source.close()
    await nines.app.warmup.warmHottest()
    expect(nines.logged.filter((line) => line.includes('the cache is warm'))).toEqual([
      expect.stringContaining('"queries":0,"failed":2'),
    ])
  })

  test('nothing is asked where it is off, or once nines is closing', async () => {
    await hitBoth()
    await restart()
    const asked = source.asked.length
    await nines.app.warmup.warmHottest()
    await nines.call('PUT', '/api/v1/cache/config', { enable_warmup: true })
    nines.app.startClosing()
    await nines.app.warmup.warmHottest()
    expect(source.asked).toHaveLength(asked)
  })
})
