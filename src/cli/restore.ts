import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { assertEmpty, restoreBackup } from '../db/backup/restore-backup.ts'
import { prepareDataDir } from '../db/data-folder/data-dir.ts'
import { lockDataDir } from '../db/data-folder/lock.ts'
import { onlyFile } from './backup.ts'
import type { Settings } from './settings/settings.ts'

/** `nines restore FILE`: restores a file of `nines backup` into a data folder that is empty or does not exist yet. */
export async function restore(args: string[], settings: Settings): Promise<number> {
  const file = onlyFile(args, 'restore')
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`there is no file ${file}`)
  const { dataDir: path } = readConfig(settings.env)
  process.umask(0o077) // like the server, which owns these files
  assertEmpty(resolve(path)) // before a lock is created in a folder of another program
  const dataDir = prepareDataDir(path)
  const lock = lockDataDir(dataDir)
  try {
    assertEmpty(dataDir)
    const names = await restoreBackup(file, dataDir)
    process.stdout.write(`${names.join(', ')} of ${file} are in ${dataDir}; start nines\n`)
    return 0
  } finally {
    lock.release()
  }
}
