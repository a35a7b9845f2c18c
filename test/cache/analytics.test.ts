import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CacheWorld, cacheWorld, named } from './cache-world.ts'

let world: CacheWorld
beforeEach(async () => {
  world = await cacheWorld()
})
afterEach(() => world.close())

const hourMs = 3_600_000

async function hit(key: string, times: number, organizationId = 1) {
  for (let i = 0; i < times; i += 1) await world.cache.read(organizationId, key)
}

test('an organization without a cache has statistics of nothing', async () => {
  expect(await world.cache.statistics(2)).toEqual({
    totalEntries: 0,
    totalHits: 0,
    totalMisses: 0,
    totalDropped: 0,
    hitRate: 0,
    averageTtlMs: 0,
    averageEntryBytes: 0,
    freshCount: 0,
    expiredCount: 0,
    hotCount: 0,
    coldCount: 0,
    memoryBytes: 0,
  })
})

test('statistics add up, count the own entries only and survive a restart', async () => {
  await world.cache.put({ ...named('a'), result: '123', ttlMs: 1000 })
  await world.cache.put({ ...named('b'), result: '12345', ttlMs: 3000 })
  await world.cache.put({ ...named('c'), result: '1', ttlMs: null })
  await world.cache.put({ ...named('a', 2), result: '1' })
  await hit('a', 3)
  await hit('absent', 1)
  world.clock.advance(1000)
  const counts = { totalEntries: 3, freshCount: 2, expiredCount: 1, totalHits: 3, totalMisses: 1, hitRate: 0.75 }
  const averages = { averageTtlMs: 2000, averageEntryBytes: 3 }
  expect(await world.cache.statistics(1)).toMatchObject({ ...counts, ...averages })
  await world.restart()
  expect(await world.cache.statistics(1)).toMatchObject({ ...counts, ...averages })
  expect(await world.cache.statistics(2)).toMatchObject({ totalEntries: 1, totalHits: 0, totalMisses: 0 })
})

test('hot is what was hit ten times in the running and the last full hour', async () => {
  for (const key of ['a', 'b']) await world.cache.put({ ...named(key), result: '1', ttlMs: null })
  await world.cache.put({ ...named('a', 2), result: '1', ttlMs: null })
  await hit('a', 6)
  world.clock.advance(hourMs)
  await hit('a', 3)
  await hit('a', 10, 2)
  expect((await world.cache.statistics(1)).hotCount).toBe(0)
  await hit('a', 1)
  expect((await world.cache.statistics(1)).hotCount).toBe(1)
  await world.restart()
  expect((await world.cache.statistics(1)).hotCount).toBe(1)
  world.clock.advance(hourMs)
  expect((await world.cache.statistics(1)).hotCount).toBe(0)
})

test('hits that come while others are written are counted too', async () => {
  await world.cache.put({ ...named('a'), result: '1' })
  for (let round = 0; round < 5; round += 1) {
    await hit('a', 1)
    const flushed = world.cache.flush()
    await hit('a', 20)
    await flushed
  }
  await world.cache.flush()
  expect(world.sql('select hits from cache_hits')).toEqual([{ hits: 105 }])
})

test('cold is what was neither made nor hit for a day', async () => {
  for (const key of ['a', 'b']) await world.cache.put({ ...named(key), result: '1', ttlMs: null })
  world.clock.advance(24 * hourMs)
  expect((await world.cache.statistics(1)).coldCount).toBe(0)
  await hit('a', 1)
  world.clock.advance(1)
  expect((await world.cache.statistics(1)).coldCount).toBe(1)
})

test('the hottest come first, of all organizations, stale ones too, and only while analytics are kept', async () => {
  for (const key of ['a', 'b', 'c']) await world.cache.put({ ...named(key), result: '1', ttlMs: 1 })
  await world.cache.put({ ...named('a', 2), result: '1' })
  await hit('a', 2)
  await hit('b', 5)
  await hit('a', 3, 2)
  await world.restart()
  expect((await world.cache.hottest(2)).map(({ organizationId, key, hits }) => [organizationId, key, hits])).toEqual([
    [1, 'b', 5],
    [2, 'a', 3],
  ])
  expect(await world.cache.hottest(9)).toContainEqual({ ...named('a'), hits: 2 })
  await world.cache.configure({ analyticsRetentionMs: hourMs })
  world.clock.advance(2 * hourMs)
  expect(await world.cache.hottest(9)).toEqual([])
  await world.cache.cleanUp()
  expect(world.sql('select * from cache_hits')).toEqual([])
})

test.each([
  ['', '1'],
  ['a\n', '1'],
  ['x'.repeat(1025), '1'],
  ['\ud800', '1'],
  ['a', '{'],
  ['a', ''],
  ['a', '"\ud800"'],
])('an entry that would not come back as it was is refused: %j %j', async (key, result) => {
  await expect(world.cache.put({ ...named(key), result })).rejects.toMatchObject({ kind: 'invalid' })
  expect((await world.cache.statistics(1)).totalEntries).toBe(0)
})

test('pages are of the latest first, and count all that is meant', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await world.cache.put({ ...named(key, 1, key < 'c' ? 7 : 8), result: '1', ttlMs: key === 'e' ? 1 : null })
    if (key === 'c') await world.restart()
  }
  world.clock.advance(1)
  const page = async (query: object) => {
    const { entries, total } = await world.cache.list(1, { page: 1, pageSize: 2, ...query })
    return [entries.map(({ key }) => key).join(), total]
  }
  expect(await page({})).toEqual(['e,d', 5])
  expect(await page({ page: 3 })).toEqual(['a', 5])
  expect(await page({ page: 4 })).toEqual(['', 5])
  expect(await page({ sloId: 7 })).toEqual(['b,a', 2])
  expect(await page({ fresh: true, sloId: 8 })).toEqual(['d,c', 2])
  expect(await page({ fresh: false })).toEqual(['e', 1])
})
