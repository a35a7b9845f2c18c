import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { overwritePage, rootPage } from '../support/damage.ts'
import { type CacheWorld, cacheWorld, computes, named, notExpected } from './cache-world.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'

let world: CacheWorld
beforeEach(async () => {
  world = await cacheWorld()
})
afterEach(() => world.close())

const long = JSON.stringify({ text: 'é€😀 "quoted"\n'.repeat(500) })

describe('what the disk gives back', () => {
  test.each([
    ['short', '{"a": 1.0,  "b":[] }'],
    ['long', long],
    ['of a megabyte', JSON.stringify(Array.from({ length: 60_000 }, (_, i) => `${i * 7919} ∑`))],
    ['null', 'null'],
  ])('is byte for byte what was put in: %s', async (_, result) => {
    await world.cache.put({ ...named('a'), result })
    await world.restart()
    expect(await world.cache.read(1, 'a')).toMatchObject({ result, hitCount: 1, query: 'sum(a)', timeWindow: '1h' })
  })

  test('was packed only where it is enabled and worth it', async () => {
    const result = JSON.stringify('x'.repeat(1022)) // 1024 bytes as JSON
    const packed = () =>
      world.sql('select key, is_gzip from cache_results join cache_entries on id = entry_id order by id')
    await world.cache.put({ ...named('at the threshold'), result })
    await world.cache.put({ ...named('above'), result: `${result} ` })
    await world.cache.flush()
    await world.cache.configure({ enableCompression: false })
    await world.cache.put({ ...named('switched off'), result: `${result} ` })
    await world.cache.flush()
    expect(packed()).toEqual([
      { key: 'at the threshold', is_gzip: 0 },
      { key: 'above', is_gzip: 1 },
      { key: 'switched off', is_gzip: 0 },
    ])
    await world.restart()
    for (const { key } of (await world.cache.list(1, { page: 1, pageSize: 9 })).entries) {
      expect((await world.cache.read(1, key))?.result.trim()).toBe(result)
    }
  })

  test('was packed while others had their turn', async () => {
    const result = JSON.stringify(Array.from({ length: 60_000 }, () => Math.random())) // 1 MB that is slow to compress
    await world.cache.put({ ...named('a'), result })
    using turns = countEventLoopIterations()
    await world.cache.flush()
    expect(turns.count()).toBeGreaterThan(30)
  })

  test('keeps up with who puts in more than memory should hold', async () => {
    await world.cache.configure({ enableCompression: false })
    const result = JSON.stringify('x'.repeat(4 * 1024 * 1024))
    for (let i = 0; i < 12; i += 1) await world.cache.put({ ...named(`key ${i}`), result })
    await world.crash() // without a flush by the test
    expect((await world.keys()).length).toBeGreaterThan(4) // at most 32 MiB wait to be written
  })

  test('is nothing of a result beyond 16 MiB, which is answered all the same', async () => {
    const result = 'x'.repeat(16 * 1024 * 1024)
    expect((await world.cache.getOrCompute(named('a'), computes(result))).value === result).toBe(true)
    expect(await world.keys()).toEqual([])
    await world.cache.put({ ...named('b'), result: '1' })
    await expect(world.cache.put({ ...named('b'), result: JSON.stringify(result) })).rejects.toMatchObject({
      kind: 'too_large',
    })
  })

  test('is what was flushed before a crash, and nothing half', async () => {
    await world.cache.put({ ...named('kept'), result: '1' })
    await world.cache.flush()
    await world.cache.put({ ...named('lost'), result: '2' })
    await world.cache.put({ ...named('kept'), result: '3' })
    await world.crash()
    expect(await world.keys()).toEqual(['kept'])
    expect((await world.cache.getOrCompute(named('kept'), notExpected)).value).toBe(1)
  })

  test('is not what was removed before a crash', async () => {
    await world.cache.put({ ...named('a'), result: '1' })
    await world.cache.put({ ...named('b'), result: '1' })
    await world.cache.flush()
    await world.cache.remove(1, { type: 'key', key: 'a' })
    await world.crash()
    expect(await world.keys()).toEqual(['b'])
  })

  test('is nothing once the cache is drained', async () => {
    await world.cache.config()
    await world.cache.drain()
    await world.cache.put({ ...named('late'), result: '1' })
    await world.cache.flush()
    await expect(world.cache.store({ ...named('stored'), result: '1' })).rejects.toThrow('nines is stopping')
    expect(world.sql('select count(*) as rows from cache_entries')).toEqual([{ rows: 0 }])
  })
})

describe('a corrupt row', () => {
  const ways = [
    ['another byte', "update cache_results set result = cast(replace(cast(result as text), '1', '2') as blob)"],
    ['a cut result', 'update cache_results set result = substr(result, 1, length(result) - 1)'],
    ['bytes that are no gzip', 'update cache_results set is_gzip = 1'],
    ['another checksum', "update cache_results set checksum = 'f'"],
    ['no result', 'delete from cache_results'],
    ['a longer life', 'update cache_entries set expires_at = expires_at + 1'],
    ['another query', "update cache_entries set query = 'up'"],
    ['another organization', 'update cache_entries set organization_id = 3 - organization_id'],
  ] as const

  test.each(ways)('with %s is dropped, counted and logged, never served', async (what, statement) => {
    await world.cache.put({ ...named('a'), result: '[1]' })
    await world.restart()
    world.sql(statement)
    await world.restart()
    const owner = what === 'another organization' ? 2 : 1
    expect(await world.cache.getOrCompute(named('a', owner), computes('again'))).toEqual({
      value: 'again',
      source: 'computed',
    })
    expect(await world.cache.statistics(owner)).toMatchObject({ totalDropped: 1, totalEntries: 1, totalMisses: 1 })
    expect(world.logged.filter((line) => line.includes('a corrupt row of the cache was dropped'))).toHaveLength(1)
    await world.restart()
    expect(await world.cache.statistics(owner)).toMatchObject({ totalDropped: 1, totalEntries: 1 })
  })

  test('that was packed is not unpacked', async () => {
    await world.cache.put({ ...named('a'), result: long })
    await world.restart()
    world.sql("update cache_results set result = cast(substr(result, 1, length(result) - 4) || x'ffffff7f' as blob)")
    expect(await world.cache.read(1, 'a')).toBeNull()
    expect(await world.keys()).toEqual([])
  })
})

