import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openSamples } from '../../../src/db/open-samples.ts'
import { readBackfill } from '../../../src/embedded/exposition/backfill.ts'
import { createSampleStore, type SampleStore } from '../../../src/embedded/store/sample-store.ts'
import { runKit } from '../../../test/support/kit.ts'
import type { Data } from './data.ts'
import type { Row } from './embedded.ts'
import { median } from '../support/load.ts'

const flushEvery = 200_000

export const samplesFolder = (dir: string) => join(dir, 'nines')
export const blocksFolder = (dir: string) => join(dir, 'blocks')

/** Backfills the same text into nines and Prometheus, alternately, in folders of `dir`; compares speed and disk usage. */
export async function compareBlocks(dir: string, data: Data, endMs: number, rounds: number): Promise<Row[]> {
  const text = join(dir, 'metrics.om')
  await data.write(text, endMs)
  const seconds = { nines: [] as number[], prometheus: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const folder of [samplesFolder(dir), blocksFolder(dir)]) rmSync(folder, { recursive: true, force: true })
    seconds.nines.push(await secondsOf(() => backfill(text, samplesFolder(dir), endMs, data.samples)))
    seconds.prometheus.push(await secondsOf(() => runKit('backfill.sh', text, blocksFolder(dir))))
  }
  rmSync(text)
  const rate = (all: number[]) => data.samples / median(all)
  const bytes = (folder: string) => bytesIn(folder) / data.samples
  return [
    { what: 'backfill', unit: 'samples/s', ...compared(seconds, rate), isRate: true },
    {
      what: 'on disk',
      unit: 'bytes a sample',
      nines: bytes(samplesFolder(dir)),
      prometheus: bytes(blocksFolder(dir)),
      goal: 1,
    },
  ]
}

async function backfill(text: string, folder: string, endMs: number, expected: number): Promise<void> {
  const store = openStore(folder, endMs)
  let [count, flushed] = [0, 0]
  for await (const samples of readBackfill(Bun.file(text).stream())) {
    for (const { labels, timestampMs, value } of samples) store.append(1, labels, timestampMs, value)
    count += samples.length
    if (count - flushed < flushEvery) continue
    store.flush()
    flushed = count
  }
  store.close()
  if (count !== expected) throw new Error(`${count} samples, not ${expected}`)
}

/** Opens a store without limits, with a clock that stands at `nowMs`. */
export function openStore(folder: string, nowMs: number): SampleStore {
  mkdirSync(folder, { recursive: true })
  const clock = { now: () => nowMs }
  return createSampleStore({ file: openSamples(folder), clock, keepMs: 1e14, maxBytes: 1e13 })
}

/** Total size of the files in a folder. */
export function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

export function compared<T>(of: { nines: T; prometheus: T }, figure: (one: T) => number) {
  return { nines: figure(of.nines), prometheus: figure(of.prometheus) }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
