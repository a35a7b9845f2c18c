import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type CacheWorld, cacheWorld, computes, named, notExpected } from './cache-world.ts'

let world: CacheWorld
beforeEach(async () => {
  world = await cacheWorld()
})
afterEach(() => world.close())

async function fill(...keys: string[]) {
  for (const key of keys) await world.cache.put({ ...named(key), result: `"${key}"` })
}

describe('at the limit', () => {
  test('the least recently used of the organization with most entries goes, whichever tier it is in', async () => {
    await world.cache.configure({ maxEntries: 4 })
    await fill('a', 'b', 'c')
    await world.cache.put({ ...named('a', 2), result: '2' })
    await world.restart() // now all of them are on disk
    await world.cache.read(1, 'a') // and this one in memory too
    await fill('d')
    expect([await world.keys(), await world.keys(2)]).toEqual([['a', 'c', 'd'], ['a']])
    await world.cache.getOrCompute(named('c'), notExpected)
    await fill('e', 'f')
    expect([await world.keys(), await world.keys(2)]).toEqual([['c', 'e', 'f'], ['a']])
  })

  test('one organization pushes out nothing of another that has no more than its share', async () => {
    await world.cache.configure({ maxEntries: 6 })
    for (const key of ['a', 'b', 'c']) await world.cache.put({ ...named(key, 2), result: '2' })
    for (let number = 0; number < 50; number += 1) await fill(`flood ${number}`)
    expect(await world.keys(2)).toEqual(['a', 'b', 'c'])
    expect(await world.keys()).toEqual(['flood 47', 'flood 48', 'flood 49'])
    await world.cache.remove(2, { type: 'all' })
    for (let number = 0; number < 10; number += 1) await fill(`flood ${number}`)
    expect(await world.keys()).toHaveLength(6)
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
    for (const _ of [1, 2]) expect((await world.cache.getOrCompute(named('b'), notExpected)).source).toBe('disk')
    expect(await world.cache.statistics(1)).toMatchObject({ memoryBytes: 0, totalEntries: 2 })
    await world.cache.configure({ enableMemoryCache: true })
    await world.cache.getOrCompute(named('b'), notExpected)
    expect((await world.cache.getOrCompute(named('b'), notExpected)).source).toBe('memory')
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

describe('the bytes of an organization', () => {
  test('are bounded: its least recently used entries make room, those of others do not', async () => {
    const bounded = await cacheWorld({ maxBytesOfOrganization: 10 })
    try {
      await bounded.cache.put({ ...named('other', 2), result: '12345678' })
      for (const key of ['a', 'b', 'c']) await bounded.cache.put({ ...named(key), result: '1234' })
      expect([await bounded.keys(), await bounded.keys(2)]).toEqual([['b', 'c'], ['other']])
      expect([await bounded.cache.bytesOf(1), await bounded.cache.maxBytes()]).toEqual([8, 8])
      await bounded.restart()
      expect([await bounded.keys(), await bounded.keys(2)]).toEqual([['b', 'c'], ['other']])
    } finally {
      await bounded.close()
    }
  })

  test('do not suffice for a result that is larger alone: it is refused, and a computed one is not kept', async () => {
    const bounded = await cacheWorld({ maxBytesOfOrganization: 10 })
    try {
      await bounded.cache.put({ ...named('a'), result: '1' })
      const refused = bounded.cache.put({ ...named('b'), result: '12345678901' })
      await expect(refused).rejects.toMatchObject({
        kind: 'conflict',
        details: 'An organization may have at most 10 bytes of cached results (QUOTA_CACHE_BYTES)',
      })
      await bounded.cache.getOrCompute(named('c'), computes(12_345_678_901))
      expect(await bounded.keys()).toEqual(['a'])
    } finally {
      await bounded.close()
    }
  })

  test('in memory: a flood pushes itself to the disk, and leaves the share of others where it was', async () => {
    const result = JSON.stringify('x'.repeat(4 * 1024 * 1024))
    await world.cache.configure({ enableCompression: false })
    await world.cache.put({ ...named('a', 2), result })
    for (let number = 0; number < 20; number += 1) await world.cache.put({ ...named(`flood ${number}`), result })
    await world.cache.flush()
    expect((await world.cache.getOrCompute(named('a', 2), notExpected)).source).toBe('memory')
    expect((await world.cache.getOrCompute(named('flood 0'), notExpected)).source).toBe('disk')
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
  expect((await world.cache.getOrCompute(named('key 0'), notExpected)).source).toBe('disk')
  expect((await world.cache.getOrCompute(named('key 19'), notExpected)).source).toBe('memory')
})
