import { heapStats } from 'bun:jsc'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { createCache } from '../../../src/cache/cache.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/db/open.ts'
import { Database as Sqlite } from '../../../src/db/sqlite.ts'
import { createLog } from '../../../src/log.ts'
import { cacheName, jsonOf } from './results.ts'
import { median, percentile } from '../support/load.ts'
import { maxGapMs, ownMs } from '../support/stall.ts'

/** Output of this script, as JSON: bytes, microseconds of a hit (median of the rounds), milliseconds of each stall. */
export type TierReport = {
  held: { empty: Bytes; full: Bytes; replaced: Bytes }
  memory: { remember: number; read: number; floor: number }
  disk: { ours: Quantiles; floor: Quantiles }
  stall: { idle: number[]; put: number[]; packed: number[]; counted: number[] }
}
type Bytes = { rss: number; heap: number }
type Quantiles = { p50: number; p99: number }

const entries = 10_000
const fitting = 5000 // entries of 10 KB that fit into 64 MiB
const bytesEach = 10_000
const rounds = 7
const hitsEach = 5000
const diskHits = 1000

const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
const db = openDatabase({ dataDir })
await db.write.insertInto('organizations').values({ name: 'Bench', created_at: 0 }).execute()
const write = (line: string) => void process.stderr.write(line)
const log = createLog({ level: 'warn', format: 'text', now: systemClock.now, write })
const deps = { db, clock: systemClock, log }
let cache = createCache(deps)

const stall = await measureStall()
const held = await fill()
const memory = await measureMemory()
const disk = await measureDisk()
await cache.drain()
await db.close()
process.stdout.write(JSON.stringify({ held, memory, disk, stall } satisfies TierReport))

/** Memory when empty, when full, and after every entry was replaced, which would show leaks. */
async function fill(): Promise<TierReport['held']> {
  const empty = heldBytes()
  await putAll(0)
  const full = heldBytes()
  await putAll(entries)
  return { empty, full, replaced: heldBytes() }
}

async function putAll(seed: number): Promise<void> {
  for (let place = 0; place < entries; place += 1) {
    await cache.put({ ...cacheName(place), ttlMs: null, result: jsonOf(bytesEach, seed + place) })
  }
  await cache.flush()
}

function heldBytes(): Bytes {
  Bun.gc(true)
  return { rss: process.memoryUsage().rss, heap: heapStats().heapSize }
}

/** Measures hits in memory. Baseline: a bare lru-cache of parsed results, and stringifying them. */
async function measureMemory(): Promise<TierReport['memory']> {
  const first = entries - fitting
  const bare = new LRUCache<string, object>({ max: entries })
  for (let place = first; place < entries; place += 1) {
    bare.set(cacheName(place).key, JSON.parse(jsonOf(bytesEach, entries + place)))
  }
  const works = {
    remember: async (place: number) => {
      const { source } = await cache.getOrCompute(cacheName(place), missing)
      if (source !== 'memory') throw new Error(`a hit of ${source}`)
    },
    read: (place: number) => cache.read(1, cacheName(place).key),
    floor: async (place: number) => JSON.stringify(bare.get(cacheName(place).key)),
  }
  const times = { remember: [] as number[], read: [] as number[], floor: [] as number[] }
  for (let round = -1; round < rounds; round += 1) {
    for (const name of ['remember', 'read', 'floor'] as const) {
      const tookMs = await ownMs(async () => {
        for (let hit = 0; hit < hitsEach; hit += 1) await works[name](first + ((hit * 7919) % fitting))
      })
      if (round >= 0) times[name].push((tookMs * 1000) / hitsEach)
      await cache.flush()
    }
  }
  return { remember: median(times.remember), read: median(times.read), floor: median(times.floor) }
}

/** Measures hits on disk: each entry once after a restart. Baseline: the same rows by key, unpacked and parsed. */
async function measureDisk(): Promise<TierReport['disk']> {
  await cache.drain()
  cache = createCache(deps)
  await cache.config()
  const bare = new Sqlite(join(dataDir, 'nines.db'), { readonly: true })
  const statement = bare.prepare<[string], { result: Buffer }>(
    'select result from cache_entries join cache_results on entry_id = id where organization_id = 1 and key = ?',
  )
  const works = {
    ours: async (place: number) => {
      const { source } = await cache.getOrCompute(cacheName(place), missing)
      if (source !== 'disk') throw new Error(`a hit of ${source}`)
    },
    floor: async (place: number) => {
      const row = statement.get(cacheName(place).key)
      JSON.parse(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(row?.result ?? []))))
    },
  }
  const runs = { ours: [] as Quantiles[], floor: [] as Quantiles[] }
  for (let round = -1; round < rounds; round += 1) {
    for (const name of ['ours', 'floor'] as const) {
      const times: number[] = []
      for (let hit = 0; hit < diskHits; hit += 1) {
        const place = ((round + 1) * diskHits + hit) * 7919
        times.push((await ownMs(() => works[name](place % entries))) * 1000)
        if (hit % 10 === 9) await new Promise((resolve) => setImmediate(resolve)) // otherwise no timer would fire
      }
      if (round >= 0) runs[name].push({ p50: percentile(times, 50), p99: percentile(times, 99) })
      await cache.flush()
    }
  }
  bare.close()
  const of = (each: Quantiles[]) => ({
    p50: median(each.map(({ p50 }) => p50)),
    p99: median(each.map(({ p99 }) => p99)),
  })
  return { ours: of(runs.ours), floor: of(runs.floor) }
}

/**
 * Measures how long the event loop is blocked, in milliseconds: idle, while 1 MB is stored, while it is compressed and written,
 * and while the hits of 1000 entries are written.
 */
async function measureStall(): Promise<TierReport['stall']> {
  const result = jsonOf(1_000_000, 1)
  const stall: TierReport['stall'] = { idle: [], put: [], packed: [], counted: [] }
  for (let round = 0; round < rounds; round += 1) {
    stall.idle.push(await maxGapMs(() => Bun.sleep(150)))
    stall.put.push(await maxGapMs(() => cache.put({ ...cacheName(round), ttlMs: null, result })))
    stall.packed.push(await maxGapMs(() => cache.flush()))
  }
  for (let place = 0; place < 1000; place += 1) await cache.put({ ...cacheName(place), ttlMs: null, result: '1' })
  await cache.flush()
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < 1000; place += 1) await cache.read(1, cacheName(place).key)
    stall.counted.push(await maxGapMs(() => cache.flush()))
  }
  await cache.remove(1, { type: 'all' })
  return stall
}

function missing(): never {
  throw new Error('not in the cache')
}
