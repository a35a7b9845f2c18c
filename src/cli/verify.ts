import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { restoreBackup } from '../db/backup/restore-backup.ts'
import { verifyFolder } from '../db/backup/verify-backup.ts'
import type { CheckProgress } from '../db/failures/check-database.ts'
import { assertSqliteLoads } from '../db/sqlite.ts'
import { formatBytes } from '../status/format-bytes.ts'
import { clearProgress, showProgress } from './progress.ts'
import type { Settings } from './settings/settings.ts'
import { UsageError } from './usage-error.ts'

/**
 * `nines verify [FILE]`: verifies the data folder, also beside a server, or a backup, which it unpacks into the temporary
 * directory. Exit code 1 if something is damaged or does not belong together.
 */
export async function verify([file, ...others]: string[], settings: Settings): Promise<number> {
  if (file?.startsWith('-') || others.length > 0) {
    throw new UsageError(`verify takes one FILE, or none, got "${[file, ...others].join(' ')}"`)
  }
  assertSqliteLoads()
  if (file !== undefined) return verifyBackup(resolve(file))
  const dataDir = resolve(readConfig(settings.env).dataDir)
  if (!existsSync(join(dataDir, 'nines.db'))) throw new Error(`there is no nines.db in ${dataDir}; set DATA_DIR`)
  const advice = 'stop nines and restore the last backup with nines restore FILE into an empty folder'
  return report(dataDir, dataDir, advice)
}

async function verifyBackup(file: string): Promise<number> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`there is no file ${file}`)
  process.umask(0o077) // the backup has secrets
  const folder = mkdtempSync(join(tmpdir(), 'nines-verify-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  try {
    await restoreBackup(file, folder)
    return report(folder, file, 'use another backup, and make a new one')
  } finally {
    remove()
  }
}

/** Verifies a folder and prints a line for each part. `place`: name of it for people. */
function report(folder: string, place: string, advice: string): number {
  const parts = verifyFolder(folder, showTable)
  clearProgress()
  for (const { name, problem } of parts) {
    const bytes = statSync(join(folder, name), { throwIfNoEntry: false })?.size
    const size = bytes === undefined ? '' : `, ${formatBytes(bytes)}`
    process.stdout.write(problem === null ? `${name}: ok${size}\n` : `${name}: ${problem}\n`)
  }
  if (parts.every(({ problem }) => problem === null)) return 0
  process.stderr.write(`nines: ${place} is not in order: ${advice}\n`)
  return 1
}

function showTable(name: string, progress: CheckProgress): void {
  if ('table' in progress) showProgress(`${name}: table ${progress.done + 1} of ${progress.tables}`)
}
