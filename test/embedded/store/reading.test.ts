import { expect, test } from 'bun:test'
import { openSamples } from '../../../src/db/open-samples.ts'
import type { Connection } from '../../../src/db/sqlite.ts'
import { createSampleStore } from '../../../src/embedded/store/sample-store.ts'
import { labels, samplesIn, select, storeWorld, where } from './store-world.ts'

const all = [where('__name__', '=', 'm')]

/** Counts the executions of statements that read chunks. */
function countReads(file: Connection): () => number {
  let reads = 0
  const prepare = file.prepare.bind(file)
  const counting = (sql: string) => {
    const statement = prepare(sql)
    if (!sql.startsWith('select series_id, samples')) return statement
    const run = statement.all.bind(statement)
    const value = (...given: unknown[]) => {
      reads += 1
      return run(...given)
    }
    return Object.defineProperty(statement, 'all', { value, configurable: true })
  }
  Object.defineProperty(file, 'prepare', { value: counting })
  return () => reads
}

test('chunks are read with one statement for 512 series, and each series has its own samples, of chunks and heads', () => {
  const world = storeWorld()
  try {
    const fill = world.store()
    for (let series = 0; series < 600; series += 1) {
      for (let at = 0; at < 400; at += 1) fill.append(1, labels({ series: `${series}` }), at * 1000, series + at / 8)
      fill.flush()
    }
    world.reopen()
    const file = openSamples(world.dataDir)
    const reads = countReads(file)
    const store = createSampleStore({ file, clock: { now: () => 0 }, keepMs: 1e15, maxBytes: 1e12 })
    for (const [fromMs, toMs] of [
      [0, 399_000],
      [100_000, 100_000],
      [359_500, 400_000],
    ] as const) {
      const before = reads()
      const found = select(store, 1, all, fromMs, toMs)
      expect(reads() - before).toBe(2)
      expect(found).toHaveLength(600)
      for (const [series, one] of found.entries()) {
        const first = Math.ceil(fromMs / 1000)
        const count = Math.min(399, Math.floor(toMs / 1000)) - first + 1
        const expected = Array.from({ length: count }, (_, at) => [(first + at) * 1000, series + (first + at) / 8])
        expect(samplesIn(one)).toEqual(expected as [number, number][])
      }
    }
    store.close()
  } finally {
    world.close()
  }
})

const max = { series: 10, samples: 5000, patternSteps: 50_000, chunks: 1000 }

test('a few series are found by a pattern at once, unless it may take long', () => {
  const world = storeWorld()
  try {
    const store = world.store()
    for (const job of ['api', 'apart', 'web', 'x'.repeat(2000)]) store.append(1, labels({ job }), 1000, job.length)
    const seen = (name: string, pattern: string) =>
      store.selectSmall(1, [...all, where(name, '=~', pattern)], 0, 9000, max)?.map((series) => series.labels['job'])
    expect(seen('job', 'ap.*')).toEqual(['api', 'apart'])
    expect(seen('none', '.*')).toHaveLength(4)
    expect(seen('none', '.+')).toEqual([])
    expect(store.selectSmall(1, [...all, where('job', '!~', 'ap.*|x+')], 0, 9000, max)).toHaveLength(1)
    expect(seen('job', '(a|x)*ap.*')).toEqual(['api', 'apart'])
    expect(seen('job', `(${'a?'.repeat(20)})*x`)).toBeUndefined()
  } finally {
    world.close()
  }
})

test('what has more than a thousand chunks is not read at once', () => {
  const world = storeWorld()
  try {
    const store = world.store()
    for (let series = 0; series < 20; series += 1) {
      for (let at = 0; at < 14_400; at += 1) store.append(1, labels({ series: `${series}` }), at * 1000, at)
      store.flush()
    }
    store.flush()
    const few = { ...max, series: 20, samples: 1e6 }
    expect(() => store.selectSmall(1, all, 0, 14_400_000, few)).toThrow('Too many chunks')
    expect(store.selectSmall(1, all, 0, 7_000_000, few)).toHaveLength(20)
    const found = select(store, 1, all, 0, 1e9)
    expect(found.map(({ timesMs }) => timesMs.length)).toEqual(Array(20).fill(14_400))
  } finally {
    world.close()
  }
})
