import type { SeriesBatch } from '../jobs/messages.ts'
import { damageTranslator } from '../../db/failures/damage.ts'
import { type Connection, Database } from '../../db/sqlite.ts'
import { translateErrors } from '../../db/failures/translate-errors.ts'
import type { Labels } from '../../promql/labels.ts'
import type { Series } from '../promql/reader.ts'
import { type ChunkFile, createChunkFile, type OnDamage } from './chunk-file.ts'
import { columns, merged, placeOf } from './columns.ts'
import { labelsOfPairs } from './labels.ts'

/** Reads `samples.db` on a connection of its own, beside that of the store that writes it. */
type FileReader = {
  /**
   * The series of a batch, each read when it is iterated to, with its samples in [fromMs, toMs] where it has any. Throws
   * `databaseDamaged`.
   */
  read(batch: SeriesBatch, fromMs: number, toMs: number): Iterable<Series>
  /** The series, since the last call, that have samples which cannot be read. */
  damaged(): number[]
}

const readers = new Map<string, FileReader>()

/** One for each file, as long as the thread. */
export function fileReader(path: string): FileReader {
  return readers.getOrInsertComputed(path, createFileReader)
}

function createFileReader(path: string): FileReader {
  let damaged = new Set<number>()
  const file = new Database(path, { readonly: true, fileMustExist: true })
  translateErrors(
    file,
    damageTranslator('samples.db', () => {}),
  ) // the thread that sent the job reports it
  const chunks = preparedOn(file, (id) => damaged.add(id))
  return {
    /**
     * What the heads had is copied before the chunks are read here, and a head goes into a chunk before it is dropped: no
     * sample is missed. One that is in both is there once, because merging replaces what has the same time.
     */
    *read({ ids, keys, counts, timesMs, values }, fromMs, toMs) {
      let at = 0
      for (const [place, labels] of labelsOf(keys).entries()) {
        const count = counts[place] ?? 0
        const head = columns(0)
        head.timesMs = timesMs.subarray(at, at + count)
        head.values = values.subarray(at, at + count)
        head.length = count
        at += count
        const all = merged(chunks.read(ids[place] ?? 0, fromMs, toMs, count), head)
        const [from, to] = [placeOf(all, fromMs), placeOf(all, toMs + 1)] // times are whole milliseconds
        if (to > from) yield { labels, timesMs: all.timesMs.subarray(from, to), values: all.values.subarray(from, to) }
      }
    },
    damaged() {
      const found = [...damaged]
      damaged = new Set()
      return found
    },
  }
}

function preparedOn(file: Connection, onDamage: OnDamage): ChunkFile {
  try {
    return createChunkFile(file, onDamage)
  } catch (error) {
    file.close()
    throw error
  }
}

/** The labels of each key in a list. */
export function labelsOf(keys: string): Labels[] {
  return (JSON.parse(keys) as [string, string][][]).map(labelsOfPairs)
}
