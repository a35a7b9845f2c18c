import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CacheWorld, cacheWorld, named } from './cache-world.ts'

let world: CacheWorld
beforeEach(async () => {
  world = await cacheWorld()
  await world.cache.put({ ...named('a'), result: '[1]' })
  await world.cache.read(1, 'a')
  await world.restart()
})
afterEach(() => world.close())

const max = '9223372036854775807'
const min = '-9223372036854775808'

test.each(['cached_at', 'expires_at', 'hit_count', 'last_hit_at', 'used', 'size_bytes'])(
  'a row with an impossible %s is dropped at the start, and what is new is written',
  async (column) => {
    for (const [times, value] of [max, min].entries()) {
      world.sql(`update cache_entries set ${column} = ${value}`)
      await world.restart()
      expect(await world.keys()).toEqual([])
      expect(await world.cache.statistics(1)).toMatchObject({ totalDropped: times + 1, totalEntries: 0 })
      await world.cache.put({ ...named('a'), result: '[2]' })
      await world.restart()
      expect(await world.cache.read(1, 'a')).toMatchObject({ result: '[2]', hitCount: 1 })
      await world.cache.flush()
    }
  },
)

test.each([
  ['cache_hits', 'hits'],
  ['cache_counters', 'hits'],
  ['cache_counters', 'misses'],
  ['cache_counters', 'dropped'],
])('an impossible number in %s.%s is counted on from 0', async (table, column) => {
  for (const value of [max, min]) {
    world.sql(`update ${table} set ${column} = ${value}`)
    await world.restart()
    await world.cache.read(1, 'a')
    await world.cache.read(1, 'missing')
    await world.cache.flush()
    const [row] = world.sql(`select ${column} as value from ${table}`)
    expect(row).toEqual({ value: column === 'dropped' ? 0 : 1 })
  }
})
