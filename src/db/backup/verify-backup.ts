import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { databaseNames } from './parts.ts'
import { restoreBackup } from './restore-backup.ts'
import { assertUndamaged } from './write-backup.ts'

/** Restores a backup into a new folder within `folder`, checks its databases, and deletes it. Throws what is wrong with it. */
export async function verifyBackup(file: string, folder: string): Promise<void> {
  const restored = join(folder, 'restored')
  mkdirSync(restored, { mode: 0o700 })
  try {
    const names = await restoreBackup(file, restored)
    for (const name of databaseNames.filter((one) => names.includes(one))) assertUndamaged(restored, name)
  } finally {
    rmSync(restored, { recursive: true, force: true })
  }
}
