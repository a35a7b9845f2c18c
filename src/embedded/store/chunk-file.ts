import type { Connection } from '../../db/sqlite.ts'
import { AppError, databaseDamaged, isDatabaseDamaged } from '../../errors.ts'
import { largestChunk, packChunk, unpackChunk } from './encoding/chunk.ts'
import { type Columns, columns, merged, mergedWithin, placeOf, range } from './columns.ts'

/** Samples that make a chunk: an hour of a 15-second scrape. */
const wholeChunk = 240

/** A chunk of fewer is packed again with what follows it. */
const smallChunk = wholeChunk / 2

/** Read with one statement: so many series of one chunk each, fewer where each may have more of them. */
const maxSeries = 512
const usualMs = 60 * 60 * 1000

/** Samples that the buffer of all reads keeps room for. */
const maxKept = 65_536

type Row = { start_ms: number; end_ms: number; samples: Uint8Array }

/** Called for a series one of whose chunks cannot be unpacked. */
export type OnDamage = (seriesId: number) => void

/** A series that is read; nothing beyond `toMs` is seen of it. */
export type Selected = { id: number; head: Columns; toMs: number }

export type ChunkKey = { seriesId: number; startMs: number }
export type FirstChunk = ChunkKey & { endMs: number }

/** The chunks of all series in `samples.db`; transactions are the caller's. */
export type ChunkFile = {
  /**
   * Packs samples, in order, among the chunks of their series, but not into one that is damaged; at the same time they count.
   * Yields, after each chunk of before that it has rewritten or each new one, how many samples are packed: all before it are
   * in whole chunks then, so that a transaction may end there.
   */
  writing(seriesId: number, samples: Columns): Generator<number, void>
  /**
   * What each series has in [fromMs, toMs], in chunks and in its head, in the order of the series. Throws `databaseDamaged`
   * where a chunk cannot be read: what is said without it would be wrong. Throws `too_large` beyond `maxChunks` at once.
   */
  read(series: Iterable<Selected>, fromMs: number, toMs: number, maxChunks?: number): Generator<Columns>
  has(seriesId: number): boolean
  /** Of these series the chunks that are each one's first, those that end first before others; none that cannot be read. */
  firstOf(seriesIds: readonly number[]): FirstChunk[]
  remove(chunk: ChunkKey): void
  /** The chunks that end first, all before a time, at most so many; without the first `passedOver` of them. */
  oldest(beforeMs: number, max: number, passedOver: number): ChunkKey[]
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
  // One statement for many series, because a call costs ten times what it reads: in their order, each by its primary key.
  const within = file
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
  const any = file.prepare('select 1 from chunks where series_id = ? limit 1')
  const first = file.prepare<[number], { start_ms: number; end_ms: number }>(
    'select start_ms, end_ms from chunks where series_id = ? order by start_ms limit 1',
  )
  const oldest = file.prepare<[number, number, number], ChunkKey>(
    'select series_id as seriesId, start_ms as startMs from chunks where end_ms < ? order by end_ms limit ? offset ?',
  )

  let unpacked = columns(largestChunk) // the same for all, because a query reads thousands of series

  function unpack(seriesId: number, chunk: Uint8Array, into: Columns): Columns {
    try {
      unpackChunk(chunk, into)
    } catch (cause) {
      onDamage(seriesId)
      throw databaseDamaged('samples.db', cause)
    }
    return into
  }

  /** The samples of a chunk; undefined where it is damaged. */
  function held(seriesId: number, row: Row): Columns | undefined {
    return unlessDamaged(() => unpack(seriesId, row.samples, columns(largestChunk)))
  }

  /** In the same place where its times fit: no index is touched then. */
  function rewrite(seriesId: number, row: Row, samples: Columns): void {
    const isAsLong = samples.timesMs[samples.length - 1] === row.end_ms && samples.length <= largestChunk
    if (isAsLong) {
      replace.run(packChunk(samples), seriesId, row.start_ms)
      return
    }
    remove.run(seriesId, row.start_ms)
    insertAll(seriesId, samples)
  }

  function insertAll(seriesId: number, samples: Columns) {
    for (let from = 0; from < samples.length;) {
      const to = endOfPiece(samples, from)
      const [start, end] = [samples.timesMs[from], samples.timesMs[to - 1]]
      insert.run(seriesId, start, end, packChunk(part(samples, from, to)))
      from = to
    }
  }

  return {
    *writing(seriesId, samples) {
      for (let from = 0; from < samples.length;) {
        const first = samples.timesMs[from] ?? 0
        const next = startAfter.get(seriesId, first)
        const to = Math.min(endOfPiece(samples, from), next === undefined ? Infinity : placeOf(samples, next))
        const added = part(samples, from, to)
        const row = lastBefore.get(seriesId, first)
        const before = row && held(seriesId, row)
        if (row && before && (row.end_ms >= first || before.length < smallChunk)) {
          rewrite(seriesId, row, merged(before, added))
        } else {
          if (row?.start_ms === first) remove.run(seriesId, first) // it is damaged, and there is one place
          insertAll(seriesId, added)
        }
        from = to
        yield from
      }
    },
    *read(series, fromMs, toMs, maxChunks = Infinity) {
      const atOnce = Math.max(1, Math.min(maxSeries, Math.floor((maxSeries * usualMs) / (toMs - fromMs))))
      for (const some of inPieces(series, atOnce)) {
        const ids = `[${some.map(({ id }) => id).join()}]`
        const rows = within.all(ids, toMs, fromMs, fromMs, maxChunks === Infinity ? -1 : maxChunks)
        if (rows.length >= maxChunks) throw new AppError('too_large', 'Too many chunks')
        let at = 0
        for (const { id, head, toMs } of some) {
          if (unpacked.timesMs.length > maxKept) unpacked = columns(0)
          unpacked.length = 0
          for (let row = rows[at]; row?.[0] === id; row = rows[at]) {
            unpack(id, row[1], unpacked)
            at += 1
          }
          yield mergedWithin(unpacked, head, fromMs, toMs)
        }
      }
    },
    has: (seriesId) => any.get(seriesId) !== undefined,
    firstOf(seriesIds) {
      const found = seriesIds.flatMap((seriesId): FirstChunk[] => {
        const row = unlessDamaged(() => first.get(seriesId))
        return row ? [{ seriesId, startMs: row.start_ms, endMs: row.end_ms }] : []
      })
      return found.toSorted((one, other) => one.endMs - other.endMs)
    },
    remove: ({ seriesId, startMs }) => void remove.run(seriesId, startMs),
    oldest: (beforeMs, max, passedOver) => oldest.all(beforeMs, max, passedOver),
  }
}

function* inPieces<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let piece: T[] = []
  for (const one of all) {
    piece.push(one)
    if (piece.length < size) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** Gives the end of the chunk that begins at a place. */
function endOfPiece({ length }: Columns, from: number): number {
  return length - from <= largestChunk ? length : from + wholeChunk
}

/** Mostly it is all of them. */
function part(samples: Columns, from: number, to: number): Columns {
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
