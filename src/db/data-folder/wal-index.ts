import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { Database } from '../sqlite.ts'

/**
 * The index of a write-ahead log that SQLite keeps in shared memory (https://www.sqlite.org/walformat.html). `salts` identify
 * the log, `frames` is the number of its committed frames, and `checkpointedFrames` of those moved into the database.
 */
type LogIndex = { salts: Buffer; frames: number; checkpointedFrames: number }

const headerBytes = 48 // there are two headers, one after the other
/** Offsets in the index, in bytes. */
const offsets = { frames: 16, salts: 32, checkpointedFrames: 2 * headerBytes } as const
/** Limit for how often a log can have been restarted: each restart adds 1 to its first salt. */
const maxRestarts = 1_000_000

/**
 * True if the write-ahead log of a database that was not closed lacks frames that were committed according to its index. Opens
 * the database, which rebuilds the index. The index is as its last writer left it only within one boot of the machine; after a
 * power failure it proves nothing.
 */
export function hasLostFrames(path: string): boolean {
  try {
    const indexBefore = readIndex(path)
    if (!indexBefore || indexBefore.checkpointedFrames >= indexBefore.frames) return false
    const db = new Database(path, { fileMustExist: true })
    try {
      db.pragma('user_version')
      const indexAfter = readIndex(path)
      return indexAfter !== undefined && isBehind(indexAfter, indexBefore)
    } finally {
      db.close()
    }
  } catch {
    return false // opening the database reports the problem
  }
}

function isBehind(indexAfter: LogIndex, indexBefore: LogIndex): boolean {
  if (indexAfter.salts.equals(indexBefore.salts)) return indexAfter.frames < indexBefore.frames
  // a log that SQLite has restarted since lacks nothing; any other salts are those of another log
  const restarts = (indexAfter.salts.readUInt32BE(0) - indexBefore.salts.readUInt32BE(0)) >>> 0
  return restarts === 0 || restarts > maxRestarts
}

/** Undefined if there is no index, or it was being written. */
function readIndex(path: string): LogIndex | undefined {
  const bytes = readStart(`${path}-shm`, offsets.checkpointedFrames + 4)
  if (!bytes?.subarray(0, headerBytes).equals(bytes.subarray(headerBytes, 2 * headerBytes))) return undefined
  const number = (offset: number) => (endianness() === 'LE' ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset))
  return {
    salts: bytes.subarray(offsets.salts, offsets.salts + 8),
    frames: number(offsets.frames),
    checkpointedFrames: number(offsets.checkpointedFrames),
  }
}

function readStart(path: string, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  const file = openSync(path, 'r')
  try {
    return readSync(file, bytes, 0, length, 0) === length ? bytes : undefined
  } finally {
    closeSync(file)
  }
}
