import type { Connection } from '../../db/sqlite.ts'
import { AppError, databaseDamaged, isDatabaseDamaged } from '../../errors.ts'
import { maxSamplesOfChunk, packChunk, unpackChunk } from './encoding/chunk.ts'
import { largestInteger } from './encoding/integers.ts'
import { type Columns, columns, merged, mergedWithin, lowerBound, range } from './columns.ts'

/** Samples of a full chunk: an hour at a 15-second interval. */
const fullChunkLength = 240

/** A chunk with fewer samples is packed again with those that follow. */
const smallChunkLength = fullChunkLength / 2

/** Series read with one statement if each has one chunk; fewer if each may have more. */
const maxSeries = 512
/** Time that a full chunk usually covers. */
const usualChunkMs = 60 * 60 * 1000

/** Capacity in samples up to which the buffer shared by all reads is kept. */
const maxKept = 65_536

type Row = { start_ms: number; end_ms: number; samples: Uint8Array }

/** Called for a series with a chunk that cannot be unpacked. */
export type OnDamage = (seriesId: number) => void

/** A series to read. Samples after `toMs` are invisible. */
export type Selected = { id: number; head: Columns; toMs: number }

export type ChunkKey = { seriesId: number; startMs: number }
export type FirstChunk = ChunkKey & { endMs: number }

/** Chunks of all series in `samples.db`. The caller opens transactions. */
export type ChunkFile = {
  /**
   * Packs sorted samples into the chunks of their series, but not into a damaged one; for equal times, the new sample wins.
   * After each chunk that is rewritten or new, yields the number of samples packed so far. All of these are in whole chunks
   * then, so a transaction may end there.
   */
  packing(seriesId: number, samples: Columns): Generator<number, void>
  /**
   * Samples of each series in [fromMs, toMs], from its chunks and its head, in the order of `series`. Throws `databaseDamaged`
   * if a chunk cannot be read, because results without it would be wrong. Throws `too_large` if one statement finds `maxChunks`
   * or more.
   */
  read(series: Iterable<Selected>, fromMs: number, toMs: number, maxChunks?: number): Generator<Columns>
  /** Samples of the last chunk of a series; undefined if there is no chunk, or the last one is damaged. */
  last(seriesId: number): Columns | undefined
  has(seriesId: number): boolean
  /** First chunk of each of these series, sorted by end; leaves out chunks that cannot be read. */
  firstChunksOf(seriesIds: readonly number[]): FirstChunk[]
  remove(chunk: ChunkKey): void
  /** At most `max` chunks that end before a time, sorted by end, without the first `skip`. */
  oldest(beforeMs: number, max: number, skip: number): ChunkKey[]
}

