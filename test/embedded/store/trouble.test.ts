import { expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Labels } from '../../../src/embedded/promql/labels.ts'
import { labels, samplesIn, storeWorld, where } from './store-world.ts'

const [a, b] = [labels({ job: 'a' }), labels({ job: 'b' })]
const one = (job: string) => [where('job', '=', job)]

test('a chunk that is damaged is left out and told once; its series goes on, and so do all others', () => {
  const told: Labels[] = []
  const world = storeWorld({ onDamage: (series) => told.push(series) })
  world.store().append(1, a, 0, 0)
  world.store().append(1, b, 0, 0)
  world.store().flush()
  world.file().exec(`insert into chunks values (1, 500, 600, x'ffff00ff00ff00ff00')`)
  const rounds = 500 // enough for a chunk
  for (let round = 1; round <= rounds; round += 1) {
    for (const series of [a, b]) world.store().append(1, series, round * 1000, round)
    world.store().flush()
    if (round === 1)
      expect([...world.store().select(1, one('a'), 0, 1e9)].map(samplesIn)).toEqual([
        [
          [0, 0],
          [1000, 1],
        ],
      ])
  }
  world.reopen()
  for (const job of ['a', 'b']) {
    const [found] = [...world.store().select(1, one(job), 0, 1e9)].map(samplesIn)
    expect(found).toEqual(Array.from({ length: rounds + 1 }, (_, round) => [round * 1000, round]))
  }
  expect(told).toEqual([{ __name__: 'm', job: 'a' }])
  world.close()
})

test('a disk that takes nothing for long is no reason to fill the memory', () => {
  const world = storeWorld()
  world.file().pragma('query_only = ON')
  for (let time = 0; time < 1_000_000; time += 1) world.store().append(1, a, time, 1)
  expect(() => world.store().flush()).toThrow('readonly')
  expect(() => world.store().declare(1)).toThrow('Samples cannot be written')
  world.file().pragma('query_only = OFF')
  world.store().flush()
  world.store().declare(1)
  expect([...world.store().select(1, one('a'), 0, 1e9)].map(({ timesMs }) => timesMs.length)).toEqual([1_000_000])
  world.close()
})

test('closing ends with the file closed, whatever the disk says to the last samples', () => {
  const world = storeWorld()
  world.store().append(1, a, 0, 0)
  world.file().pragma('query_only = ON')
  expect(() => world.store().close()).toThrow('readonly')
  expect(world.file().open).toBe(false)
  world.close()
})

test('what is being forgotten while the store is closed is forgotten another time', async () => {
  const world = storeWorld({ keepMs: 1000 })
  for (let time = 0; time < 50_000; time += 1) world.store().append(1, a, time, 1)
  world.store().flush()
  const chunks = () => world.file().prepare('select count(*) from chunks').pluck().get()
  const all = Number(chunks())
  world.setNow(1e9)
  const forgetting = world.store().forgetOld()
  while (chunks() === all) await nextTurn()
  expect(Number(chunks())).toBeGreaterThan(0)
  world.store().close()
  await forgetting
  world.reopen()
  await world.store().forgetOld()
  expect(chunks()).toBe(0)
  world.close()
})
