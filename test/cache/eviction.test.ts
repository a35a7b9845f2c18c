import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type CacheWorld, cacheWorld, named, notWanted } from './cache-world.ts'

let world: CacheWorld
beforeEach(async () => {
  world = await cacheWorld()
})
afterEach(() => world.close())

async function fill(...keys: string[]) {
  for (const key of keys) await world.cache.put({ ...named(key), result: `"${key}"` })
}

describe('at the limit', () => {
  test('the least recently used goes, whichever tier it is in and whoever owns it', async () => {
    await world.cache.configure({ maxEntries: 4 })
    await fill('a', 'b', 'c')
    await world.cache.put({ ...named('a', 2), result: '2' })
    await world.restart() // all of them are on the disk now
    await world.cache.read(1, 'a') // and this one in memory
    await fill('d')
    expect([await world.keys(), await world.keys(2)]).toEqual([['a', 'c', 'd'], ['a']])
    await world.cache.remember(named('c'), notWanted)
    await fill('e', 'f')
    expect([await world.keys(), await world.keys(2)]).toEqual([['c', 'd', 'e', 'f'], []])
  })

  test('the order of uses survives a restart', async () => {
    await fill('a', 'b', 'c', 'd')
    await world.cache.read(1, 'a')
    await world.cache.read(1, 'c')
    await world.restart()
    await world.cache.configure({ maxEntries: 2 })
    expect(await world.keys()).toEqual(['a', 'c'])
  })

  test('an entry that replaces another pushes nobody out', async () => {
    await world.cache.configure({ maxEntries: 2 })
    await fill('a', 'b', 'b', 'b')
    expect(await world.keys()).toEqual(['a', 'b'])
  })

  test('looking through the list is no use', async () => {
    await world.cache.configure({ maxEntries: 2 })
    await fill('a', 'b')
    await world.cache.list(1, { page: 1, pageSize: 1, sloId: 7, fresh: true })
    await fill('c')
    expect(await world.keys()).toEqual(['b', 'c'])
  })
})

describe('configuration', () => {
  test('is the documented one until somebody changes it, and is kept', async () => {
    expect(await world.cache.config()).toEqual({
      defaultTtlMs: 300_000,
      maxEntries: 10_000,
      cleanupIntervalMs: 60_000,
      enableMemoryCache: true,
      enableCompression: true,
      compressionThreshold: 1024,
      enableWarmup: false,
      analyticsRetentionMs: 604_800_000,
    })
    await Promise.all([world.cache.configure({ maxEntries: 5 }), world.cache.configure({ enableWarmup: true })])
    await world.crash()
    expect(await world.cache.config()).toMatchObject({ maxEntries: 5, enableWarmup: true, defaultTtlMs: 300_000 })
  })

  test('applies at once and keeps what still fits', async () => {
    await fill('a', 'b', 'c')
    await world.cache.configure({ maxEntries: 2 })
    expect(await world.keys()).toEqual(['b', 'c'])
    await world.cache.configure({ enableMemoryCache: false, defaultTtlMs: 1000 })
    await world.cache.flush()
    for (const _ of [1, 2]) expect((await world.cache.remember(named('b'), notWanted)).source).toBe('disk')
    expect(await world.cache.statistics(1)).toMatchObject({ memoryBytes: 0, totalEntries: 2 })
    await world.cache.configure({ enableMemoryCache: true })
    await world.cache.remember(named('b'), notWanted)
    expect((await world.cache.remember(named('b'), notWanted)).source).toBe('memory')
    await fill('d')
    world.clock.advance(1000)
    expect((await world.cache.list(1, { page: 1, pageSize: 9, fresh: false })).entries.map(({ key }) => key)).toEqual([
      'd',
    ])
  })

  test('cleaning up waits for its interval', async () => {
    await world.cache.put({ ...named('a'), result: '1', ttlMs: 1 })
    world.clock.advance(59_999)
    await world.cache.cleanUpWhenDue()
    expect(await world.keys()).toEqual(['a'])
    world.clock.advance(1)
    await world.cache.cleanUpWhenDue()
    expect(await world.keys()).toEqual([])
  })
})

test('memory holds at most 64 MiB, the disk the rest', async () => {
  const result = JSON.stringify('x'.repeat(4 * 1024 * 1024))
  const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`)
  await world.cache.configure({ enableCompression: false })
  for (const key of keys) await world.cache.put({ ...named(key), result })
  await world.cache.flush()
  const { memoryBytes, totalEntries } = await world.cache.statistics(1)
  expect(totalEntries).toBe(20)
  expect(memoryBytes).toBeGreaterThan(50 * 1024 * 1024)
  expect(memoryBytes).toBeLessThanOrEqual(64 * 1024 * 1024)
  expect((await world.cache.remember(named('key 0'), notWanted)).source).toBe('disk')
  expect((await world.cache.remember(named('key 19'), notWanted)).source).toBe('memory')
})
