import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Clock, minuteMs } from '../../clock.ts'
import type { Connection } from '../sqlite.ts'
import { hasLostFrames } from './wal-index.ts'

/**
 * Commits that were on disk and that a database has lost. `sinceMs`: commits after it may be missing (null: unknown since
 * when). `notedMs`: when the last of them was noted. `foundMs`: when a start detected the loss.
 */
export type LostCommits = { sinceMs: number | null; notedMs: number; foundMs: number }

/**
 * A number that is committed to a database repeatedly, and noted in a file beside it after each of these commits. A database
 * with a smaller number than the noted one has lost commits, with its write-ahead log or otherwise. Where SQLite itself moves
 * commits out of the log (at a checkpoint, and when the last connection closes), it moves the number with them.
 */
export type CommitMark = {
  /** `nines.db` or `samples.db`. */
  file: string
  /**
   * Commits that were missing at this start or an earlier one; null: none were missing, or the loss was acknowledged or is hidden
   * by damage.
   */
  lost(): LostCommits | null
  /**
   * Call every second. Commits and notes the next number once a minute, and after each checkpoint, if anything was committed
   * since. The number is then in the log, so that a loss of the log loses the number too. Never rejects.
   */
  keep(): Promise<void>
  /** Makes `lost` return null from now on, also after restarts. */
  acknowledge(): Promise<void>
  /** Call once the database is closed. Removes the note if all of the database is in one file. */
  end(): Promise<void>
}

export type CommitMarkDeps = {
  path: string
  prepare: Connection['prepare']
  /** Does work while no transaction is open. */
  exclusively: (work: () => void) => Promise<void>
  clock: Clock
  stopwatch: Clock
  /** Boot id of the machine; empty if it has none. */
  bootId: string
  /** The result of `isLogCut` before the database was opened. */
  isCut: boolean
  /** False once another file is at the path. */
  isInPlace: () => boolean
}

type Row = {
  database_id: string
  number: number
  marked_at: number
  lost_since: number | null
  lost_noted: number | null
  lost_found: number | null
}
type Note = { databaseId: string; number: number; atMs: number; bootId: string }

const keepEveryMs = minuteMs
const retryAfterMs = 10_000
const table = `create table if not exists commit_mark (
  id integer primary key check (id = 1), database_id text not null, number integer not null, marked_at integer not null,
  lost_since integer, lost_noted integer, lost_found integer
) strict`

/**
 * True if the write-ahead log of a database lacks commits of this boot of the machine. Call it before anything opens the
 * database. It also detects commits made since the last number.
 */
export function isLogCut(path: string, bootId: string): boolean {
  return bootId !== '' && readNote(notePathOf(path))?.bootId === bootId && hasLostFrames(path)
}

/** Opens the mark of an open database. Reads the note, and writes nothing. */
export function openCommitMark({
  path,
  prepare,
  exclusively,
  clock,
  stopwatch,
  bootId,
  isCut,
  isInPlace,
}: CommitMarkDeps): CommitMark {
  const notePath = notePathOf(path)
  const stored = readRow(prepare)
  const row = stored === 'unreadable' ? undefined : stored
  const note = readNote(notePath)
  const databaseId = row?.database_id ?? randomBytes(8).toString('hex')
  let number = Math.max(row?.number ?? 0, note?.number ?? 0)
  let lost = stored === 'unreadable' ? null : lostOf(row, note, isCut, clock.now())
  let lastMark: { changes: string; modified: bigint; stopwatchMs: number } | undefined
  let keeping: Promise<void> | undefined
  let failedMs = -Infinity
  const totalChanges = prepare<[], number>('select total_changes()').pluck()
  const dataVersion = prepare<[], number>('pragma data_version').pluck()
  /** Returns another text once this connection or another one has committed something. */
  const changes = () => `${totalChanges.get()} ${dataVersion.get()}`
  /** In WAL mode, only a checkpoint writes to the database file. */
  const modified = () => statSync(path, { bigint: true }).mtimeNs

  async function mark(): Promise<void> {
    const modifiedBefore = modified() // a checkpoint from here on makes the next mark due
    const atMs = clock.now()
    let changesAfter = ''
    await exclusively(() => {
      prepare(table).run()
      prepare('insert or replace into commit_mark values (1, ?, ?, ?, ?, ?, ?)').run(
        databaseId,
        number + 1,
        atMs,
        lost?.sinceMs ?? null,
        lost?.notedMs ?? null,
        lost?.foundMs ?? null,
      )
      changesAfter = changes() // with those of the mark, which must not make the next one due
    })
    number += 1
    await writeNote(notePath, { databaseId, number, atMs, bootId }, isInPlace)
    lastMark = { changes: changesAfter, modified: modifiedBefore, stopwatchMs: stopwatch.now() }
  }

  function isDue(): boolean {
    if (stopwatch.now() - failedMs < retryAfterMs) return false // each attempt may wait for a lock
    if (!lastMark) return true
    if (changes() === lastMark.changes) return false
    return modified() !== lastMark.modified || stopwatch.now() - lastMark.stopwatchMs >= keepEveryMs
  }

  async function keepIfDue(): Promise<void> {
    try {
      if (isDue()) await mark()
    } catch {
      failedMs = stopwatch.now() // for example on a full disk, which has a condition already
    }
  }

  return {
    file: basename(path),
    lost: () => lost,
    async keep() {
      keeping ??= keepIfDue().finally(() => (keeping = undefined))
      await keeping
    },
    async acknowledge() {
      lost = null
      await keeping
      lastMark = undefined
      failedMs = -Infinity
      await this.keep()
    },
    async end() {
      await keeping
      if (lastMark && !existsSync(`${path}-wal`) && isInPlace()) rmSync(notePath, { force: true })
    },
  }
}

/** The loss that the database has stored, or that is detected now. A note of another database is ignored. */
function lostOf(row: Row | undefined, note: Note | undefined, isCut: boolean, nowMs: number): LostCommits | null {
  const stored =
    row && row.lost_noted !== null && row.lost_found !== null
      ? { sinceMs: row.lost_since, notedMs: row.lost_noted, foundMs: row.lost_found }
      : null
  if (!note || (row && row.database_id !== note.databaseId)) return stored
  if (!isCut && (row?.number ?? 0) >= note.number) return stored
  return { sinceMs: stored ? stored.sinceMs : (row?.marked_at ?? null), notedMs: note.atMs, foundMs: nowMs }
}

/** Undefined if no number has been committed; 'unreadable' if damage hides it. */
function readRow(prepare: Connection['prepare']): Row | 'unreadable' | undefined {
  try {
    const isThere = prepare("select 1 from sqlite_schema where name = 'commit_mark'").get() !== undefined
    return isThere ? prepare<[], Row>('select * from commit_mark').get() : undefined
  } catch {
    return 'unreadable'
  }
}

function notePathOf(path: string): string {
  return `${path}-mark`
}

/** Undefined if there is no note, or it cannot be parsed, as after a power failure. */
function readNote(path: string): Note | undefined {
  try {
    const [, databaseId = '', number, atMs, bootId = ''] =
      /^([0-9a-f]{16}) (\d+) (\d+) (\S*)\n$/.exec(readFileSync(path, 'utf8')) ?? []
    return number === undefined ? undefined : { databaseId, number: Number(number), atMs: Number(atMs), bootId }
  } catch {
    return undefined
  }
}

/** Replaces the note as a whole, unless another folder has taken the place of the open one. */
async function writeNote(path: string, note: Note, isInPlace: () => boolean): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${note.databaseId} ${note.number} ${note.atMs} ${note.bootId}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  if (isInPlace()) await rename(draft, path)
}
