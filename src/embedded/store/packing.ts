import { stopwatch } from '../../clock.ts'
import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Connection } from '../../db/sqlite.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import type { ChunkFile, OnDamage } from './chunk-file.ts'
import { columns } from './columns.ts'
import { maxSamplesOfChunk } from './encoding/chunk.ts'
import { type Heads, readFirst } from './heads.ts'
import type { StoredSeries } from './series.ts'

type Deps = {
  file: Connection
  heads: Heads
  chunks: ChunkFile
  /** Called for a series whose samples are dropped, because there is no undamaged place for them. */
  onDamage: OnDamage
}

/** True for a series that is in the file; chunks may hold samples of such series only. */
type IsStored = (series: StoredSeries) => boolean

/** Moves heads that are full, or old in the log, into chunks. */
type Packer = {
  /**
   * Packs in short transactions. After each, a sample is in a head, in a chunk, or in both, where it counts once. Stops after
   * `maxChunksPerRun` chunks; true if more is due then. Heads that begin in log row `firstRow` or later are not old.
   */
  packing(firstRow: number, isStored: IsStored): CooperativeTask<boolean>
}

/** Chunks per transaction, which take a few milliseconds: a late sample packs a whole chunk again. */
export const maxChunksPerTransaction = 32
const maxChunksPerRun = 512
const maxTransactionMs = 4

export function createPacker({ file, heads, chunks, onDamage }: Deps): Packer {
  const samples = columns(maxSamplesOfChunk) // reused for all
  const stuck = new WeakSet<StoredSeries>()

  /** Packs these heads, in order, as far as one transaction allows; gives the number of chunks. */
  function packSome(due: readonly StoredSeries[]): number {
    const endMs = stopwatch.now() + maxTransactionMs
    const wholeSeries: StoredSeries[] = []
    let partial: { series: StoredSeries; packed: number } | undefined
    let written = 0
    const isOver = () => written >= maxChunksPerTransaction || stopwatch.now() > endMs
    withoutSync(file, () => {
      for (const series of due) {
        if (!series.head || isOver()) break
        readFirst(series.head, samples, maxChunksPerTransaction * maxSamplesOfChunk)
        let packed = 0
        for (packed of chunks.packing(series.id, samples)) {
          written += 1
          if (isOver()) break
        }
        if (packed < series.head.length) partial = { series, packed }
        else wholeSeries.push(series)
      }
    })
    for (const series of wholeSeries) heads.drop(series)
    if (partial) heads.removeFirst(partial.series, partial.packed)
    return written
  }

  const isStuck = (series: StoredSeries, isOld: boolean) => stuck.has(series) && !isOld

  /** Keeps a head without an undamaged place until it is old in the log. It is tried once more then, and dropped if that fails. */
  function giveUp(series: StoredSeries, isOld: boolean): void {
    stuck.add(series)
    if (!isOld) {
      heads.postpone(series)
      return
    }
    onDamage(series.id)
    heads.drop(series)
  }

  return {
    *packing(firstRow, isStored) {
      const isOld = ({ head }: StoredSeries) => (head?.firstLog ?? firstRow) < firstRow
      let singleSteps = 0 // steps left with one series each, because damage ends a transaction
      for (let written = 0; file.open && written < maxChunksPerRun; yield) {
        const due = heads.due(firstRow, singleSteps > 0 ? 1 : maxChunksPerTransaction, isStored)
        const [first, ...others] = due
        if (!first) return false
        for (const series of due) if (isStuck(series, isOld(series))) heads.postpone(series)
        const packable = due.filter((series) => !isStuck(series, isOld(series)))
        singleSteps -= 1
        try {
          written += packSome(packable)
        } catch (error) {
          if (!isDatabaseDamaged(error)) throw error
          written += 1
          if (others.length > 0) singleSteps = due.length
          else giveUp(first, isOld(first))
        }
      }
      return file.open
    },
  }
}

/**
 * Runs a transaction whose commit does not wait for the disk. What it loses in a power cut is in the log, whose commits wait.
 */
export function withoutSync(file: Connection, write: () => void): void {
  file.pragma('synchronous = NORMAL')
  try {
    file.transaction(write)()
  } finally {
    file.pragma('synchronous = FULL')
  }
}
