import { afterEach, beforeEach, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { runSync } from '../../../src/concurrency/cooperative.ts'
import type { Connection } from '../../../src/db/sqlite.ts'
import { createChunkFile } from '../../../src/embedded/store/chunk-file.ts'
import { countIn } from '../../../src/embedded/store/encoding/chunk.ts'
import { createHeads } from '../../../src/embedded/store/heads.ts'
import { defaultLabelLimits } from '../../../src/embedded/store/labels.ts'
import { createLogFile } from '../../../src/embedded/store/log-file.ts'
import { createSeriesIndex } from '../../../src/embedded/store/series-index.ts'
import { createSampleWriter } from '../../../src/embedded/store/writing.ts'
import { labels, samplesIn, select, storeWorld, where } from './store-world.ts'

const maxOfTransaction = 32
const perChunk = 240

let world: ReturnType<typeof storeWorld>
beforeEach(() => {
  world = storeWorld()
})
afterEach(() => world.close())

/** As if nothing had to be sent on. */
const notSent = { *leavingLog() {}, minNextRow: () => 0 }

/** The write path into the world's file, with steps that the test runs one by one. */
function openWriting(file: Connection = world.file()) {
  const onDamage = () => {}
  const index = createSeriesIndex(defaultLabelLimits, Number(file.prepare('select max(id) from series').pluck().get()))
  const [heads, chunks, log] = [createHeads(), createChunkFile(file, onDamage), createLogFile(file)]
  const clock = { now: () => 0 }
  const writing = createSampleWriter({
    file,
    clock,
    index,
    heads,
    chunks,
    log,
    outgoing: notSent,
    maxBytes: 1e12,
    onDamage,
  })
  runSync(writing.restoring())
  return {
    append: (job: number, timeMs: number, value: number) =>
      writing.append(index.ensure(1, labels({ job: `${job}` })), timeMs, value),
    /** Number of samples in heads. */
    inHeads: () => [...heads.all()].reduce((sum, { head }) => sum + (head?.length ?? 0), 0),
    /** Runs some steps of one flush; the first one writes the log. */
    begin(steps: number) {
      const flushing = writing.flushing()
      for (let step = 0; step < steps; step += 1) flushing.next()
    },
    /** Runs all steps until nothing is due. */
    flush(afterStep: () => void = () => {}) {
      for (let isMore = true; isMore;) {
        const steps = writing.flushing()
        for (let step = steps.next(); ; step = steps.next()) {
          afterStep()
          if (step.done === true) {
            isMore = step.value
            break
          }
        }
      }
    },
  }
}

const count = (sql: string) => Number(world.file().prepare(sql).pluck().get())

/** Appends so many whole chunks to each of so many series, one sample every ten seconds. */
function fill(writing: ReturnType<typeof openWriting>, series: number, chunks: number): void {
  for (let job = 0; job < series; job += 1) {
    for (let at = 0; at < chunks * perChunk; at += 1) writing.append(job, at * 10_000, at)
  }
  writing.flush()
  expect(count('select count(*) from chunks')).toBe(series * chunks)
}

test('late samples have few chunks rewritten in each transaction, and each of these chunks once', () => {
  const [series, chunks, late] = [20, 40, 8]
  const writing = openWriting()
  fill(writing, series, chunks)
  for (let job = 0; job < series; job += 1) {
    for (let at = 0; at < chunks * late; at += 1) {
      const chunk = at % chunks
      writing.append(job, (chunk * perChunk + 20 * Math.floor(at / chunks)) * 10_000 + 1, at)
    }
  }
  const rewritten: number[] = []
  let before = count('select total_changes()')
  writing.flush(() => {
    const now = count('select total_changes()')
    rewritten.push(Math.floor((now - before) / 2)) // of a chunk and of its organization's byte count
    before = now
  })
  expect(Math.max(...rewritten)).toBeLessThanOrEqual(maxOfTransaction)
  const sum = rewritten.reduce((all, one) => all + one, 0)
  expect(sum).toBeGreaterThanOrEqual(series * chunks)
  expect(sum).toBeLessThan(series * chunks + 20) // plus series and rows of the log
  expect(rewritten.length).toBeGreaterThan((series * chunks) / maxOfTransaction)
  expect(count('select count(*) from chunks')).toBe(series * chunks)
  expect(count('select count(*) from log')).toBe(0)
})

test('a head of many samples is packed in steps, after each of which every sample is there once', () => {
  const rounds = 50_000
  const writing = openWriting()
  for (let at = 0; at < rounds; at += 1) writing.append(0, at * 1000, at)
  const chunks = [0]
  writing.flush(() => {
    const all = world.file().prepare<[], Uint8Array>('select samples from chunks').pluck().all()
    expect(all.reduce((sum, chunk) => sum + countIn(chunk), writing.inHeads())).toBe(rounds)
    chunks.push(all.length)
  })
  const made = chunks.slice(1).map((now, step) => now - (chunks[step] ?? 0))
  expect(Math.max(...made)).toBeLessThanOrEqual(maxOfTransaction)
  expect(made.length).toBeGreaterThan(rounds / perChunk / maxOfTransaction)
  world.reopen()
  const [found] = select(world.store(), 1, [where('job', '=', '0')], 0, 1e15)
  expect(found && samplesIn(found)).toEqual(Array.from({ length: rounds }, (_, at) => [at * 1000, at]))
})

test('only commits of the log wait for the disk, and each of these does', () => {
  const file = world.file()
  const waits = () => file.pragma('synchronous', { simple: true })
  const commits = new Set<string>()
  const transaction = (work: () => unknown) => () => {
    const before = ['log', 'chunks'].map((table) => count(`select count(*) from ${table}`))
    file.transaction(work)()
    for (const [at, table] of ['log', 'chunks'].entries()) {
      if (count(`select count(*) from ${table}`) > (before[at] ?? 0)) commits.add(`${table} ${waits()}`)
    }
  }
  const watched = new Proxy(file, {
    get(_, name) {
      if (name === 'transaction') return transaction
      const value: unknown = Reflect.get(file, name)
      return typeof value === 'function' ? value.bind(file) : value
    },
  })
  const writing = openWriting(watched)
  for (let at = 0; at < 100_000; at += 1) writing.append(0, at, at)
  writing.flush(() => expect(waits()).toBe(2))
  const [normal, full] = [1, 2] // SQLite's numbers
  expect([...commits]).toEqual([`log ${full}`, `chunks ${normal}`])
})

test('what is packed is as many bytes of its organization as it takes, however it came', () => {
  const writing = openWriting()
  fill(writing, 3, 5)
  for (let at = 0; at < 900; at += 1) writing.append(at % 3, ((at * 7919) % (5 * perChunk)) * 10_000 + 5, Math.sin(at))
  writing.flush()
  expect(count('select bytes from chunk_bytes')).toBe(count('select sum(length(samples)) from chunks'))
})

type Step =
  { do: 'append'; job: number; from: number; by: number; count: number } | { do: 'pack' | 'kill'; steps: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      job: fc.integer({ min: 0, max: 3 }),
      from: fc.integer({ min: 0, max: 20_000 }),
      by: fc.constantFrom(1, 1, -1, 97, 0),
      count: fc.integer({ min: 1, max: 3000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('pack' as const, 'kill' as const),
      steps: fc.integer({ min: 1, max: 6 }),
    }),
  },
)

