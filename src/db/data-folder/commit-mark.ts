import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { Connection } from '../sqlite.ts'
import { hasLostFrames } from './log-index.ts'

/**
 * Commits that were on the disk and that a database does not have any more: those made after `sinceMs` may be missing (null:
 * it is not known since when). `notedMs`: when the last of them was noted; `foundMs`: when a start found out.
 */
export type LostCommits = { sinceMs: number | null; notedMs: number; foundMs: number }

/**
 * A number that is committed to a database again and again, and noted in a file beside it after each of these commits. A
 * database with a smaller number than noted has lost commits, with its write-ahead log or otherwise. Whatever lawfully moves
 * commits out of the log, a checkpoint or the last connection that closes, moves the number with them.
 */
export type CommitMark = {
  /** `nines.db` or `samples.db`. */
  file: string
  /** Commits that the database lacked at this start or an earlier one; null: none, or it was acknowledged. */
  lost(): LostCommits | null
  /**
   * To be called every second. Commits and notes the next number once a minute, and after each checkpoint, where anything was
   * committed since: the number is then in the log, so that the log cannot be lost without it. Never rejects.
   */
  keep(): Promise<void>
  /** `lost` gives null from now on, after restarts too. */
  acknowledge(): Promise<void>
  /** To be called once the database is closed: where all of it is in one file, the note is removed. */
  end(): Promise<void>
}

export type CommitMarkDeps = {
  path: string
  prepare: Connection['prepare']
  /** Does work while no transaction is open. */
  exclusively: (work: () => void) => Promise<void>
  clock: Clock
  stopwatch: Clock
  /** Names this run of the machine; empty where nothing does. */
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

const keepEveryMs = 60_000
const retryAfterMs = 10_000
const table = `create table if not exists commit_mark (
  id integer primary key check (id = 1), database_id text not null, number integer not null, marked_at integer not null,
  lost_since integer, lost_noted integer, lost_found integer
) strict`

/**
 * True if the write-ahead log of a database lacks commits of this run of the machine. To be called before anything opens the
 * database. It finds what was committed since the last number too.
 */
export function isLogCut(path: string, bootId: string): boolean {
  return bootId !== '' && readNote(notePathOf(path))?.bootId === bootId && hasLostFrames(path)
}

/** The mark of an open database. Reads what was noted, and writes nothing. */
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
  const found = readRow(prepare)
  const row = found === 'unreadable' ? undefined : found
  const note = readNote(notePath)
  const databaseId = row?.database_id ?? randomBytes(8).toString('hex')
  let number = Math.max(row?.number ?? 0, note?.number ?? 0)
  let lost = found === 'unreadable' ? null : lostOf(row, note, isCut, clock.now())
  let kept: { changes: string; modified: bigint; atMs: number } | undefined
  let keeping: Promise<void> | undefined
  let failedMs = -Infinity
  const totalChanges = prepare<[], number>('select total_changes()').pluck()
  const dataVersion = prepare<[], number>('pragma data_version').pluck()
  /** Another text once this connection or another one has committed something. */
  const changes = () => `${totalChanges.get()} ${dataVersion.get()}`
  /** In WAL mode a checkpoint alone writes to the file of the database. */
  const modified = () => statSync(path, { bigint: true }).mtimeNs

  async function mark(): Promise<void> {
    const before = modified()
    const atMs = clock.now()
    let after = ''
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
      after = changes()
    })
    number += 1
    await writeNote(notePath, { databaseId, number, atMs, bootId }, isInPlace)
    kept = { changes: after, modified: before, atMs: stopwatch.now() }
  }

  function isDue(): boolean {
    if (stopwatch.now() - failedMs < retryAfterMs) return false // each try may wait for a lock
    if (!kept) return true
    if (changes() === kept.changes) return false
    return modified() !== kept.modified || stopwatch.now() - kept.atMs >= keepEveryMs
  }

  async function keepIfDue(): Promise<void> {
    try {
      if (isDue()) await mark()
    } catch {
      failedMs = stopwatch.now() // on a full disk, say, which is a condition of its own
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
      kept = undefined
      failedMs = -Infinity
      await this.keep()
    },
    async end() {
      await keeping
      if (kept && !existsSync(`${path}-wal`) && isInPlace()) rmSync(notePath, { force: true })
    },
  }
}

/** The loss that the database has stored, or that shows now; a note of another database is ignored. */
function lostOf(row: Row | undefined, note: Note | undefined, isCut: boolean, nowMs: number): LostCommits | null {
  const before =
    row && row.lost_noted !== null && row.lost_found !== null
      ? { sinceMs: row.lost_since, notedMs: row.lost_noted, foundMs: row.lost_found }
      : null
  if (!note || (row && row.database_id !== note.databaseId)) return before
  if (!isCut && (row?.number ?? 0) >= note.number) return before
  return { sinceMs: before ? before.sinceMs : (row?.marked_at ?? null), notedMs: note.atMs, foundMs: nowMs }
}

/** Undefined where no number has been committed, 'unreadable' where damage hides whether one has. */
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

/** Undefined where there is none, or none that can be understood, as after a power failure. */
function readNote(path: string): Note | undefined {
  try {
    const [, databaseId = '', number, atMs, bootId = ''] =
      /^([0-9a-f]{16}) (\d+) (\d+) (\S*)\n$/.exec(readFileSync(path, 'utf8')) ?? []
    return number === undefined ? undefined : { databaseId, number: Number(number), atMs: Number(atMs), bootId }
  } catch {
    return undefined
  }
}

/** Puts it in place of the one before, whole; not into a folder that has taken the place of the one that is open. */
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