export function createChunkFile(file: Connection, onDamage: OnDamage): ChunkFile {
  const lastBefore = file.prepare<[number, number], Row>(
    'select start_ms, end_ms, samples from chunks where series_id = ? and start_ms <= ? order by start_ms desc limit 1',
  )
  const startAfter = file
    .prepare<[number, number], number>(
      'select start_ms from chunks where series_id = ? and start_ms > ? order by start_ms limit 1',
    )
    .pluck()
  // A single statement for many series, because a call costs ten times what it reads. Rows come in the order of the ids.
  const chunksWithin = file
    .prepare<[ids: string, toMs: number, fromMs: number, fromMs: number, max: number], [number, Uint8Array]>(
      `select series_id, samples from json_each(?) as selected cross join chunks
      on series_id = selected.value and start_ms <= ? and start_ms >= coalesce(
        (select start_ms from chunks where series_id = selected.value and start_ms <= ? order by start_ms desc limit 1), ?)
      limit ?`,
    )
    .raw()
  const insert = file.prepare('insert into chunks (series_id, start_ms, end_ms, samples) values (?, ?, ?, ?)')
  const replace = file.prepare('update chunks set samples = ? where series_id = ? and start_ms = ?')
  const remove = file.prepare('delete from chunks where series_id = ? and start_ms = ?')
  const anyChunk = file.prepare('select 1 from chunks where series_id = ? limit 1')
  const first = file.prepare<[number], { start_ms: number; end_ms: number }>(
    'select start_ms, end_ms from chunks where series_id = ? order by start_ms limit 1',
  )
  const oldest = file.prepare<[number, number, number], ChunkKey>(
    'select series_id as seriesId, start_ms as startMs from chunks where end_ms < ? order by end_ms limit ? offset ?',
  )

  let unpacked = columns(maxSamplesOfChunk) // shared, because a query reads thousands of series

  function unpack(seriesId: number, chunk: Uint8Array, into: Columns): Columns {
    try {
      unpackChunk(chunk, into)
    } catch (cause) {
      onDamage(seriesId)
      throw databaseDamaged('samples.db', cause)
    }
    return into
  }

  /** Samples of a chunk; undefined if it is damaged. */
  function unpackRow(seriesId: number, row: Row): Columns | undefined {
    return unlessDamaged(() => unpack(seriesId, row.samples, columns(maxSamplesOfChunk)))
  }

  /** Replaces a chunk in place if its times still fit, because no index is touched then. */
  function rewrite(seriesId: number, row: Row, samples: Columns): void {
    const fitsInPlace = samples.timesMs[samples.length - 1] === row.end_ms && samples.length <= maxSamplesOfChunk
    if (fitsInPlace) {
      replace.run(packChunk(samples), seriesId, row.start_ms)
      return
    }
    remove.run(seriesId, row.start_ms)
    insertAll(seriesId, samples)
  }

  function insertAll(seriesId: number, samples: Columns) {
    for (let from = 0; from < samples.length;) {
      const to = endOfChunk(samples, from)
      const [start, end] = [samples.timesMs[from], samples.timesMs[to - 1]]
      insert.run(seriesId, start, end, packChunk(slice(samples, from, to)))
      from = to
    }
  }

  return {
    *packing(seriesId, samples) {
      for (let from = 0; from < samples.length;) {
        const first = samples.timesMs[from] ?? 0
        const next = startAfter.get(seriesId, first)
        const to = Math.min(endOfChunk(samples, from), next === undefined ? Infinity : lowerBound(samples, next))
        const added = slice(samples, from, to)
        const row = lastBefore.get(seriesId, first)
        const previous = row && unpackRow(seriesId, row)
        if (row && previous && (row.end_ms >= first || previous.length < smallChunkLength)) {
          rewrite(seriesId, row, merged(previous, added))
        } else {
          if (row?.start_ms === first) remove.run(seriesId, first) // damaged; a series has one chunk per start time
          insertAll(seriesId, added)
        }
        from = to
        yield from
      }
    },
    *read(series, fromMs, toMs, maxChunks = Infinity) {
      const seriesPerStatement = Math.max(
        1,
        Math.min(maxSeries, Math.floor((maxSeries * usualChunkMs) / (toMs - fromMs))),
      )
      for (const piece of inBatches(series, seriesPerStatement)) {
        const ids = `[${piece.map(({ id }) => id).join()}]`
        const rows = chunksWithin.all(ids, toMs, fromMs, fromMs, maxChunks === Infinity ? -1 : maxChunks)
        if (rows.length >= maxChunks) throw new AppError('too_large', 'Too many chunks')
        let next = 0
        for (const { id, head, toMs: visibleToMs } of piece) {
          if (unpacked.timesMs.length > maxKept) unpacked = columns(0)
          unpacked.length = 0
          for (let row = rows[next]; row?.[0] === id; row = rows[next]) {
            unpack(id, row[1], unpacked)
            next += 1
          }
          yield mergedWithin(unpacked, head, fromMs, visibleToMs)
        }
      }
    },
    last(seriesId) {
      const row = lastBefore.get(seriesId, largestInteger)
      return row && unpackRow(seriesId, row)
    },
    has: (seriesId) => anyChunk.get(seriesId) !== undefined,
    firstChunksOf(seriesIds) {
      const found = seriesIds.flatMap((seriesId): FirstChunk[] => {
        const row = unlessDamaged(() => first.get(seriesId))
        return row ? [{ seriesId, startMs: row.start_ms, endMs: row.end_ms }] : []
      })
      return found.toSorted((one, other) => one.endMs - other.endMs)
    },
    remove: ({ seriesId, startMs }) => void remove.run(seriesId, startMs),
    oldest: (beforeMs, max, skip) => oldest.all(beforeMs, max, skip),
  }
}

function* inBatches<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let piece: T[] = []
  for (const one of all) {
    piece.push(one)
    if (piece.length < size) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** End of the chunk that begins at `from`. */
function endOfChunk({ length }: Columns, from: number): number {
  return length - from <= maxSamplesOfChunk ? length : from + fullChunkLength
}

/** Samples [from, to); not copied if these are all, which is the usual case. */
function slice(samples: Columns, from: number, to: number): Columns {
  return from === 0 && to === samples.length ? samples : range(samples, from, to)
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return undefined
  }
}
