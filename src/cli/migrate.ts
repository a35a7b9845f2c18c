import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stopwatch } from '../clock.ts'
import { readConfig } from '../config.ts'
import { migrations } from '../db/migrations.ts'
import { type Rehearsal, rehearseMigration } from '../db/rehearse-migration.ts'
import { assertSqliteLoads } from '../db/sqlite.ts'
import { formatBytes } from '../status/format-bytes.ts'
import { clearProgress, showProgress } from './progress.ts'
import type { Settings } from './settings/settings.ts'
import { UsageError } from './usage-error.ts'

/**
 * `nines migrate --dry-run`: tries on a copy what the next start does with the database, also beside a server. Exit code 1 if the
 * data folder has too little space for the migration.
 */
export function migrate(args: string[], settings: Settings): number {
  const json = args.includes('--json')
  const rest = args.filter((arg) => arg !== '--json')
  if (rest.length !== 1 || rest[0] !== '--dry-run') {
    throw new UsageError('migrate takes --dry-run: the migration itself is made by a start')
  }
  const dataDir = resolve(readConfig(settings.env).dataDir)
  if (!existsSync(join(dataDir, 'nines.db'))) throw new Error(`there is no nines.db in ${dataDir}; set DATA_DIR`)
  assertSqliteLoads()
  process.umask(0o077) // the copy has secrets
  const rehearsal = rehearse(dataDir)
  process.stdout.write(json ? `${JSON.stringify(rehearsal, null, 2)}\n` : `${textOf(dataDir, rehearsal)}\n`)
  const { bytesNeeded, bytesFree } = rehearsal
  if (bytesNeeded <= bytesFree) return 0
  process.stderr.write(
    `nines: free ${formatBytes(bytesNeeded - bytesFree)} more in ${dataDir} before the start of this version\n`,
  )
  return 1
}

function rehearse(dataDir: string): Rehearsal {
  try {
    return rehearseMigration({
      dataDir,
      temporaryFolder: tmpdir(),
      steps: migrations,
      stopwatch,
      onProgress: showProgress,
    })
  } finally {
    clearProgress()
  }
}

/** Text of a rehearsal, for people. */
export function textOf(dataDir: string, { from, to, steps, bytes, bytesNeeded, bytesFree }: Rehearsal): string {
  const size = `${join(dataDir, 'nines.db')}, ${formatBytes(bytes)}`
  if (steps.length === 0) return `${size}: schema version ${from}, as this nines has it; a start migrates nothing`
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0)
  return [
    `${size}: from schema version ${from} to ${to}`,
    ...steps.map((step) => `  to ${step.to}: ${step.seconds.toFixed(1)} s`),
    `a start takes about ${seconds.toFixed(1)} s for it, and ${formatBytes(bytesNeeded)} of the ${formatBytes(bytesFree)} that are free`,
    'nothing was changed; make a backup before the upgrade: nines backup FILE',
  ].join('\n')
}
