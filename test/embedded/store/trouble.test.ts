import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Labels } from '../../../src/promql/labels.ts'
import { childPages, overwritePage } from '../../support/damage.ts'
import { labels, samplesIn, select, storeWorld, where } from './store-world.ts'

const [a, b] = [labels({ job: 'a' }), labels({ job: 'b' })]
const one = (job: string) => [where('job', '=', job)]

test('a chunk that is damaged fails what reads it and is reported once; its series goes on, and so do all others', () => {
  const reported: Labels[] = []
  const world = storeWorld({ onUnreadable: (series) => reported.push(series) })
  world.store().append(1, a, 0, 0)
  world.store().append(1, b, 0, 0)
  world.store().flush()
  world.file().exec(`insert into chunks values (1, 500, 600, x'ffff00ff00ff00ff00')`)
  const rounds = 500 // enough for a chunk
  for (let round = 1; round <= rounds; round += 1) {
    for (const series of [a, b]) world.store().append(1, series, round * 1000, round)
    world.store().flush()
  }
  expect(reported).toEqual([{ __name__: 'm', job: 'a' }])
  world.reopen()
  const all = (job: string, fromMs: number) => select(world.store(), 1, one(job), fromMs, 1e9).map(samplesIn)
  const samples = Array.from({ length: rounds + 1 }, (_, round): [number, number] => [round * 1000, round])
  expect(() => all('a', 0)).toThrow('samples.db is damaged')
  expect(all('a', 1000)).toEqual([samples.slice(1)])
  expect(all('b', 0)).toEqual([samples])
  world.close()
})

/** Overwrites the root pages of the chunks, as if a disk had lost them. */
function loseChunks(world: ReturnType<typeof storeWorld>): void {
  const root = Number(world.file().prepare("select rootpage from sqlite_schema where name = 'chunks'").pluck().get())
  world.file().pragma('wal_checkpoint(TRUNCATE)')
  overwritePage(join(world.dataDir, 'samples.db'), root)
  world.reopen()
}

test('chunks that cannot be reached stop neither the log nor new series, and nothing wrong is read', () => {
  const reported: Labels[] = []
  const world = storeWorld({ onUnreadable: (series) => reported.push(series) })
  const append = (series: typeof a, from: number, to: number) => {
    for (let time = from; time < to; time += 1) world.store().append(1, series, time * 1000, time)
    world.store().flush()
  }
  append(a, 0, 1000)
  append(b, 0, 10)
  loseChunks(world)
  append(a, 1000, 1400)
  append(labels({ job: 'c' }), 0, 10)
  expect(() => select(world.store(), 1, one('a'), 0, 1e9)).toThrow('samples.db is damaged')
  const logged = () => Number(world.file().prepare('select count(*) from log').pluck().get())
  expect(logged()).toBeGreaterThan(0)
  // the log does not keep samples older than two hours
  world.setNow(3 * 3600_000)
  append(a, 10_000, 10_001)
  world.setNow(6 * 3600_000)
  append(a, 20_000, 20_001)
  expect(reported).toContainEqual({ __name__: 'm', job: 'a' })
  expect(logged()).toBe(1)
  world.close()
})

test('chunks that are too old are removed around those that cannot be', async () => {
  const world = storeWorld({ keepMs: 1000 })
  const series = Array.from({ length: 300 }, (_, at) => labels({ job: `job-${at}` }))
  for (const each of series)
    for (let time = 0; time < 400; time += 1) world.store().append(1, each, time, Math.random())
  world.store().flush()
  const chunks = () =>
    Number(world.file().prepare('select count(*) from chunks indexed by chunks_by_end').pluck().get())
  const all = chunks()
  world.file().pragma('wal_checkpoint(TRUNCATE)')
  const path = join(world.dataDir, 'samples.db')
  const child = childPages(
    path,
    Number(world.file().prepare("select rootpage from sqlite_schema where name = 'chunks'").pluck().get()),
  )[1]
  overwritePage(path, child ?? 0)
  world.reopen()
  world.setNow(1e9)
  await world.store().pruneOld()
  expect(chunks()).toBeGreaterThan(0)
  expect(chunks()).toBeLessThan(all / 2)
  world.close()
})

test('a row of the log that is not as it was written is not read', () => {
  const world = storeWorld()
  world.store().append(1, a, 0, 0)
  world.store().flush()
  world.file().exec('update log set samples = zeroblob(length(samples))')
  expect(() => world.reopen()).toThrow('a row of the log is not as it was written')
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
  expect(select(world.store(), 1, one('a'), 0, 1e9).map(({ timesMs }) => timesMs.length)).toEqual([1_000_000])
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
  const forgetting = world.store().pruneOld()
  while (chunks() === all) await yieldToEventLoop()
  expect(Number(chunks())).toBeGreaterThan(0)
  world.store().close()
  await forgetting
  world.reopen()
  await world.store().pruneOld()
  expect(chunks()).toBe(0)
  world.close()
})
