import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openSamples } from '../../../src/db/open-samples.ts'
import { readBackfill } from '../../../src/embedded/exposition/backfill.ts'
import { createSampleStore, type SampleStore } from '../../../src/embedded/store/sample-store.ts'
import { runKit } from '../../../test/support/kit.ts'
import type { Dataset } from './data.ts'
import type { ComparisonRow } from './embedded.ts'
import { median } from '../support/load.ts'

const samplesPerFlush = 200_000

/** Folders for the samples of nines and for the blocks of Prometheus, below the folder of a benchmark. */
export const samplesFolder = (dir: string) => join(dir, 'nines')
export const blocksFolder = (dir: string) => join(dir, 'blocks')

/**
 * Backfills the same text into nines and Prometheus, alternately; compares speed and disk usage. The data of the last round
 * remain in `samplesFolder` and `blocksFolder`.
 */
export async function compareBlocks(
  dir: string,
  data: Dataset,
  endMs: number,
  rounds: number,
): Promise<ComparisonRow[]> {
  const textPath = join(dir, 'metrics.om')
  await data.write(textPath, endMs)
  const seconds = { nines: [] as number[], prometheus: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const folder of [samplesFolder(dir), blocksFolder(dir)]) rmSync(folder, { recursive: true, force: true })
    seconds.nines.push(await secondsOf(() => backfill(textPath, samplesFolder(dir), endMs, data.samples)))
    seconds.prometheus.push(await secondsOf(() => runKit('backfill.sh', textPath, blocksFolder(dir))))
  }
  rmSync(textPath)
  const samplesPerSecond = (rounds: number[]) => data.samples / median(rounds)
  const bytesPerSample = (folder: string) => bytesIn(folder) / data.samples
  return [
    { what: 'backfill', unit: 'samples/s', ...figuresOf(seconds, samplesPerSecond), isRate: true },
    {
      what: 'on disk',
      unit: 'bytes a sample',
      nines: bytesPerSample(samplesFolder(dir)),
      prometheus: bytesPerSample(blocksFolder(dir)),
      goal: 1,
    },
  ]
}

/** Backfills a text file into a store in `folder`; throws unless it has `expected` samples. */
async function backfill(textPath: string, folder: string, nowMs: number, expected: number): Promise<void> {
  const store = openStore(folder, nowMs)
  let [count, flushed] = [0, 0]
  for await (const samples of readBackfill(Bun.file(textPath).stream())) {
    for (const { labels, timestampMs, value } of samples) store.append(1, labels, timestampMs, value)
    count += samples.length
    if (count - flushed < samplesPerFlush) continue
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

/** Figure of each of the two systems, computed from its measurements. */
export function figuresOf<T>(measured: { nines: T; prometheus: T }, figureOf: (measurements: T) => number) {
  return { nines: figureOf(measured.nines), prometheus: figureOf(measured.prometheus) }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
