import type { SeriesBatch } from '../jobs/messages.ts'
import { damageTranslator } from '../../db/failures/damage.ts'
import { type Connection, Database } from '../../db/sqlite.ts'
import { translateErrors } from '../../db/failures/translate-errors.ts'
import type { Labels } from '../../promql/labels.ts'
import type { Series } from '../promql/reader.ts'
import { type ChunkFile, createChunkFile, type OnDamage, type Selected } from './chunk-file.ts'
import { withoutSpare } from './columns.ts'
import { labelsOfPairs } from './labels.ts'

/** Reads `samples.db` on a connection of its own; the store writes the file on another one. */
type FileReader = {
  /**
   * Series of a batch, read during iteration, with their samples in [fromMs, toMs]; skips series without any. `seriesById`:
   * series read before with the same times; is extended. Throws `databaseDamaged`.
   */
  read(batch: SeriesBatch, fromMs: number, toMs: number, seriesById: Map<number, Series>): Iterable<Series>
  /** Series with samples that cannot be read, found since the last call. */
  damaged(): number[]
}

type Heads = Pick<SeriesBatch, 'ids' | 'counts' | 'timesMs' | 'values'>

const readers = new Map<string, FileReader>()

/** Reader of a file: one for each, for the lifetime of the thread. */
export function fileReader(path: string): FileReader {
  return readers.getOrInsertComputed(path, createFileReader)
}

function createFileReader(path: string): FileReader {
  let damaged = new Set<number>()
  const file = new Database(path, { readonly: true, fileMustExist: true })
  translateErrors(
    file,
    damageTranslator('samples.db', () => {}),
  ) // the thread that sent the job reports damage
  const chunks = openChunks(file, (id) => damaged.add(id))
  return {
    /**
     * The heads were copied before the chunks are read here, and a head is written to a chunk before it is dropped: no sample
     * is missing. A sample in both counts once, because merging replaces samples at the same time.
     */
    *read(batch, fromMs, toMs, known) {
      const selected = [...selectedOf(batch, toMs)]
      const unread = selected.filter(({ id }) => !known.has(id))
      const labels = unread.length > 0 ? labelsOf(batch.keys) : []
      let index = 0
      const samplesOfSeries = chunks.read(unread, fromMs, toMs)
      for (const { id } of selected) {
        const next = known.has(id) ? undefined : samplesOfSeries.next()
        if (next?.done === false) known.set(id, { labels: labels[index] ?? {}, ...withoutSpare(next.value) })
        const series = known.get(id)
        if (series && series.timesMs.length > 0) yield series
        index += 1
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
  for (const [index, id] of ids.entries()) {
    const to = from + (counts[index] ?? 0)
    const head = { timesMs: timesMs.subarray(from, to), values: values.subarray(from, to), length: to - from }
    yield { id, head, toMs }
    from = to
  }
}

function openChunks(file: Connection, onDamage: OnDamage): ChunkFile {
  try {
    return createChunkFile(file, onDamage)
  } catch (error) {
    file.close()
    throw error
  }
}

/** Labels of each key in a JSON list. */
export function labelsOf(keys: string): Labels[] {
  return (JSON.parse(keys) as [string, string][][]).map(labelsOfPairs)
}
