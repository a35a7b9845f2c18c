import { join } from 'node:path'
import { isBusy } from '../failures/constraints.ts'
import { assertSqliteLoads, type Connection, Database } from '../sqlite.ts'

/**
 * Locks the data folder for this process; throws if another one has locked it. The lock is one of SQLite on a file beside the
 * database: the operating system releases it when the process dies, however it dies.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  assertSqliteLoads()
  let lock: Connection | undefined
  try {
    lock = new Database(join(dataDir, 'nines.lock'), { timeout: 0 })
    lock.pragma('journal_mode = MEMORY') // nothing is ever written, so there need be no journal file
    lock.exec('BEGIN EXCLUSIVE')
    return { release: () => lock?.close() }
  } catch (cause) {
    lock?.close()
    const problem = cause instanceof Error ? cause.message : String(cause)
    const sentence = isBusy(cause) ? 'is in use by another nines' : `cannot be written: ${problem}`
    throw new Error(`the data folder ${dataDir} ${sentence}`, { cause })
  }
}
