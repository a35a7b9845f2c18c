import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { DiskFailure } from '../failures/disk-failure.ts'
import { replaceMethods } from '../failures/translate-errors.ts'
import type { Connection } from '../sqlite.ts'

/**
 * Checks that the files of an open database are at the paths where they were opened. SQLite keeps writing to a file that was
 * moved, removed or replaced, with its folder or alone, and past the end of a log that was cut; a restart does not find what
 * was written there. All functions except `isInPlace` then throw `DiskFailure`.
 */
export type DatabaseFiles = {
  /** True while the database itself is at its path, also after it is closed. */
  isInPlace(): boolean
  /** Call before a write. Checks the database and its log, or all files while one of them is missing. */
  assertBefore(): void
  /** Call between a commit and its response. Checks all files. */
  assert(): void
  /** Does work that writes and commits, between both checks. */
  around<T>(work: () => Promise<T>): Promise<T>
}

/** Sizes of the headers of the log and of a frame in it, neither of which is all zeros: https://www.sqlite.org/walformat.html. */
const [logHeaderBytes, frameHeaderBytes] = [32, 24]

/** The log (`-wal`) holds the latest commits; other processes find them through its index (`-shm`). */
const suffixes = ['', '-wal', '-shm']

/** Watches the files of a database in WAL mode, from this call until it is closed. The database must have been read before. */
export function watchFiles(database: Connection): DatabaseFiles {
  const paths = suffixes.map((suffix) => database.name + suffix)
  const files = paths.map((path) => ({ path, identity: identify(path)?.identity }))
  const [, log = ''] = paths
  const framesInIndex = database.prepare<[], { log: number }>('pragma wal_checkpoint(NOOP)')
  const frameBytes = Number(database.pragma('page_size', { simple: true })) + frameHeaderBytes
  let logBytes = 0
  let areInPlace = true
  const isSameFile = ({ path, identity }: (typeof files)[number]) => identify(path)?.identity === identity
  const isInPlace = () => files.slice(0, 1).every(isSameFile)

  /**
   * False if something other than SQLite has cut the log. After a checkpoint of SQLite, which may cut it too, its index has no more
   * frames than the file. In a log that something else has cut, SQLite continues at its old position, which leaves zeros before
   * that.
   */
  function isLogWhole(): boolean {
    const bytes = identify(log)?.bytes ?? 0
    const isShorter = bytes < logBytes
    const frames = isShorter ? (framesInIndex.get()?.log ?? 0) : 0
    if (isShorter && frames * frameBytes > bytes) return false
    // Zeros can be seen in the header of the log, and in that of the last frame known. Rounded down: a size limit cuts within a frame.
    const wholeFrames = isShorter ? frames - 1 : Math.floor((logBytes - logHeaderBytes) / frameBytes)
    const lastKnown = wholeFrames > 0 ? [logHeaderBytes + (wholeFrames - 1) * frameBytes] : []
    if (bytes > 0 && hasZeros(log, [0, ...lastKnown])) return false
    logBytes = bytes
    return true
  }

  function assert(): void {
    const missing = files.find((file) => !isSameFile(file))
    const isWhole = missing !== undefined || !database.open || isLogWhole()
    areInPlace = missing === undefined && isWhole
    if (!areInPlace && database.open) throw new DiskFailure('data_folder_replaced', basename(missing?.path ?? log))
  }

  function assertBefore(): void {
    if (!areInPlace || !isInPlace() || !isLogWhole()) assert()
  }

  return {
    isInPlace,
    assertBefore,
    assert,
    async around(work) {
      assertBefore()
      const result = await work()
      assert()
      return result
    },
  }
}

/** True if a header at one of these offsets of the log is all zeros. False if there is no log, or no header there. */
function hasZeros(path: string, offsets: number[]): boolean {
  const header = Buffer.alloc(frameHeaderBytes)
  try {
    const file = openSync(path, 'r')
    try {
      return offsets.some(
        (at) => readSync(file, header, 0, header.length, at) > 0 && header.every((byte) => byte === 0),
      )
    } finally {
      closeSync(file)
    }
  } catch {
    return false // a missing file is found by its identity
  }
}

/** Identity and size of a file; undefined if there is none. */
function identify(path: string): { identity: string; bytes: number } | undefined {
  try {
    const { dev, ino, size } = statSync(path)
    return { identity: `${dev}:${ino}`, bytes: size }
  } catch {
    return undefined
  }
}

/** Makes statements that a connection prepares from now on fail if its files are no longer at their paths. */
export function assertFilesOnWrite(connection: Connection, files: DatabaseFiles): Connection {
  const prepare = connection.prepare.bind(connection)
  const outsideTransaction =
    <Args extends unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      if (connection.inTransaction) return work(...args)
      files.assertBefore()
      const result = work(...args)
      if (!connection.inTransaction) files.assert() // otherwise the statement was `begin`
      return result
    }
  const committing =
    <Args extends unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      const result = work(...args)
      files.assert()
      return result
    }
  return replaceMethods(connection, {
    prepare(sql: string) {
      const statement = prepare(sql)
      const verb = sql.trim().toLowerCase()
      if (verb === 'commit') return replaceMethods(statement, { run: committing(statement.run.bind(statement)) })
      if (statement.readonly && verb !== 'begin') return statement
      return replaceMethods(statement, {
        get: outsideTransaction(statement.get.bind(statement)),
        all: outsideTransaction(statement.all.bind(statement)),
        run: outsideTransaction(statement.run.bind(statement)),
      })
    },
  })
}
