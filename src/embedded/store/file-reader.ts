import type { SeriesBatch } from '../jobs/messages.ts'
import { damageTranslator } from '../../db/failures/damage.ts'
import { type Connection, Database } from '../../db/sqlite.ts'
import { translateErrors } from '../../db/failures/translate-errors.ts'
import type { Labels } from '../../promql/labels.ts'
import type { Series } from '../promql/reader.ts'
import { type ChunkFile, createChunkFile, type OnDamage, type Selected } from './chunk-file.ts'
import { exactly } from './columns.ts'
import { labelsOfPairs } from './labels.ts'

/** Reads `samples.db` on a connection of its own, beside that of the store that writes it. */
type FileReader = {
  /**
   * The series of a batch, read while they are iterated over, with their samples in [fromMs, toMs] where they have any.
   * `known`: by id what was read of the same times, to which it adds. Throws `databaseDamaged`.
   */
  read(batch: SeriesBatch, fromMs: number, toMs: number, known: Map<number, Series>): Iterable<Series>
  /** The series, since the last call, that have samples which cannot be read. */
  damaged(): number[]
}

type Heads = Pick<SeriesBatch, 'ids' | 'counts' | 'timesMs' | 'values'>

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
    *read(batch, fromMs, toMs, known) {
      const selected = [...selectedOf(batch, toMs)]
      const unread = selected.filter(({ id }) => !known.has(id))
      const labels = unread.length > 0 ? labelsOf(batch.keys) : []
      let place = 0
      const found = chunks.read(unread, fromMs, toMs)
      for (const { id } of selected) {
        const next = known.has(id) ? undefined : found.next()
        if (next?.done === false) known.set(id, { labels: labels[place] ?? {}, ...exactly(next.value) })
        const series = known.get(id)
        if (series && series.timesMs.length > 0) yield series
        place += 1
      }
    },
    damaged() {
      const found = [...damaged]
      damaged = new Set()
      return found
    },
  }
}

function* selectedOf({ ids, counts, timesMs, values }: Heads, toMs: number): Generator<Selected> {
  let from = 0
  for (const [place, id] of ids.entries()) {
    const to = from + (counts[place] ?? 0)
    const head = { timesMs: timesMs.subarray(from, to), values: values.subarray(from, to), length: to - from }
    yield { id, head, toMs }
    from = to
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
