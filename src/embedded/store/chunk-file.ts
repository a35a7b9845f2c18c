import type { Connection } from '../../db/sqlite.ts'
import { databaseDamaged, isDatabaseDamaged } from '../../errors.ts'
import { countIn, largestChunk, packChunk, unpackChunk } from './encoding/chunk.ts'
import { type Columns, columns, merged, placeOf, range } from './columns.ts'

/** Samples that make a chunk: an hour of a 15-second scrape. */
const wholeChunk = 240

/** A chunk of fewer is packed again with what follows it. */
const smallChunk = wholeChunk / 2

type Row = { start_ms: number; end_ms: number; samples: Uint8Array }

/** Called for a series one of whose chunks cannot be unpacked. */
export type OnDamage = (seriesId: number) => void

export type ChunkKey = { seriesId: number; startMs: number }
export type FirstChunk = ChunkKey & { endMs: number }

/** The chunks of all series in `samples.db`; transactions are the caller's. */
export type ChunkFile = {
  /** Packs samples, in order, among the chunks of their series, but not into one that is damaged; at the same time they count. */
  write(seriesId: number, samples: Columns): void
  /**
   * The samples of all chunks that may have some in [fromMs, toMs], and room behind them for so many more. Throws
   * `databaseDamaged` where one cannot be read: what is said without it would be wrong.
   */
  read(seriesId: number, fromMs: number, toMs: number, room: number): Columns
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
  const within = file
    .prepare<{ id: number; fromMs: number; toMs: number }, Uint8Array>(
      `select samples from chunks
      where series_id = :id and start_ms <= :toMs and start_ms >= coalesce(
        (select start_ms from chunks where series_id = :id and start_ms <= :fromMs order by start_ms desc limit 1), :fromMs)
      order by start_ms`,
    )
    .pluck()
  const insert = file.prepare('insert into chunks (series_id, start_ms, end_ms, samples) values (?, ?, ?, ?)')
  const remove = file.prepare('delete from chunks where series_id = ? and start_ms = ?')
  const any = file.prepare('select 1 from chunks where series_id = ? limit 1')
  const first = file.prepare<[number], { start_ms: number; end_ms: number }>(
    'select start_ms, end_ms from chunks where series_id = ? order by start_ms limit 1',
  )
  const oldest = file.prepare<[number, number, number], ChunkKey>(
    'select series_id as seriesId, start_ms as startMs from chunks where end_ms < ? order by end_ms limit ? offset ?',
  )

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

  function insertAll(seriesId: number, samples: Columns) {
    for (let from = 0; from < samples.length;) {
      const to = samples.length - from <= largestChunk ? samples.length : from + wholeChunk
      const [start, end] = [samples.timesMs[from], samples.timesMs[to - 1]]
      insert.run(seriesId, start, end, packChunk(range(samples, from, to)))
      from = to
    }
  }

  return {
    write(seriesId, samples) {
      for (let from = 0; from < samples.length;) {
        const first = samples.timesMs[from] ?? 0
        const next = startAfter.get(seriesId, first)
        const to = next === undefined ? samples.length : placeOf(samples, next)
        const added = range(samples, from, to)
        const row = lastBefore.get(seriesId, first)
        const before = row && held(seriesId, row)
        if (row && before && (row.end_ms >= first || before.length < smallChunk)) {
          remove.run(seriesId, row.start_ms)
          insertAll(seriesId, merged(before, added))
        } else {
          if (row?.start_ms === first) remove.run(seriesId, first) // it is damaged, and there is one place
          insertAll(seriesId, added)
        }
        from = to
      }
    },
    read(seriesId, fromMs, toMs, room) {
      const chunks = within.all({ id: seriesId, fromMs, toMs })
      const all = columns(chunks.reduce((sum, chunk) => sum + countIn(chunk), room))
      for (const chunk of chunks) unpack(seriesId, chunk, all)
      return all
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

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return undefined
  }
}
