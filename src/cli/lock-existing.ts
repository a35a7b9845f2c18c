import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isBusy } from '../db/failures/constraints.ts'
import { prepareDataDir } from '../db/data-folder/data-dir.ts'
import { lockDataDir } from '../db/data-folder/lock.ts'

/**
 * Locks a data folder that nines has been started in, for a command that needs the server stopped. Throws if there is no
 * nines.db, or if the server runs. `description`: the command, as in "the import".
 */
export function lockExisting(path: string, description: string): { dataDir: string; release(): void } {
  if (!existsSync(join(path, 'nines.db'))) {
    throw new Error(`no nines has been started in ${resolve(path)} yet; start it and register first`)
  }
  const dataDir = prepareDataDir(path)
  try {
    return { dataDir, ...lockDataDir(dataDir) }
  } catch (cause) {
    if (!(cause instanceof Error) || !isBusy(cause.cause)) throw cause
    throw new Error(`${cause.message}; stop it for as long as ${description} takes`, { cause })
  }
}
