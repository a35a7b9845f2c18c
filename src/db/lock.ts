import { join } from 'node:path'
import { Database } from './sqlite.ts'

/**
 * Holds the data folder for this process; throws when another one has it. The lock is SQLite's own on a file beside the
 * database: the operating system lets go of it when the process dies, however it dies.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const lock = new Database(join(dataDir, 'nines.lock'), { timeout: 0 })
  try {
    lock.pragma('journal_mode = MEMORY') // nothing is ever written, so no journal need lie beside the file
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new Error(`the data folder ${dataDir} is in use by another nines`, { cause })
  }
  return { release: () => lock.close() }
}
