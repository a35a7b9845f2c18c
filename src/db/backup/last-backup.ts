import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../data-folder/data-dir.ts'
import { lastBackupName } from './parts.ts'

/** Records in a data folder when a backup of it was completed. Not part of a backup: a restored folder has had none yet. */
export function recordBackup(dataDir: string, atMs: number): void {
  replaceFile(join(dataDir, lastBackupName), `${new Date(atMs).toISOString()}\n`)
}

/** Time of the last backup, in ms; null: none is recorded. */
export function readLastBackup(dataDir: string): number | null {
  try {
    const atMs = Date.parse(readFileSync(join(dataDir, lastBackupName), 'utf8').trim())
    return Number.isNaN(atMs) ? null : atMs
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
