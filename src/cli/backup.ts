import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stopwatch, systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { recordBackup } from '../db/backup/last-backup.ts'
import { verifyBackup } from '../db/backup/verify-backup.ts'
import { prepareBackup, writeBackup } from '../db/backup/write-backup.ts'
import { assertSqliteLoads } from '../db/sqlite.ts'
import { formatBytes } from '../status/format-bytes.ts'
import { clearProgress, showProgress } from './progress.ts'
import type { Settings } from './settings/settings.ts'
import { UsageError } from './usage-error.ts'

const stopCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/**
 * `nines backup FILE`: writes the whole data folder into one file, also while a server runs on it. `--verify`: first restores the
 * backup into a temporary folder beside the file, as a check; only then does it take the place of an earlier file.
 */
export async function backup(args: string[], settings: Settings): Promise<number> {
  const shouldVerify = args[0] === '--verify'
  const file = onlyFile(shouldVerify ? args.slice(1) : args, 'backup')
  const dataDir = resolve(readConfig(settings.env).dataDir)
  if (!existsSync(join(dataDir, 'nines.db'))) throw new Error(`there is no nines.db in ${dataDir}; set DATA_DIR`)
  assertSqliteLoads()
  process.umask(0o077)
  let remove = () => {}
  for (const [name, exitCode] of Object.entries(stopCodes)) {
    process.once(name, () => {
      remove()
      process.exit(exitCode)
    })
  }
  const draft = prepareBackup({ dataDir, file })
  remove = draft.remove
  const verify = (archive: string) => {
    if (!shouldVerify) return Promise.resolve()
    showProgress(`verifying ${file}`)
    return verifyBackup(archive, draft.folder)
  }
  const beganMs = stopwatch.now()
  try {
    showProgress(`writing ${file}`)
    const { bytes, names } = await writeBackup({ dataDir, file, nowMs: systemClock.now() }, draft.folder, verify)
    clearProgress()
    record(dataDir)
    const seconds = ((stopwatch.now() - beganMs) / 1000).toFixed(1)
    process.stdout.write(`${file}: ${names.join(', ')} of ${dataDir}, ${formatBytes(bytes)} in ${seconds} s
keep it as you keep the secrets in it
`)
    return 0
  } finally {
    clearProgress()
    remove()
  }
}

/** Records the backup. A failure is only reported, because the backup itself is complete. */
function record(dataDir: string): void {
  try {
    recordBackup(dataDir, systemClock.now())
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    process.stderr.write(`nines: BACKUP_MAX_AGE_HOURS will not know of this backup: ${problem}\n`)
  }
}

/** Returns the only argument of a command that takes a file, as an absolute path. */
export function onlyFile([file, ...others]: string[], command: string): string {
  if (file === undefined) throw new UsageError(`${command} takes one FILE, got none`)
  if (file.startsWith('-') || others.length > 0) {
    throw new UsageError(`${command} takes one FILE, got "${[file, ...others].join(' ')}"`)
  }
  return resolve(file)
}
