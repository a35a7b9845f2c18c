import type { Connection } from '../../db/sqlite.ts'
import { type Columns, columns, push, type SampleValue } from './columns.ts'

/** Samples of many series in order of arrival. */
export type LogEntry = { samples: Columns; seriesIds: Uint32Array }

const bytesEach = 20
const checksumBytes = 8

export function emptyLogEntry(): LogEntry {
  return { samples: columns(64), seriesIds: new Uint32Array(64) }
}

export function addTo(entry: LogEntry, seriesId: number, timeMs: number, value: SampleValue): void {
  push(entry.samples, timeMs, value)
  if (entry.seriesIds.length < entry.samples.length) {
    const longer = new Uint32Array(entry.samples.timesMs.length)
    longer.set(entry.seriesIds)
    entry.seriesIds = longer
  }
  entry.seriesIds[entry.samples.length - 1] = seriesId
}

/** Log in `samples.db` of samples that are in no chunk yet, in rows written by each flush. The caller opens transactions. */
export type LogFile = {
  write(id: number, entry: LogEntry): void
  /** Reads all rows, oldest first. Throws for a damaged row. */
  read(): Iterable<{ id: number; entry: LogEntry }>
  /** First undamaged row with at least this id; undefined if there is none. */
  rowFrom(id: number): { id: number; entry: LogEntry } | undefined
  /** Id after that of the last row. */
  nextRow(): number
  /** Deletes the rows before `id`. */
  removeBefore(id: number): void
}

export function createLogFile(file: Connection): LogFile {
  const insert = file.prepare('insert into log (id, samples) values (?, ?)')
  const rowAfter = file.prepare<[number], { id: number; samples: Uint8Array }>(
    'select id, samples from log where id > ? order by id limit 1',
  )
  const next = file.prepare<[], number>('select coalesce(max(id), 0) + 1 from log').pluck()
  const remove = file.prepare('delete from log where id < ?')
  let buffer = new ArrayBuffer(0) // reused for all rows, because memory outside the heap is freed late
  return {
    write(id, entry) {
      const bytes = logBytes(entry.samples.length) + checksumBytes
      if (buffer.byteLength < bytes) buffer = new ArrayBuffer(bytes)
      insert.run(id, pack(entry, new Uint8Array(buffer, 0, bytes)))
    },
    *read() {
      for (let row = rowAfter.get(-1); row; row = rowAfter.get(row.id))
        yield { id: row.id, entry: unpacked(row.samples) }
    },
    rowFrom(id) {
      for (let row = rowAfter.get(id - 1); row; row = rowAfter.get(row.id)) {
        const entry = unlessDamaged(row.samples)
        if (entry) return { id: row.id, entry }
      }
      return undefined
    },
    nextRow: () => next.get() ?? 1,
    removeBefore(id) {
      remove.run(id)
    },
  }
}

/** Bytes of a row with so many samples, without its checksum. */
export function logBytes(samples: number): number {
  return samples * bytesEach
}

function pack({ samples: { timesMs, values, length }, seriesIds }: LogEntry, bytes: Uint8Array): Uint8Array {
  new Float64Array(bytes.buffer, 0, length).set(timesMs.subarray(0, length))
  new Float64Array(bytes.buffer, 8 * length, length).set(values.subarray(0, length))
  new Uint32Array(bytes.buffer, 16 * length, length).set(seriesIds.subarray(0, length))
  const end = logBytes(length)
  new DataView(bytes.buffer).setBigUint64(end, checksumOf(bytes.subarray(0, end)))
  return bytes
}

/** Samples of a row. Throws if the row is damaged; rows of earlier versions have no checksum. */
function unpacked(row: Uint8Array): LogEntry {
  const bytes = new Uint8Array(row) // aligned
  const length = Math.floor(bytes.length / bytesEach)
  const end = logBytes(length)
  const isWhole =
    bytes.length === end ||
    (bytes.length === end + checksumBytes &&
      new DataView(bytes.buffer).getBigUint64(end) === checksumOf(bytes.subarray(0, end)))
  if (!isWhole) throw new Error('a row of the log is not as it was written')
  const samples = columns(0)
  samples.timesMs = new Float64Array(bytes.buffer, 0, length)
  samples.values = new Float64Array(bytes.buffer, 8 * length, length)
  samples.length = length
  return { samples, seriesIds: new Uint32Array(bytes.buffer, 16 * length, length) }
}

function unlessDamaged(row: Uint8Array): LogEntry | undefined {
  try {
    return unpacked(row)
  } catch {
    return undefined
  }
}

/** Checksum of a row, because nothing else checks the pages of a row after its first. */
function checksumOf(bytes: Uint8Array): bigint {
  return BigInt.asUintN(64, BigInt(Bun.hash(bytes)))
}
