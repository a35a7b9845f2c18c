import { afterEach, beforeEach, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Imported, importSamples } from '../../src/embedded/import-samples.ts'
import { AppError } from '../../src/errors.ts'
import { samplesIn, select, storeWorld, where } from './store/store-world.ts'

const dayMs = 86_300_000
const nowMs = 1_795_255_200_000
const now = nowMs / 1000
const keepMs = 100 * dayMs

let world: ReturnType<typeof storeWorld>
beforeEach(() => {
  world = storeWorld({ keepMs, maxBytes: 2_000_000 })
  world.setNow(nowMs)
})
afterEach(() => world.close())

type Also = { flushEvery?: number; onProgress?: (imported: Imported) => void }

/** Imports these pieces; an `Error` among them is thrown instead. */
async function imports(pieces: (string | Error)[], also: Also = {}): Promise<Imported> {
  async function* chunks() {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece
      yield Buffer.from(piece)
    }
  }
  const clock = { now: () => nowMs }
  return importSamples({ store: world.store(), organizationId: 1, chunks: chunks(), clock, keepMs, ...also })
}

/** All samples of a metric, by the label `l`. */
function stored(metric: string, organizationId = 1) {
  const found = select(world.store(), organizationId, [where('__name__', '=', metric)], 0, 1e15)
  return Object.fromEntries([...found].map((series) => [series.labels['l'] ?? '', samplesIn(series)]))
}

async function complaint(importing: Promise<unknown>): Promise<string> {
  const error = await importing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof AppError) return `${error.details}`
  throw error ?? new Error('nothing was refused')
}

const two = ['# TYPE m gauge\nm{l="a"} 1 ', `${now - 60}\nm{l="b"} 5 ${now}\nm{l="a"} `, `2.5 ${now}\n# EOF\n`]

test('what a file says is in the store, for its organization, and on disk', async () => {
  const imported = await imports(two)
  expect(imported).toEqual({ samples: 3, series: 2, tooOld: 0, tooNew: 0, firstMs: nowMs - 60_000, lastMs: nowMs })
  world.reopen()
  const a: [number, number][] = [
    [nowMs - 60_000, 1],
    [nowMs, 2.5],
  ]
  expect(stored('m')).toEqual({ a, b: [[nowMs, 5]] })
  expect(stored('m', 2)).toEqual({})
})

test('a file without samples gives none', async () => {
  expect(await imports(['# EOF\n'])).toMatchObject({ samples: 0, series: 0, firstMs: null, lastMs: null })
})

/** A counter with one sample a minute. */
function steps(count: number): [number, number][] {
  return Array.from({ length: count }, (_, at) => [nowMs - 60_000 * (count - at), at * 3])
}

/** Three such series, one after the other. */
function longFile(count: number, order: 'forwards' | 'backwards'): string[] {
  const some = order === 'forwards' ? steps(count) : steps(count).toReversed()
  return ['a', 'b', 'c'].flatMap((l) => some.map(([timeMs, value]) => `m{l="${l}"} ${value} ${timeMs / 1000}\n`))
}

test('the order makes no difference, and neither does a second time', async () => {
  const lines = longFile(5000, 'backwards')
  const mixed = lines.map((_, at) => lines[(at * 7919) % lines.length] ?? '')
  const bytes: number[] = []
  for (const some of [mixed, mixed, longFile(5000, 'forwards')]) {
    expect((await imports([...some, '# EOF\n'], { flushEvery: 1000 })).samples).toBe(15_000)
    bytes.push(world.store().usedBytes())
    world.reopen()
    const found = stored('m')
    expect(Object.keys(found)).toEqual(['a', 'b', 'c'])
    for (const samples of Object.values(found)) expect(samples).toEqual(steps(5000))
  }
  const [first = 0, second = 0] = bytes
  expect(second).toBeLessThan(first * 1.2)
})

test('a sample at a time that is there is replaced, wherever it came from', async () => {
  world.store().append(1, [['__name__', 'm']], nowMs, 7)
  await imports([`m 8 ${now}\nm 9 ${now}\n# EOF\n`])
  expect(stored('m')).toEqual({ '': [[nowMs, 9]] })
})

test('what the store would not keep, and what is in the future, is counted and left out', async () => {
  const [oldest, newest] = [now - keepMs / 1000, now + 600]
  const lines = [
    `m 1 ${oldest - 0.001}`,
    `m 2 ${oldest}`,
    `m 3 ${newest}`,
    `m 4 ${newest + 0.001}`,
    `m{l="ms"} 5 ${nowMs}`,
  ]
  const imported = await imports([`${lines.join('\n')}\n# EOF\n`])
  expect(imported).toEqual({
    samples: 2,
    series: 1,
    tooOld: 1,
    tooNew: 2,
    firstMs: nowMs - keepMs,
    lastMs: newest * 1000,
  })
  expect(stored('m')).toEqual({
    '': [
      [nowMs - keepMs, 2],
      [newest * 1000, 3],
    ],
  })
})

test('a bad line is named, and what was read before it is on disk and said to be', async () => {
  const told: number[] = []
  const onProgress = ({ samples }: Imported) => void told.push(samples)
  const pieces = [`m 1 ${now - 60}\nm 2 ${now - 30}\n`, `m 3 ${now}\n`, 'm three\n# EOF\n']
  expect(await complaint(imports(pieces, { flushEvery: 2, onProgress }))).toBe(
    'line 4: expected a space and a number, found " three"',
  )
  expect(told).toEqual([2, 3])
  world.reopen()
  expect(stored('m')['']).toHaveLength(3)
})

test('so it is where reading fails', async () => {
  await expect(imports([`m 1 ${now}\n`, new Error('the disk is gone')])).rejects.toThrow('the disk is gone')
  world.reopen()
  expect(stored('m')).toEqual({ '': [[nowMs, 1]] })
})

test('progress is reported after each flush, of what is on disk', async () => {
  const told: [number, number][] = []
  const log = world.file().prepare<[], number>('select coalesce(sum(length(samples) / 20), 0) from log').pluck()
  const onProgress = ({ samples }: Imported) => void told.push([samples, log.get() ?? 0])
  await imports([...longFile(10, 'forwards'), '# EOF\n'], { flushEvery: 12, onProgress })
  expect(told).toEqual([12, 24, 30].map((samples) => [samples, samples]))
})

test('a label beyond what the store takes is refused with its line', async () => {
  expect(await complaint(imports([`m 1 ${now}\nm{l="${'x'.repeat(2049)}"} 1 ${now}\n# EOF\n`]))).toStartWith(
    'line 2: expected a value of at most 2048 characters',
  )
})

test('a file does not make the store larger than it may be, and its newest samples stay', async () => {
  const noise = (at: number) => Math.sin(at) // eight bytes per sample
  const lines = Array.from({ length: 300_000 }, (_, at) => `m{l="${at % 40}"} ${noise(at)} ${now - (300_000 - at)}\n`)
  await imports(
    [...Array.from({ length: 30 }, (_, at) => lines.slice(at * 10_000, (at + 1) * 10_000).join('')), '# EOF\n'],
    {
      flushEvery: 10_000,
    },
  )
  expect(world.store().usedBytes()).toBeLessThanOrEqual(2_000_000)
  const kept = stored('m')['39'] ?? []
  expect(kept.length).toBeGreaterThan(1000)
  expect(kept.at(-1)).toEqual([nowMs - 1000, noise(299_999)])
  world.file().pragma('wal_checkpoint(TRUNCATE)')
  expect(statSync(join(world.dataDir, 'samples.db')).size).toBeLessThan(6_000_000)
})
