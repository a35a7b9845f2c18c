import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

const minuteNs = 60_000_000_000

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp({ env: { JWT_EXPIRATION: '172800' } })
})
afterEach(() => nines.close())

const entry = { query: 'up', slo_id: 5, time_window: '1h', result: 'x'.repeat(198) }
const put = (key: string, change: object = {}) =>
  nines.call('POST', '/api/v1/cache/entry', { ...entry, key, ...change })
const read = (key: string, token?: string) =>
  nines.call('GET', `/api/v1/cache/entry/${key}`, undefined, token === undefined ? {} : { token })
const statistics = async (token?: string) =>
  (await nines.call('GET', '/api/v1/cache/statistics', undefined, token === undefined ? {} : { token })).body.data

test('statistics of nothing are zeros', async () => {
  const { memory_usage_mb, ...counts } = await statistics()
  expect(memory_usage_mb).toBe(0)
  expect(new Set(Object.values(counts))).toEqual(new Set([0]))
})

test('statistics add up', async () => {
  await put('a', { ttl: minuteNs })
  await put('b', { ttl: 3 * minuteNs, result: 'x'.repeat(98) })
  for (let n = 0; n < 10; n++) await read('b')
  await read('a')
  for (const key of ['c', 'd', 'e', 'f']) await read(key)
  nines.clock.advance(60_000)
  const found = await statistics()
  expect(found).toEqual({
    total_entries: 2,
    total_hits: 11,
    total_misses: 4,
    hit_rate: 11 / 15,
    average_ttl: 2 * minuteNs,
    average_entry_size: 150,
    memory_usage_mb: expect.any(Number),
    is_fresh_count: 1,
    expired_count: 1,
    hot_entries_count: 1,
    cold_entries_count: 0,
    dropped_entries: 0,
  })
  expect(found.memory_usage_mb).toBeWithin(0.0001, 0.1)
})

test('what is neither made nor hit for a day is cold', async () => {
  await put('a')
  await put('b')
  nines.clock.advance(86_400_000)
  await read('b')
  nines.clock.advance(1)
  expect(await statistics()).toMatchObject({ total_entries: 2, cold_entries_count: 1 })
})

test('an organization counts its own', async () => {
  const eve = await nines.join('eve')
  await put('a')
  await read('a')
  await read('a', eve)
  expect(await statistics()).toMatchObject({ total_entries: 1, total_hits: 1, total_misses: 0, hit_rate: 1 })
  expect(await statistics(eve)).toMatchObject({ total_entries: 0, total_hits: 0, total_misses: 1, hit_rate: 0 })
})
