import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getConfig } from '../../../src/cache/configuration/config.ts'
import type { TestApp } from '../../support/app.ts'
import { peopleApp } from '../../support/reused-app.ts'
import type { People } from '../../support/people.ts'
import { rulesOf } from '../../support/rules-of.ts'

const defaults = {
  default_ttl: 300_000_000_000,
  max_entries: 10_000,
  cleanup_interval: 60_000_000_000,
  enable_memory_cache: true,
  enable_compression: true,
  compression_threshold: 1024,
  enable_warmup: false,
  analytics_retention: 604_800_000_000_000,
}

let nines: TestApp
let who: People
let untouched: unknown
beforeAll(async () => {
  ;({ nines, who } = await peopleApp())
  untouched = await config()
})
beforeEach(async () => {
  expect((await change(defaults)).status).toBe(200)
})
afterAll(() => nines.close())

const config = async (person = who.viewer) => (await nines.call('GET', '/api/v1/cache/config', undefined, person)).body
const change = (body: unknown, person = who.admin) => nines.call('PUT', '/api/v1/cache/config', body, person)

test('the configuration is read by everybody, in nanoseconds', async () => {
  expect(untouched).toEqual({ success: true, data: defaults })
  expect(await config()).toEqual({ success: true, data: defaults })
  expect(await config(who.stranger)).toEqual({ success: true, data: defaults })
})

test('any part of it is changed, and the rest stays', async () => {
  const { status, body } = await change({ default_ttl: 60_000_000_000, enable_warmup: true })
  expect([status, body]).toEqual([200, { success: true, message: 'Cache configuration updated' }])
  await change({ max_entries: 7 })
  expect((await config()).data).toEqual({
    ...defaults,
    default_ttl: 60_000_000_000,
    enable_warmup: true,
    max_entries: 7,
  })
})

test.each(Object.entries({ ...defaults, enable_memory_cache: false, enable_compression: false, enable_warmup: true }))(
  '%s is changed alone',
  async (field, value) => {
    const changed = typeof value === 'number' ? value * 2 : value
    expect((await change({ [field]: changed })).status).toBe(200)
    expect((await config()).data).toEqual({ ...defaults, [field]: changed })
  },
)

test.each(['default_ttl', 'cleanup_interval', 'analytics_retention'])(
  '%s may be the longest there is',
  async (field) => {
    for (const given of [2 ** 53, 2 ** 53 - 1]) {
      expect((await change({ [field]: given })).status).toBe(200)
      const { data } = await config()
      expect(data).toEqual({ ...defaults, [field]: 2 ** 53 })
      expect((await change(data)).status).toBe(200)
    }
  },
)

test('the shortest cleanup_interval is a second, is read back, and an error names it', async () => {
  expect((await change({ cleanup_interval: 1_000_000_000 })).status).toBe(200)
  expect((await config()).data.cleanup_interval).toBe(1_000_000_000)
  const { status, body } = await change({ cleanup_interval: 1 })
  expect([status, rulesOf(body)]).toEqual([400, 'cleanup_interval: must be whole nanoseconds, 1000000000 to 2^53'])
})

test('a shorter cleanup_interval that was stored before is read as the second that it comes to', async () => {
  await change({ max_entries: 5 })
  await nines.app.db.write.updateTable('cache_config').set({ cleanup_interval: 1 }).execute()
  expect((await getConfig(nines.app.db.read)).cleanupIntervalMs).toBe(1000)
})

test('the usual ttl is that of entries without one, at once', async () => {
  await change({ default_ttl: 1_000_000_000 })
  const entry = { key: 'a', query: 'up', slo_id: 0, time_window: '1h', result: 1 }
  await nines.call('POST', '/api/v1/cache/entry', entry, who.member)
  nines.clock.advance(1000)
  const { body } = await nines.call('GET', '/api/v1/cache/entry/a', undefined, who.viewer)
  expect(body.data.is_fresh).toBe(false)
})

describe('is refused to', () => {
  test.each(['member', 'viewer', 'stranger'] as const)('a %s', async (name) => {
    const { status, body } = await change({ max_entries: 7 }, who[name])
    expect([status, body.error]).toEqual([403, 'Insufficient permissions'])
    expect((await config()).data).toEqual(defaults)
  })

  test('an administrator of another organization before anything else is said', async () => {
    expect((await change({ max_entries: -7 }, who.stranger)).status).toBe(403)
  })
})

test.each([
  [{}, 'body'],
  [{ unknown: 1 }, 'body'],
  [{ max_entries: 0 }, 'max_entries'],
  [{ max_entries: 1.5 }, 'max_entries'],
  [{ max_entries: '5' }, 'max_entries'],
  [{ max_entries: 100_001 }, 'max_entries'],
  [{ default_ttl: 0 }, 'default_ttl'],
  [{ default_ttl: '5m' }, 'default_ttl'],
  [{ default_ttl: 2 ** 53 + 2 }, 'default_ttl'],
  [{ cleanup_interval: -1 }, 'cleanup_interval'],
  [{ cleanup_interval: 999_999_999 }, 'cleanup_interval'],
  [{ analytics_retention: null }, 'analytics_retention'],
  [{ enable_warmup: 'yes' }, 'enable_warmup'],
  [{ compression_threshold: -1 }, 'compression_threshold'],
  [{ max_entries: 5, default_ttl: 0 }, 'default_ttl'],
])('%j is refused as a whole', async (body, field) => {
  const answer = await change(body)
  expect([answer.status, answer.body.details]).toEqual([400, expect.stringMatching(new RegExp(`^${field}: must `))])
  expect((await config()).data).toEqual(defaults)
})
