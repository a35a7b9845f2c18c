/** Outcome of an attempt to write a backup. `problem` null: it was written and verified. */
export type BackupAttempt = { atMs: number; seconds: number; problem: string | null }

/** Copies of backups in a bucket. `names`: as last listed, null: not yet. `problem`: of the last attempt to copy. */
export type CopyState = { names: string[] | null; problem: string | null }

/**
 * Backups of `BACKUP_DIR`, newest first. `problem`: why the folder cannot be read. `last`: last attempt since the start. `copies` null:
 * there is no bucket.
 */
export type BackupState = {
  schedule: string | null
  nextMs: number | null
  isRunning: boolean
  problem: string | null
  last: BackupAttempt | null
  files: { name: string; atMs: number; bytes: number }[]
  copies: CopyState | null
}
