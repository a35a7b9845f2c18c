import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from '../../src/db/open-samples.ts'
import type { Label } from '../../src/embedded/exposition/sample.ts'
import { matcher } from '../../src/embedded/promql/matchers.ts'
import { createSampleStore } from '../../src/embedded/store/sample-store.ts'
import { median } from './load.ts'

const stepMs = 15_000
const hourMs = 3_600_000
const endMs = 1_800_000_000_000
const rounds = 5
const options = { clock: { now: () => endMs }, keepMs: 1e14, maxBytes: 1e13 }

/** Bytes a sample, samples a second in, and how long a select takes, of the store of the embedded source. */
export function benchSamples(): void {
  write('The store of samples, 15 s apart with milliseconds of jitter\n')
  ingestAndSelect(100, 30 * 24 * hourMs)
  manySeries(10_000, hourMs)
}

/** Backfills a long time of a few series, and selects from it. */
function ingestAndSelect(series: number, longMs: number) {
  withStore((open) => {
    let store = open.store()
    const names = named(series)
    const count = series * Math.floor(longMs / stepMs)
    const tookMs = timed(() => {
      for (let at = 0, done = 0; at < longMs; at += stepMs) {
        for (const [index, name] of names.entries())
          store.append(1, name, timeOf(endMs - longMs + at, index), valueOf(at, index))
        done += series
        if (done % 200_000 < series) store.flush()
      }
      store.close()
    })
    write(
      `  in: ${rate(count, tookMs)}, ${count} samples of ${series} series; ${(open.bytes() / count).toFixed(2)} bytes a sample\n`,
    )
    write(`  opened again in ${timed(() => (store = open.store())).toFixed(0)} ms\n`)
    for (const [range, rangeMs] of [
      ['1h', hourMs],
      ['24h', 24 * hourMs],
      ['30d', longMs],
    ] as const) {
      const figures = [2, 10, 100].map((wanted) => {
        const those = [
          matcher('__name__', '=', 'http_requests_total'),
          matcher('code', '=~', `2\\d\\d|${wanted}`),
          matcher(`of_${wanted}`, '=', 'yes'),
        ]
        const times = Array.from({ length: rounds }, () =>
          timed(() => {
            let found = 0
            for (const { timesMs } of store.select(1, those, endMs - rangeMs, endMs)) found += Math.sign(timesMs.length)
            if (found !== wanted) throw new Error(`${found} series, not ${wanted}`)
          }),
        )
        return `${wanted} series ${median(times).toFixed(2)} ms`
      })
      write(`  select ${range}: ${figures.join(', ')}\n`)
    }
    store.close()
  })
}

/** Scrapes very many series for a while, a flush after each. */
function manySeries(series: number, longMs: number) {
  withStore((open) => {
    const store = open.store()
    const names = named(series)
    Bun.gc(true)
    const before = process.memoryUsage().rss
    const flushes: number[] = []
    const tookMs = timed(() => {
      for (let at = 0; at < longMs; at += stepMs) {
        for (const [index, name] of names.entries())
          store.append(1, name, timeOf(endMs - longMs + at, index), valueOf(at, index))
        flushes.push(timed(() => store.flush()))
      }
    })
    Bun.gc(true)
    const memory = (process.memoryUsage().rss - before) / 2 ** 20
    const count = (series * longMs) / stepMs
    write(
      `  scrapes of ${series} series: ${rate(count, tookMs)}, a flush ${median(flushes).toFixed(0)} ms, the longest ${Math.max(...flushes).toFixed(0)} ms; ${memory.toFixed(0)} MB more memory\n`,
    )
    store.close()
  })
}

function withStore(work: (open: { store(): ReturnType<typeof createSampleStore>; bytes(): number }) => void) {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  try {
    work({
      store: () => createSampleStore({ file: openSamples(dataDir), ...options }),
      bytes: () => statSync(join(dataDir, 'samples.db')).size,
    })
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

function named(series: number): Label[][] {
  return Array.from({ length: series }, (_, index) => [
    ['__name__', 'http_requests_total'],
    ['code', index % 10 === 9 ? '200' : `20${index % 5}`],
    ['instance', `10.0.0.${index % 250}:9090`],
    ['path', `/api/v1/${index}`],
    ...[2, 10, 100].flatMap((wanted): Label[] => (index < wanted ? [[`of_${wanted}`, 'yes']] : [])),
  ])
}

function timeOf(atMs: number, index: number): number {
  return atMs + ((index * 137) % stepMs) + Math.floor(3 * noise(atMs / stepMs + index))
}

/** Seven counters of requests in ten, a gauge, a duration to the microsecond, and one that does not change. */
function valueOf(atMs: number, index: number): number {
  const round = atMs / stepMs
  if (index % 10 === 7) return Math.floor(50 * noise(round * 31 + index))
  if (index % 10 === 8) return Math.round(1e6 * (0.02 + 0.01 * noise(round * 17 + index))) / 1e6
  if (index % 10 === 9) return 1
  return round * (100 + index) + Math.floor(80 * noise(round * 7 + index))
}

function noise(seed: number): number {
  const wave = Math.sin(seed * 12.9898) * 43_758.5453
  return wave - Math.floor(wave)
}

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

const rate = (count: number, tookMs: number) => `${Math.round((count / tookMs) * 1000)} samples a second`
const write = (line: string) => void process.stdout.write(line)