const noise = JSON.stringify(Array.from({ length: 20_000 }, () => Math.random()))

async function withoutRoom() {
  await world.cache.put({ ...named('old'), result: '1' })
  await world.cache.flush()
  await world.cache.configure({ enableCompression: false })
  const [pages] = world.sql('pragma page_count').map((row) => Object.values(row ?? {})[0])
  await world.limitPages(Number(pages))
}

test('what a database without room refuses waits in memory, is served from there, and is written once there is room', async () => {
  await withoutRoom()
  await world.cache.put({ ...named('new'), result: noise })
  await expect(world.cache.flush()).rejects.toThrow('disk is full')
  expect((await world.cache.read(1, 'new'))?.result).toBe(noise)
  expect(await world.keys()).toEqual(['old', 'new'])
  await world.limitPages(1_000_000)
  await world.cache.flush()
  await world.crash()
  expect(await world.keys()).toEqual(['old', 'new'])
  expect((await world.cache.read(1, 'new'))?.result).toBe(noise)
})

test('an entry that is replaced or removed while it waits for room does not come back', async () => {
  await withoutRoom()
  await world.cache.put({ ...named('a'), result: noise })
  await world.cache.put({ ...named('b'), result: noise })
  await expect(world.cache.flush()).rejects.toThrow('disk is full')
  await world.cache.put({ ...named('a'), result: '2' })
  await world.cache.remove(1, { type: 'key', key: 'b' })
  await world.limitPages(1_000_000)
  await world.cache.flush()
  await world.crash()
  expect(await world.keys()).toEqual(['old', 'a'])
  expect((await world.cache.read(1, 'a'))?.result).toBe('2')
})

test('hits that come while there is no room are all counted once there is', async () => {
  await withoutRoom()
  await world.cache.put({ ...named('new'), result: noise })
  for (const times of [1, 2, 3]) {
    for (let time = 0; time < times; time += 1) await world.cache.read(1, 'new')
    await expect(world.cache.flush()).rejects.toThrow('disk is full')
  }
  await world.cache.remove(1, { type: 'key', key: 'new' }).catch(() => {})
  await world.limitPages(1_000_000)
  await world.cache.flush()
  expect(world.sql('select key, hits from cache_hits')).toEqual([{ key: 'new', hits: 6 }])
  expect(world.sql('select hits from cache_counters')).toEqual([{ hits: 6 }])
})

test('what a database without room refuses takes a bounded part of memory', async () => {
  await withoutRoom()
  const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
  for (let i = 0; i < 60; i += 1) await world.cache.put({ ...named(`key ${i}`), result: megabyte })
  for (let i = 0; i < 60; i += 1) await world.cache.flush().catch(() => {})
  expect((await world.keys()).length).toBeLessThan(40)
  await world.limitPages(1_000_000)
})

test('an entry that cannot be written because of damage keeps nothing else from being written', async () => {
  await world.cache.put({ ...named('old'), result: '1' })
  await world.restart()
  const path = join(world.dataDir, 'nines.db')
  overwritePage(path, rootPage(path, 'sqlite_autoindex_cache_entries_1'))
  await world.crash()
  await world.cache.read(1, 'old')
  await world.cache.put({ ...named('new'), result: '2' })
  await expect(world.cache.flush()).rejects.toThrow('damaged')
  await world.cache.flush()
  expect(await world.keys()).toEqual(['old'])
  expect(world.sql('select hits from cache_counters')).toEqual([{ hits: 1 }])
})

test('an entry is stored once it is on the disk, and one that the disk refuses is not kept', async () => {
  await world.cache.store({ ...named('kept'), result: '1' })
  await world.crash()
  expect(await world.keys()).toEqual(['kept'])
  await withoutRoom()
  await expect(world.cache.store({ ...named('refused'), result: noise })).rejects.toThrow('disk is full')
  expect(await world.keys()).toEqual(['kept', 'old'])
  await world.limitPages(1_000_000)
})

test('a database that cannot be read costs the computation, no more', async () => {
  await world.cache.configure({ enableMemoryCache: false })
  await world.cache.put({ ...named('a'), result: '"kept"' })
  await world.cache.flush()
  await world.db.read.destroy()
  expect((await world.cache.getOrCompute(named('a'), computes('computed'))).source).toBe('computed')
  expect(world.logged.join()).toContain('the cache could not be read')
  await world.crash()
  await world.db.read.selectFrom('cache_config').selectAll().execute()
  await world.db.read.destroy()
  expect((await world.cache.getOrCompute(named('a'), computes('computed'))).source).toBe('computed')
})
