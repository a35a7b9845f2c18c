import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { currentVersion, versionOf } from './migrations.ts'
import { type Database, openDatabase } from './open.ts'
import { Database as Sqlite } from './sqlite.ts'

/**
 * Works on the database of a data folder, for a command that may run beside the server. Throws, without a change, if there is
 * no database, if another version of nines has written it, or if it is damaged.
 */
export async function withDatabase<T>(path: string, work: (db: Database) => Promise<T>): Promise<T> {
  const dataDir = resolve(path)
  const file = join(dataDir, 'nines.db')
  if (!existsSync(file)) throw new Error(`there is no nines.db in ${dataDir}; set DATA_DIR`)
  try {
    assertCurrent(file)
    const db = openDatabase({ dataDir })
    try {
      return await work(db)
    } finally {
      await db.close()
    }
  } catch (cause) {
    if (!isDamaged(cause)) throw cause
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${file} is damaged: ${problem}; stop nines and restore the last backup with nines restore FILE`, {
      cause,
    })
  }
}

/** Throws for another schema version: only the server migrates the database, and locks the folder while it does. */
function assertCurrent(file: string): void {
  const connection = new Sqlite(file, { readonly: true })
  try {
    const version = versionOf(connection)
    if (version === currentVersion) return
    throw new Error(
      `${file} has schema version ${version}, and this nines ${currentVersion}: use the nines that serves it`,
    )
  } finally {
    connection.close()
  }
}

function isDamaged(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))) return true
  return isDamaged(error.cause)
}