test('a kill after any step of packing loses nothing that the log had, and doubles nothing', () => {
  const run = (steps: Step[]) => {
    const own = storeWorld()
    let writing = openWriting(own.file())
    const model = new Map<number, Map<number, number>>()
    let values = 0
    try {
      for (const step of [...steps, { do: 'kill' as const, steps: 1 }]) {
        if (step.do === 'append') {
          const samples = model.get(step.job) ?? new Map<number, number>()
          model.set(step.job, samples)
          for (let at = 0; at < step.count; at += 1) {
            const timeMs = Math.max(0, step.from + at * step.by) * 1000
            samples.set(timeMs, (values += 1))
            writing.append(step.job, timeMs, values)
          }
        } else {
          writing.begin(step.steps)
          if (step.do === 'pack') continue
          own.reopen()
          for (const [job, samples] of model) {
            const [found] = select(own.store(), 1, [where('job', '=', `${job}`)], 0, 1e15)
            expect(found && samplesIn(found)).toEqual([...samples].toSorted(([a], [b]) => a - b))
          }
          writing = openWriting(own.file())
        }
      }
    } finally {
      own.close()
    }
  }
  fc.assert(fc.property(fc.array(step, { minLength: 3, maxLength: 14 }), run), { numRuns: 15 })
}, 30_000)
