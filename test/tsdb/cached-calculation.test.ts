import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
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

describe('a calculation asked again', () => {
  test('is answered as it was made, and the source is not asked', async () => {
    const first = await calculate({ include_details: true })
    expect(first.metadata.cached).toBe(false)
    const asked = source.asked.length
    source.script(() => 0.5)
    nines.clock.advance(59_000)
    const again = await calculate({ include_details: true })
    expect(again).toEqual({ ...first, metadata: { ...first.metadata, cached: true } })
    expect(source.asked).toHaveLength(asked)
    const executions = await nines.app.db.read.selectFrom('executions').select('id').execute()
    expect(executions).toHaveLength(first.query_executions.length)
  })

  test('leaves an entry that says what it is', async () => {
    await calculate()
    expect(await entries()).toEqual([
      {
        key: expect.stringMatching(/^query:1:30d:[0-9a-f]{64}$/),
        query: checkout.metric_query,
        slo_id: 1,
        time_window: '30d',
        cached_at: new Date(testStartMs).toISOString(),
        expires_at: new Date(testStartMs + 60_000).toISOString(),
        hit_count: 0,
        is_fresh: true,
      },
    ])
  })

  test('by two hundred at once is asked of the source once', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => calculate()))
    expect(answers.map(({ current_value }) => current_value)).toEqual(Array.from({ length: 200 }, () => 99.9))
    expect(new Set(source.expressions()).size).toBe(source.asked.length)
  })

  test('after a restart is answered from the disk', async () => {
    const first = await calculate()
    await nines.app.close()
    const asked = source.asked.length
    const restarted = await testApp({ dataDir: nines.dataDir })
    const login = { email: 'ada@example.com', password: 'correct horse' }
    const { access_token: token } = (await restarted.call('POST', '/api/v1/auth/login', login, { token: null })).body
    const body = { slo_id: 1, time_window: '30d' }
    const again = await restarted.call('POST', '/api/v1/tsdb/calculate-slo', body, { token })
    await restarted.app.close()
    nines = await testApp({ dataDir: nines.dataDir })
    expect(again.body).toEqual({ ...first, metadata: { ...first.metadata, cached: true } })
    expect(source.asked).toHaveLength(asked)
  })
})

describe('the end of a window', () => {
  test.each([
    ['5m', 15],
    ['1h', 15],
    ['6h', 21],
    ['24h', 60],
    ['30d', 60],
  ])('of %s is the last of %p seconds', async (time_window, stepSeconds) => {
    const grid = stepSeconds * 1000
    const offset = (grid - (testStartMs % grid)) % grid
    nines.clock.advance(offset)
    const end = new Date(testStartMs + offset).toISOString()
    expect(await calculate({ time_window })).toMatchObject({ end_time: end, metadata: { cached: false } })
    nines.clock.advance(grid - 1)
    expect(await calculate({ time_window })).toMatchObject({ end_time: end, metadata: { cached: true } })
    nines.clock.advance(1)
    const next = new Date(testStartMs + offset + grid).toISOString()
    expect(await calculate({ time_window })).toMatchObject({ end_time: next, metadata: { cached: false } })
  })

  test('is exact where it is given', async () => {
    const extend_time = isoAgo(3601)
    expect((await calculate({ extend_time })).end_time).toBe(extend_time)
    expect(await cached({ extend_time: isoAgo(3600) })).toBe(false)
    expect(await cached({ extend_time })).toBe(true)
  })

  test('more than five minutes back holds for ever', async () => {
    const extend_time = isoAgo(301)
    await calculate({ extend_time })
    expect((await entries())[0].expires_at).toBeNull()
    nines.clock.advance(7 * 3_600_000)
    expect(await cached({ extend_time })).toBe(true)
  })

  test('of five minutes back, or of now, holds for the step', async () => {
    for (const secondsAgo of [300, 0, -30]) {
      const extend_time = isoAgo(secondsAgo)
      await calculate({ extend_time })
      expect(await cached({ extend_time })).toBe(true)
      nines.clock.advance(60_000)
      expect(await cached({ extend_time })).toBe(false)
    }
  })

  test.each(['up offset -1h', 'up @ 1795260000', 'avg(up OFFSET -5m)'])(
    'long ago of %p may not be all it looks at',
    async (metric_query) => {
      await nines.call('PUT', '/api/v1/slos/1', { metric_query })
      await calculate({ extend_time: isoAgo(7200) })
      expect((await entries())[0].expires_at).toBe(new Date(testStartMs + 60_000).toISOString())
    },
  )
})

test('the usual ttl holds where it is shorter than the step', async () => {
  await nines.call('PUT', '/api/v1/cache/config', { default_ttl: 5_000_000_000 })
  await calculate()
  nines.clock.advance(4999)
  expect(await cached()).toBe(true)
  nines.clock.advance(1)
  expect(await cached()).toBe(false)
})

describe('not kept is', () => {
  test('a failure', async () => {
    source.script(() => {
      throw new Error('query failed')
    })
    expect((await calculate()).success).toBe(false)
    source.script(() => 0.999)
    expect(await calculate()).toMatchObject({ current_value: 99.9, metadata: { cached: false } })
  })

  test('what was partial', async () => {
    source.script(() => ({ value: 0.5, isPartial: true }))
    expect((await calculate()).metadata).toMatchObject({ partial: true, cached: false })
    source.script(() => 0.999)
    expect(await calculate()).toMatchObject({ current_value: 99.9, metadata: { partial: false, cached: false } })
  })

  test('no data of long ago, which may still come', async () => {
    const extend_time = isoAgo(3600)
    source.script(() => null)
    expect((await calculate({ extend_time })).current_value).toBeNull()
    source.script(() => 0.999)
    expect(await calculate({ extend_time })).toMatchObject({ current_value: 99.9, metadata: { cached: false } })
  })

  test('no data of now for longer than the step', async () => {
    source.script(() => null)
    await calculate()
    expect(await calculate()).toMatchObject({ current_value: null, metadata: { cached: true } })
    nines.clock.advance(60_000)
    source.script(() => 0.999)
    expect(await calculate()).toMatchObject({ current_value: 99.9, metadata: { cached: false } })
  })
})
