import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { labels, samplesIn, select, storeWorld, where } from './store-world.ts'

const all = [where('__name__', '=', 'm')]
const keepMs = 5_000_000
// no space for the log: each flush moves previously flushed samples into chunks, however few
const noRoom = 0

type Step =
  | { do: 'append'; series: number; startMs: number; stepMs: number; values: (number | 'stale')[] }
  | { do: 'flush' | 'forget' | 'reopen' }
  | { do: 'wait'; byMs: number }

const value = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(NaN, -0, Infinity, 'stale' as const))
const append = fc.record({
  do: fc.constant('append' as const),
  series: fc.integer({ min: 0, max: 2 }),
  // often equal, so that many samples are replaced
  startMs: fc.integer({ min: 0, max: 40 }).map((unit) => unit * 250_000),
  stepMs: fc.constantFrom(500, 1000, -500, 7000, 0),
  values: fc.oneof(fc.array(value, { maxLength: 5 }), fc.array(value, { minLength: 150, maxLength: 500 })),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: append },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'forget' as const, 'reopen' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), byMs: fc.integer({ min: 0, max: 2_000_000 }) }),
  },
)

test('the store gives what a map of series and times would, whatever comes in whichever order and is restarted between', async () => {
  const run = async (steps: Step[], fromMs: number, longMs: number, maxBytes: number) => {
    const world = storeWorld({ keepMs, maxBytes })
    try {
      let nowMs = 8_000_000
      world.setNow(nowMs)
      const model = new Map<number, Map<number, number | 'stale'>>()
      for (const step of steps) {
        if (step.do === 'append') {
          for (const [index, value] of step.values.entries()) {
            const timeMs = step.startMs + index * step.stepMs
            const series = model.get(step.series) ?? new Map<number, number | 'stale'>()
            model.set(step.series, series.set(timeMs, value))
            world.store().append(1, labels({ series: `${step.series}` }), timeMs, value)
          }
        } else if (step.do === 'wait') {
          world.setNow((nowMs += step.byMs))
        } else if (step.do === 'forget' && maxBytes !== noRoom) {
          await world.store().pruneOld()
        } else {
          world.store().flush()
          if (step.do === 'reopen') world.reopen()
        }
      }
      const expected = [...model]
        .toSorted(([a], [b]) => a - b)
        .flatMap(([series, samples]) => {
          const seen = [...samples].filter(
            ([timeMs]) => timeMs >= Math.max(fromMs, nowMs - keepMs) && timeMs <= fromMs + longMs,
          )
          return seen.length > 0 ? [[`${series}`, seen.toSorted(([a], [b]) => a - b)]] : []
        })
      const found = select(world.store(), 1, all, fromMs, fromMs + longMs)
      const given = found.map((series) => [series.labels['series'], samplesIn(series)])
      expect(given.toSorted()).toEqual(expected)
      expect(overlaps(world.file())).toEqual([])
    } finally {
      world.close()
    }
  }
  const from = fc.integer({ min: 0, max: 10_000_000 })
  const long = fc.constantFrom(0, 100_000, 1_000_000, 20_000_000)
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), from, long, fc.constantFrom(1e12, noRoom), run), {
    numRuns: 120,
  })
}, 60_000)

function overlaps(file: ReturnType<ReturnType<typeof storeWorld>['file']>) {
  return file
    .prepare(
      'select a.start_ms from chunks a join chunks b using (series_id) where a.start_ms < b.start_ms and a.end_ms >= b.start_ms',
    )
    .all()
}

test('what was appended is seen before it is flushed, and gone with the process', () => {
  const world = storeWorld()
  world.store().append(1, labels({}), 1000, 1)
  world.store().flush()
  world.store().append(1, labels({}), 2000, 2)
  const seen = () => select(world.store(), 1, all, 0, 9000).map(samplesIn)
  expect(seen()).toEqual([
    [
      [1000, 1],
      [2000, 2],
    ],
  ])
  world.reopen()
  expect(seen()).toEqual([[[1000, 1]]])
  world.close()
})

test('what was selected stays as it was, whatever comes then', () => {
  const world = storeWorld()
  world.store().append(1, labels({}), 1000, 1)
  const found = select(world.store(), 1, all, 0, 9000)
  world.store().append(1, labels({}), 1000, 2)
  world.store().append(1, labels({}), 2000, 3)
  expect(found.map(samplesIn)).toEqual([[[1000, 1]]])
  world.close()
})

