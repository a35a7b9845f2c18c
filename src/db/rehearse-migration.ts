import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { firstVersion, type Migration, migrate, versionOf } from './migrations.ts'
import { assertShape } from './shape.ts'
import { Database } from './sqlite.ts'

/**
 * Migration tried on a copy. `bytes`: size of the copy before the steps. `bytesNeeded`: free space that the steps take in the data
 * folder while they run, for snapshots, growth and write-ahead log; `bytesFree`: space that there is.
 */
export type Rehearsal = {
  from: number
  to: number
  steps: { to: number; seconds: number }[]
  bytes: number
  bytesNeeded: number
  bytesFree: number
}

type Options = {
  dataDir: string
  /** Folder in which the copy is made, in a folder of its own that is removed. */
  temporaryFolder: string
  steps: Migration[]
  stopwatch: Clock
  onProgress?: (text: string) => void
}

/**
 * Copies `nines.db` as it is at one moment, also beside a server, and runs the steps on the copy. Nothing of the data folder is
 * changed. Throws as a start would: for a database that is newer than `steps`, of another shape, or where a step fails.
 */
export function rehearseMigration({
  dataDir,
  temporaryFolder,
  steps,
  stopwatch,
  onProgress = () => {},
}: Options): Rehearsal {
  const folder = mkdtempSync(join(temporaryFolder, 'nines-migrate-'))
  try {
    const path = join(folder, 'nines.db')
    const to = steps.at(-1)?.version ?? firstVersion
    onProgress('copying nines.db')
    const from = copy(join(dataDir, 'nines.db'), path, steps)
    const bytes = sizeOf(path)
    const ahead = steps.filter(({ version }) => version > from)
    const done: Rehearsal['steps'] = []
    const announceNext = () => {
      if (done.length < ahead.length) onProgress(`step ${done.length + 1} of ${ahead.length}`)
    }
    let snapshotBytes = 0
    let beganMs = stopwatch.now()
    const db = new Database(path)
    try {
      db.pragma('journal_mode = WAL')
      announceNext()
      migrate(db, {
        dataDir: folder,
        schema: '',
        steps,
        onMigrated(step) {
          snapshotBytes += sizeOf(step.snapshot)
          done.push({ to: step.to, seconds: (stopwatch.now() - beganMs) / 1000 })
          beganMs = stopwatch.now()
          announceNext()
        },
      })
      const growth = Math.max(0, sizeOf(path) - bytes) + sizeOf(`${path}-wal`)
      const bytesNeeded = done.length === 0 ? 0 : snapshotBytes + growth
      return { from, to, steps: done, bytes, bytesNeeded, bytesFree: freeBytes(dataDir) }
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies a database, and returns its schema version. A version that is not known is refused before it is copied. */
function copy(from: string, to: string, steps: Migration[]): number {
  const db = new Database(from, { readonly: true, fileMustExist: true })
  try {
    const version = versionOf(db)
    if (version < firstVersion)
      throw new Error(`the database has schema version ${version}, which no nines has written`)
    assertShape(db, version)
    const newest = steps.at(-1)?.version ?? firstVersion
    if (version > newest) migrate(db, { dataDir: '', schema: '', steps }) // throws what a start says
    db.prepare('VACUUM INTO ?').run(to)
    return version
  } finally {
    db.close()
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Space that is free for this user on the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
