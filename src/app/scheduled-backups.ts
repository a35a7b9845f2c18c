import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Clock, minuteMs } from '../clock.ts'
import { type Config, ConfigError } from '../config.ts'
import { backupName, backupsToDelete, type KeepRule } from '../db/backup/kept-backups.ts'
import { readLastBackup } from '../db/backup/last-backup.ts'
import { assertCron, nextDue } from '../embedded/heartbeats/schedule.ts'
import type { Log } from '../log.ts'
import type { Conditions } from '../status/watch/conditions.ts'

/** Backups of the data folder at the times of `BACKUP_SCHEDULE`. */
export type ScheduledBackups = {
  /**
   * Writes a backup into `BACKUP_DIR` if one is due, also one that was due while nines was off, verifies it, and deletes those that
   * `BACKUP_KEEP` does not keep. A failed one is a condition, and is tried again after ten minutes.
   */
  runWhenDue(): Promise<void>
  /** Ends a backup that is being written; its file does not come to be. */
  close(): Promise<void>
}

/** Writes and verifies a backup; resolves to the problem, or null. `signal` ends it. */
export type WriteBackup = (file: string, signal: AbortSignal) => Promise<string | null>

type Deps = {
  config: Pick<Config, 'backupSchedule' | 'backupDir' | 'backupKeep'>
  dataDir: string
  clock: Clock
  stopwatch: Clock
  log: Log
  conditions: Pick<Conditions, 'set'>
  hasOrganizations: () => Promise<boolean>
  writeBackup?: WriteBackup | undefined
}

const retryAfterMs = 10 * minuteMs

export function createScheduledBackups(deps: Deps): ScheduledBackups {
  const { config, dataDir, clock, stopwatch, log, conditions, hasOrganizations } = deps
  const { backupSchedule: cron, backupDir } = config
  if (cron === null || backupDir === null) return { runWhenDue: async () => {}, close: async () => {} }
  const { writeBackup = runCommand(dataDir) } = deps
  const folder = resolve(backupDir)
  const keep = readKeepRule(config)
  const closing = new AbortController()
  let retryAtMs = 0
  let running: Promise<void> = Promise.resolve()

  function isDue(): boolean {
    if (closing.signal.aborted || stopwatch.now() < retryAtMs) return false
    const lastMs = readLastBackup(dataDir)
    return lastMs === null || clock.now() >= nextDue({ cron: cron ?? '', timeZone: 'UTC' }, lastMs)
  }

  async function write(): Promise<void> {
    const file = join(folder, backupName(clock.now()))
    const beganMs = stopwatch.now()
    const problem = await tryTo(async () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return writeBackup(file, closing.signal)
    })
    if (closing.signal.aborted) return
    if (problem === null) {
      const seconds = Math.round(stopwatch.now() - beganMs) / 1000
      log.info('backup written', { file, size_bytes: statSync(file).size, seconds })
    } else {
      retryAtMs = stopwatch.now() + retryAfterMs
      log.error('backup failed', { file, problem })
    }
    conditions.set('backup_failed', problem && 'the last backup of BACKUP_SCHEDULE failed; the log says why')
    if (problem === null) for (const name of backupsToDelete(readdirSync(folder), keep)) rmSync(join(folder, name))
  }

  return {
    async runWhenDue() {
      if (!isDue() || !(await hasOrganizations())) return
      running = write()
      await running
    },
    async close() {
      closing.abort()
      await running.catch(() => {})
    },
  }
}

/** Throws `ConfigError` if the settings of scheduled backups do not fit one another. */
export function assertBackupSettings(
  { backupSchedule, backupDir }: Pick<Config, 'backupSchedule' | 'backupDir'>,
  nowMs: number,
): void {
  if (backupSchedule === null) return
  try {
    assertCron(backupSchedule, 'UTC', nowMs)
  } catch {
    throw new ConfigError(`BACKUP_SCHEDULE: must be a cron expression such as "15 2 * * *", got "${backupSchedule}"`)
  }
  if (backupDir === null) throw new ConfigError('BACKUP_DIR: must be set where BACKUP_SCHEDULE is')
}

function readKeepRule({ backupKeep }: Pick<Config, 'backupKeep'>): KeepRule {
  const [daily = 0, weekly = 0, monthly = 0] = backupKeep.map(Number)
  return { daily, weekly, monthly }
}

async function tryTo(write: () => Promise<string | null>): Promise<string | null> {
  try {
    return await write()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Runs `nines backup` as a process of its own, so that the copy holds up no request. */
function runCommand(dataDir: string): WriteBackup {
  const program = Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, Bun.main]
  return async (file, signal) => {
    const child = Bun.spawn([...program, 'backup', '--verify', file], {
      env: { DATA_DIR: dataDir, TMPDIR: tmpdir() },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      signal,
      killSignal: 'SIGTERM',
    })
    const [text, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    if (exitCode === 0) return null
    return (
      text
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^nines: /, '') || `nines backup ended with exit code ${exitCode}`
    )
  }
}