test('a sample that comes again replaces the one in the head, in the log and in a chunk', () => {
  const world = storeWorld({ maxBytes: noRoom })
  const flush = () => world.store().flush()
  const seen = () => select(world.store(), 1, all, 0, 9000).map(samplesIn)
  for (const again of [
    () => {},
    flush,
    world.reopen,
    () => [flush(), flush()],
    () => [flush(), flush(), world.reopen()],
  ]) {
    for (const value of [1, 2, 'stale', 3] as const) {
      world.store().append(1, labels({}), 1000, value)
      flush()
      again()
      expect(seen()).toEqual([[[1000, value]]])
    }
  }
  world.store().append(1, labels({}), 1000, 4)
  world.store().append(1, labels({}), 1000, 5)
  expect(seen()).toEqual([[[1000, 5]]])
  world.close()
})

test('a flush that fails loses nothing: the next one writes it', () => {
  const world = storeWorld()
  world.store().append(1, labels({}), 1000, 1)
  world.file().pragma('query_only = ON')
  expect(() => world.store().flush()).toThrow('readonly')
  world.file().pragma('query_only = OFF')
  world.store().append(1, labels({}), 2000, 2)
  world.store().flush()
  world.reopen()
  expect(select(world.store(), 1, all, 0, 9000).map(samplesIn)).toEqual([
    [
      [1000, 1],
      [2000, 2],
    ],
  ])
  world.close()
})

test('one organization sees nothing of another', () => {
  const world = storeWorld()
  const shared = labels({ job: 'a' })
  world.store().append(1, shared, 1000, 1)
  world.store().append(2, shared, 1000, 2)
  world.store().append(2, labels({ secret: 'x' }), 1000, 3)
  expect(select(world.store(), 1, all, 0, 9000).map(samplesIn)).toEqual([[[1000, 1]]])
  expect([...world.store().labelNames(1)].toSorted()).toEqual(['__name__', 'job'])
  expect([...world.store().labelValues(1, 'secret')]).toEqual([])
  expect(select(world.store(), 3, all, 0, 9000)).toEqual([])
  expect(world.store().usedBy(3).series).toBe(0)
  world.close()
})

test('a series of which nothing is left is forgotten, and its id is not given again', async () => {
  const world = storeWorld({ keepMs: 1000 })
  world.store().append(1, labels({ job: 'old' }), 0, 1)
  world.store().append(1, labels({ job: 'new' }), 5000, 2)
  world.store().flush()
  world.setNow(5500)
  await world.store().pruneOld()
  expect([...world.store().labelValues(1, 'job')]).toEqual(['new'])
  world.reopen()
  world.store().append(1, labels({ job: 'other' }), 5001, 3)
  world.store().flush()
  world.reopen()
  const seen = select(world.store(), 1, all, 0, 9000).map((series) => [series.labels['job'], samplesIn(series)])
  expect(seen).toEqual([
    ['new', [[5000, 2]]],
    ['other', [[5001, 3]]],
  ])
  world.close()
})

test('a series whose chunks are all too old stays while it has a sample that is in none', async () => {
  const world = storeWorld({ keepMs: 1000 })
  for (let timeMs = 0; timeMs < 400; timeMs += 1) world.store().append(1, labels({}), timeMs, timeMs)
  world.store().flush()
  world.store().append(1, labels({}), 5000, 1)
  world.setNow(5500)
  await world.store().pruneOld()
  expect(world.file().prepare('select * from chunks').all()).toEqual([])
  world.reopen()
  expect(select(world.store(), 1, all, 0, 9000).map(samplesIn)).toEqual([[[5000, 1]]])
  world.close()
})

test('beyond the size bound the oldest go first, and the file gives the room back', async () => {
  const maxBytes = 600_000
  const world = storeWorld({ maxBytes })
  const names = Array.from({ length: 20 }, (_, index) => labels({ series: `${index}` }))
  for (let round = 0; round < 8000; round += 1) {
    for (const name of names) world.store().append(1, name, round * 1000, Math.sin(round))
    if (round % 500 === 499) world.store().flush()
  }
  world.store().flush()
  expect(world.store().usedBytes()).toBeGreaterThan(2 * maxBytes)
  await world.store().pruneOld()
  expect(world.store().usedBytes()).toBeLessThanOrEqual(maxBytes)
  world.file().pragma('wal_checkpoint(TRUNCATE)')
  expect(statSync(join(world.dataDir, 'samples.db')).size).toBeLessThan(1.5 * maxBytes)
  const seen = select(world.store(), 1, all, 0, 1e9).map(samplesIn)
  expect(seen).toHaveLength(20)
  for (const samples of seen) {
    expect(samples.at(-1)?.[0]).toBe(7_999_000)
    expect(samples.map(([timeMs]) => timeMs)).toEqual(
      samples.map((_, index) => 7_999_000 - (samples.length - 1 - index) * 1000),
    )
  }
  world.close()
})
