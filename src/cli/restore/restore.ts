import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isoTime } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { assertEmpty, restoreBackup } from '../../db/backup/restore-backup.ts'
import { prepareDataDir } from '../../db/data-folder/data-dir.ts'
import { lockDataDir } from '../../db/data-folder/lock.ts'
import { assertSqliteLoads } from '../../db/sqlite.ts'
import { onlyFile } from '../backup.ts'
import type { Settings } from '../settings/settings.ts'
import { timeOf } from '../time-argument.ts'
import { UsageError } from '../usage-error.ts'
import { backupsUntil, type Candidate, useNewest } from './candidates.ts'
import { rehearseRestore } from './rehearse-restore.ts'

/** `pointMs`: null where a file is named. */
type Arguments = { file: string | null; pointMs: number | null; isDryRun: boolean; json: boolean }

/**
 * `nines restore FILE|--point TIME`: restores a backup into a data folder that is empty or does not exist yet. `--point`: the
 * newest one at or before a time. `--dry-run`: says what that would do, and changes nothing; exit code 1 if it would be refused.
 */
export async function restore(args: string[], settings: Settings): Promise<number> {
  const { file, pointMs, isDryRun, json } = readArguments(args)
  const config = readConfig(settings.env)
  const path = resolve(config.dataDir)
  process.umask(0o077) // like the server, which owns these files
  if (!isDryRun) assertEmpty(path) // before a lock is created in a folder of another program
  const candidates = pointMs === null ? [fileOf(file ?? '')] : await backupsUntil(config, pointMs)
  assertSqliteLoads()
  return useNewest(candidates, pointMs, (from) =>
    isDryRun ? rehearseRestore(from, { dataDir: path, pointMs, json }) : restoreFrom(from, path),
  )
}

async function restoreFrom(file: string, path: string): Promise<number> {
  const dataDir = prepareDataDir(path)
  const lock = lockDataDir(dataDir)
  try {
    assertEmpty(dataDir)
    const { names, atMs } = await restoreBackup(file, dataDir)
    process.stdout.write(`${names.join(', ')} of ${file} are in ${dataDir}, as of ${isoTime(atMs)}; start nines\n`)
    return 0
  } finally {
    lock.release()
  }
}

function fileOf(file: string): Candidate {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`there is no file ${file}`)
  return { name: file, atMs: null, place: null, open: async () => ({ file, release: () => {} }) }
}

function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const { point, json = false, 'dry-run': isDryRun = false } = values
  if (json && !isDryRun) throw new UsageError('restore takes --json with --dry-run only')
  if (point === undefined) return { file: onlyFile(positionals, 'restore'), pointMs: null, isDryRun, json }
  if (positionals.length > 0) throw new UsageError('restore takes one FILE or --point TIME, not both')
  return { file: null, pointMs: timeOf('--point', point), isDryRun, json }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { point: { type: 'string' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
      allowPositionals: true,
    })
  } catch (cause) {
    throw new UsageError(`restore takes one FILE or --point TIME, and --dry-run; got "${args.join(' ')}"`, { cause })
  }
}
