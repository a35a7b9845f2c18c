import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CacheWorld, cacheWorld, computes, named, notExpected } from './cache-world.ts'

let world: CacheWorld
beforeEach(async () => {
  world = await cacheWorld()
})
afterEach(() => world.close())

/** A computation that the test ends, with a count of its starts. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const begun = Promise.withResolvers<void>()
  const computation = {
    times: 0,
    begun: begun.promise,
    async compute() {
      computation.times += 1
      begun.resolve()
      return { value: await promise, isCacheable: true }
    },
    resolve,
    reject,
  }
  return computation
}

test('200 who want the same at once cost one computation', async () => {
  const computation = held()
  const all = Array.from({ length: 200 }, () => world.cache.getOrCompute(named('a'), computation.compute))
  await computation.begun
  computation.resolve({ value: 1 })
  const answers = await Promise.all(all)
  expect(computation.times).toBe(1)
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"value":{"value":1},"source":"computed"}']),
  )
  expect(await world.cache.getOrCompute(named('a'), notExpected)).toEqual({ value: { value: 1 }, source: 'memory' })
  expect(await world.cache.statistics(1)).toMatchObject({ totalHits: 1, totalMisses: 200, totalEntries: 1 })
})

test('another key, and the same key of another organization, do not wait for it', async () => {
  const slow = held()
  const waiting = world.cache.getOrCompute(named('a'), slow.compute)
  await slow.begun
  expect((await world.cache.getOrCompute(named('b'), computes('b'))).value).toBe('b')
  expect((await world.cache.getOrCompute(named('a', 2), computes('two'))).value).toBe('two')
  slow.resolve('one')
  expect((await waiting).value).toBe('one')
})

test('a failure reaches all who wait, and is not kept', async () => {
  const computation = held()
  const all = [1, 2, 3].map(() => world.cache.getOrCompute(named('a'), computation.compute))
  await computation.begun
  computation.reject(new Error('source is away'))
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
    Array(3).fill('Error: source is away'),
  )
  expect(computation.times).toBe(1)
  expect(await world.keys()).toEqual([])
  expect(await world.cache.getOrCompute(named('a'), computes('back'))).toEqual({ value: 'back', source: 'computed' })
})

test('what is stale is computed again, and a failure of that leaves it stale', async () => {
  await world.cache.put({ ...named('a'), result: '"old"', ttlMs: 1000 })
  world.clock.advance(1000)
  await expect(world.cache.getOrCompute(named('a'), notExpected)).rejects.toThrow('must be no computation')
  expect(await world.cache.read(1, 'a')).toMatchObject({ result: '"old"' })
  expect(await world.cache.getOrCompute(named('a'), computes('new'))).toEqual({ value: 'new', source: 'computed' })
})

test.each([
  { type: 'key', key: 'a' },
  { type: 'slo', sloId: 7 },
  { type: 'pattern', pattern: '?' },
  { type: 'all' },
] as const)('what was begun before an invalidation (%o) is answered, but not kept', async (removal) => {
  const before = held()
  const waiting = world.cache.getOrCompute(named('a'), before.compute)
  await before.begun
  expect(await world.cache.remove(1, removal)).toBe(0)
  const after = await world.cache.getOrCompute(named('a'), computes('after'))
  before.resolve('before')
  expect([await waiting, after]).toEqual([
    { value: 'before', source: 'computed' },
    { value: 'after', source: 'computed' },
  ])
  expect((await world.cache.getOrCompute(named('a'), notExpected)).value).toBe('after')
})

test('an invalidation by another organization stops nothing', async () => {
  const computation = held()
  const waiting = world.cache.getOrCompute(named('a'), computation.compute)
  await computation.begun
  await world.cache.remove(2, { type: 'all' })
  computation.resolve('kept')
  await waiting
  expect((await world.cache.getOrCompute(named('a'), notExpected)).value).toBe('kept')
})

test('puts, reads and removals of one key at once leave what the last of them left, also on the disk', async () => {
  for (let round = 0; round < 20; round += 1) {
    const put = (value: number) => world.cache.put({ ...named('a'), result: String(value) })
    await Promise.all([
      put(1),
      world.cache.remove(1, { type: 'key', key: 'a' }),
      world.cache.read(1, 'a'),
      put(2),
      world.cache.flush(),
      world.cache.remove(1, { type: 'all' }),
      put(round),
      world.cache.read(1, 'a'),
    ])
    await world.restart()
    expect((await world.cache.getOrCompute(named('a'), notExpected)).value).toBe(round)
  }
  expect(world.logged).toEqual([])
})

test('many who read one entry from the disk at once share one look', async () => {
  await world.cache.put({ ...named('a'), result: '[1]' })
  await world.restart()
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.cache.getOrCompute(named('a'), notExpected)))
  expect(new Set(answers.map(({ source }) => source))).toEqual(new Set(['disk']))
  expect((await world.cache.getOrCompute(named('a'), notExpected)).source).toBe('memory')
})
