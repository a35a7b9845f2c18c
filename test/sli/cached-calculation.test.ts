import { describe, expect, test } from 'bun:test'
import { testStartMs } from '../support/app.ts'
import { cachedCalls } from '../support/cached-calls.ts'
import { checkout } from '../support/slo-calls.ts'

const on = cachedCalls()

describe('a calculation requested again', () => {
  test('is answered as it was made, and the source is not queried', async () => {
    const first = await on.calculate({ include_details: true })
    expect(first.metadata.cached).toBe(false)
    const sent = on.source.asked.length
    on.source.script(() => 0.5)
    on.nines.clock.advance(59_000)
    const again = await on.calculate({ include_details: true })
    expect(again).toEqual({ ...first, metadata: { ...first.metadata, cached: true } })
    expect(on.source.asked).toHaveLength(sent)
    const executions = await on.nines.app.db.read.selectFrom('executions').select('id').execute()
    expect(executions).toHaveLength(first.query_executions.length)
  })

  test('leaves an entry that says what it is', async () => {
    await on.calculate()
    expect(await on.entries()).toEqual([
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

  test('by two hundred at once queries the source once', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => on.calculate()))
    expect(answers.map(({ current_value }) => current_value)).toEqual(Array.from({ length: 200 }, () => 99.9))
    expect(new Set(on.source.expressions()).size).toBe(on.source.asked.length)
  })

  test('after a restart is answered from the disk', async () => {
    const first = await on.calculate()
    const sent = on.source.asked.length
    const token = await on.restart()
    expect(await on.calculate({}, token)).toEqual({ ...first, metadata: { ...first.metadata, cached: true } })
    expect(on.source.asked).toHaveLength(sent)
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
    on.nines.clock.advance(offset)
    const end = new Date(testStartMs + offset).toISOString()
    expect(await on.calculate({ time_window })).toMatchObject({ end_time: end, metadata: { cached: false } })
    on.nines.clock.advance(grid - 1)
    expect(await on.calculate({ time_window })).toMatchObject({ end_time: end, metadata: { cached: true } })
    on.nines.clock.advance(1)
    const next = new Date(testStartMs + offset + grid).toISOString()
    expect(await on.calculate({ time_window })).toMatchObject({ end_time: next, metadata: { cached: false } })
  })

  test('is exact where it is given', async () => {
    const extend_time = on.isoAgo(3601)
    expect((await on.calculate({ extend_time })).end_time).toBe(extend_time)
    expect(await on.cached({ extend_time: on.isoAgo(3600) })).toBe(false)
    expect(await on.cached({ extend_time })).toBe(true)
  })

  test('more than five minutes back holds for ever', async () => {
    const extend_time = on.isoAgo(301)
    await on.calculate({ extend_time })
    expect((await on.entries())[0].expires_at).toBeNull()
    on.nines.clock.advance(7 * 3_600_000)
    expect(await on.cached({ extend_time })).toBe(true)
  })

  test('of five minutes back, or of now, holds for the step', async () => {
    for (const secondsAgo of [300, 0, -30]) {
      const extend_time = on.isoAgo(secondsAgo)
      await on.calculate({ extend_time })
      expect(await on.cached({ extend_time })).toBe(true)
      on.nines.clock.advance(60_000)
      expect(await on.cached({ extend_time })).toBe(false)
    }
  })

  test.each(['up offset -1h', 'up @ 1795260000', 'avg(up OFFSET -5m)'])(
    'long ago of %p may not be all it looks at',
    async (metric_query) => {
      await on.nines.call('PUT', '/api/v1/slos/1', { metric_query })
      await on.calculate({ extend_time: on.isoAgo(7200) })
      expect((await on.entries())[0].expires_at).toBe(new Date(testStartMs + 60_000).toISOString())
    },
  )
})

test('the usual ttl holds where it is shorter than the step', async () => {
  await on.nines.call('PUT', '/api/v1/cache/config', { default_ttl: 5_000_000_000 })
  await on.calculate()
  on.nines.clock.advance(4999)
  expect(await on.cached()).toBe(true)
  on.nines.clock.advance(1)
  expect(await on.cached()).toBe(false)
})

describe('not kept is', () => {
  test('a failure', async () => {
    on.source.script(() => {
      throw new Error('query failed')
    })
    expect((await on.calculate()).success).toBe(false)
    on.source.script(() => 0.999)
    expect(await on.calculate()).toMatchObject({ current_value: 99.9, metadata: { cached: false } })
  })

  test('what was partial', async () => {
    on.source.script(() => ({ value: 0.5, isPartial: true }))
    expect((await on.calculate()).metadata).toMatchObject({ partial: true, cached: false })
    on.source.script(() => 0.999)
    expect(await on.calculate()).toMatchObject({ current_value: 99.9, metadata: { partial: false, cached: false } })
  })

  test('no data of long ago, which may still come', async () => {
    const extend_time = on.isoAgo(3600)
    on.source.script(() => null)
    expect((await on.calculate({ extend_time })).current_value).toBeNull()
    on.source.script(() => 0.999)
    expect(await on.calculate({ extend_time })).toMatchObject({ current_value: 99.9, metadata: { cached: false } })
  })

  test('no data of now for longer than the step', async () => {
    on.source.script(() => null)
    await on.calculate()
    expect(await on.calculate()).toMatchObject({ current_value: null, metadata: { cached: true } })
    on.nines.clock.advance(60_000)
    on.source.script(() => 0.999)
    expect(await on.calculate()).toMatchObject({ current_value: 99.9, metadata: { cached: false } })
  })
})
