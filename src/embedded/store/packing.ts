import { stopwatch } from '../../clock.ts'
import type { Steps } from '../../concurrency/steps.ts'
import type { Connection } from '../../db/sqlite.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import type { ChunkFile, OnDamage } from './chunk-file.ts'
import { columns } from './columns.ts'
import { largestChunk } from './encoding/chunk.ts'
import { type Heads, readFirst } from './heads.ts'
import type { Series } from './series.ts'

type Deps = {
  file: Connection
  heads: Heads
  chunks: ChunkFile
  /** Called for a series whose samples are given up, because there is no place for them that is not damaged. */
  onDamage: OnDamage
}

/** True for series that the file has, whose samples are all that a chunk may hold. */
type IsStored = (series: Series) => boolean

/** Moves heads that are full, or old in the log, into chunks. */
type Packing = {
  /**
   * In short transactions, each of which leaves samples in a head, in chunks, or in both, where they count once. Stops after
   * `maxOfRun` chunks, and says whether more is due then. What is only as old as row `firstRow` of the log stays.
   */
  packing(firstRow: number, isStored: IsStored): Steps<boolean>
}

/** A sample that comes late has a whole chunk packed again: as many as take a few milliseconds. */
export const maxOfTransaction = 32
const maxOfRun = 512
const maxMs = 4

export function createPacking({ file, heads, chunks, onDamage }: Deps): Packing {
  const samples = columns(largestChunk) // the same memory for all
  const stuck = new WeakSet<Series>()

  /** Packs of these heads, in order, what one transaction takes; gives how many chunks that were. */
  function packSome(due: readonly Series[]): number {
    const endMs = stopwatch.now() + maxMs
    const whole: Series[] = []
    let rest: { series: Series; packed: number } | undefined
    let written = 0
    const isOver = () => written >= maxOfTransaction || stopwatch.now() > endMs
    withoutWaiting(file, () => {
      for (const series of due) {
        if (!series.head || isOver()) break
        readFirst(series.head, samples, maxOfTransaction * largestChunk)
        let packed = 0
        for (packed of chunks.writing(series.id, samples)) {
          written += 1
          if (isOver()) break
        }
        if (packed < series.head.length) rest = { series, packed }
        else whole.push(series)
      }
    })
    for (const series of whole) heads.drop(series)
    if (rest) heads.removeFirst(rest.series, rest.packed)
    return written
  }

  const isHopeless = (series: Series, isOld: boolean) => stuck.has(series) && !isOld

  /** A head for whose chunk there is no place stays as long as the log has room for it, and is tried once more then. */
  function giveUp(series: Series, isOld: boolean): void {
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
      const isOld = ({ head }: Series) => (head?.firstLog ?? firstRow) < firstRow
      let alone = 0 // SQLite ends a transaction that meets damage: so many steps are of a single series
      for (let written = 0; file.open && written < maxOfRun; yield) {
        const due = heads.due(firstRow, alone > 0 ? 1 : maxOfTransaction, isStored)
        const [first, ...others] = due
        if (!first) return false
        for (const series of due) if (isHopeless(series, isOld(series))) heads.postpone(series)
        const hopeful = due.filter((series) => !isHopeless(series, isOld(series)))
        alone -= 1
        try {
          written += packSome(hopeful)
        } catch (error) {
          if (!isDatabaseDamaged(error)) throw error
          written += 1
          if (others.length > 0) alone = due.length
          else giveUp(first, isOld(first))
        }
      }
      return file.open
    },
  }
}

/** A transaction whose commit does not wait for the disk: the log, whose commits do, has what it loses in a power cut. */
export function withoutWaiting(file: Connection, write: () => void): void {
  file.pragma('synchronous = NORMAL')
  try {
    file.transaction(write)()
  } finally {
    file.pragma('synchronous = FULL')
  }
}
