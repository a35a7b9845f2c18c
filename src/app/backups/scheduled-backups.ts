import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Clock, minuteMs } from '../../clock.ts'
import { type Config, ConfigError } from '../../config.ts'
import { backupName, backupsToDelete, type KeepRule, timeOfBackup } from '../../db/backup/kept-backups.ts'
import { readLastBackup } from '../../db/backup/last-backup.ts'
import { assertCron, nextDue } from '../../embedded/heartbeats/schedule.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { BackupAttempt, BackupState } from '../../status/backup-state.ts'
import type { Conditions } from '../../status/watch/conditions.ts'
import type { Bucket } from './bucket.ts'
import { backupsIn, createCopies } from './copies.ts'

/** Backups of the data folder into `BACKUP_DIR`, at the times of `BACKUP_SCHEDULE` and when somebody asks for one. */
export type ScheduledBackups = {
  /**
   * Writes and verifies a backup in `BACKUP_DIR` if one is due and there is an organization, also if it became due while nines was
   * off. Then deletes backups that `BACKUP_KEEP` does not keep. If a backup fails, raises the condition `backup_failed` and retries
   * after ten minutes. Then copies the newest backup to the bucket of `BACKUP_S3_URL`, if that is set.
   */
  runWhenDue(): Promise<void>
  /**
   * Begins a backup; `state` has its outcome. Throws `conflict` while another is being written and without `BACKUP_DIR`,
   * `unavailable` while nines is stopping.
   */
  startNow(): void
  /** Schedule, last attempt and files; null if no `BACKUP_DIR` is set. */
  state(): BackupState | null
  /** Aborts a backup that is being written or copied, and waits for it; no partial file remains. */
  close(): Promise<void>
}

/** Writes and verifies a backup; resolves to the problem, or null. `signal` aborts it. */
export type WriteBackup = (file: string, signal: AbortSignal) => Promise<string | null>

type Deps = {
  config: Pick<Config, 'backupSchedule' | 'backupDir' | 'backupKeep'>
  dataDir: string
  clock: Clock
  stopwatch: Clock
  log: Log
  conditions: Pick<Conditions, 'set'>
  hasOrganizations: () => Promise<boolean>
  bucket?: Bucket | null
  writeBackup?: WriteBackup | undefined
}

const retryAfterMs = 10 * minuteMs

export function createScheduledBackups(deps: Deps): ScheduledBackups {
  const { backupDir } = deps.config
  if (backupDir !== null) return createBackups(deps, resolve(backupDir))
  return {
    runWhenDue: async () => {},
    startNow: () => {
      throw new AppError('conflict', 'There is no folder for backups', { details: 'set BACKUP_DIR, and restart nines' })
    },
    state: () => null,
    close: async () => {},
  }
}

function createBackups(deps: Deps, folder: string): ScheduledBackups {
  const { config, dataDir, clock, stopwatch, log, conditions, hasOrganizations, bucket = null } = deps
  const { backupSchedule: cron } = config
  const { writeBackup = createBackupCommand(dataDir) } = deps
  const keep = readKeepRule(config)
  const copies = bucket && createCopies({ bucket, folder, keep, stopwatch, log, conditions })
  const closing = new AbortController()
  let retryAtMs = -Infinity
  let last: BackupAttempt | null = null
  let isRunning = false
  const underWay = new Set<Promise<void>>()

  function nextMs(): number | null {
    if (cron === null) return null
    const lastMs = readLastBackup(dataDir)
    return lastMs === null ? clock.now() : nextDue({ cron, timeZone: 'UTC' }, lastMs)
  }

  function isDue(): boolean {
    if (isRunning || closing.signal.aborted || stopwatch.now() < retryAtMs) return false
    const dueMs = nextMs()
    return dueMs !== null && clock.now() >= dueMs
  }

  async function write(): Promise<void> {
    const atMs = clock.now()
    const file = join(folder, backupName(atMs))
    const beganMs = stopwatch.now()
    const problem = await tryTo(async () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return writeBackup(file, closing.signal)
    })
    if (closing.signal.aborted) return
    const seconds = Math.round(stopwatch.now() - beganMs) / 1000
    last = { atMs, seconds, problem }
    if (problem === null) {
      log.info('backup written', { file, size_bytes: statSync(file).size, seconds })
    } else {
      retryAtMs = stopwatch.now() + retryAfterMs
      log.error('backup failed', { file, problem })
    }
    conditions.set('backup_failed', problem && 'the last backup into BACKUP_DIR failed; the log says why')
    if (problem === null) for (const name of backupsToDelete(readdirSync(folder), keep)) rmSync(join(folder, name))
  }

  async function begin(): Promise<void> {
    isRunning = true
    await track(write()).finally(() => {
      isRunning = false
    })
  }

  function track(work: Promise<void>): Promise<void> {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }

  return {
    async runWhenDue() {
      if (isDue() && (await hasOrganizations())) await begin()
      if (!copies || isRunning || closing.signal.aborted) return
      await track(copies.copyWhenDue(closing.signal))
    },
    startNow() {
      if (isRunning)
        throw new AppError('conflict', 'A backup is being written', { details: 'wait until it is complete' })
      if (closing.signal.aborted) throw new AppError('unavailable', 'nines is stopping')
      begin().catch((error: unknown) => log.error('backup failed', { problem: error }))
    },
    state() {
      const { files, problem } = listFiles(folder)
      return { schedule: cron, nextMs: nextMs(), isRunning, problem, last, files, copies: copies?.state() ?? null }
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay)
    },
  }
}

/** Lists the backups in a folder, without those that are deleted while it is read. */
function listFiles(folder: string): Pick<BackupState, 'files' | 'problem'> {
  try {
    const files = backupsIn(folder).flatMap((name) => {
      const bytes = statSync(join(folder, name), { throwIfNoEntry: false })?.size
      return bytes === undefined ? [] : [{ name, atMs: timeOfBackup(name) ?? 0, bytes }]
    })
    return { files, problem: null }
  } catch (error) {
    return { files: [], problem: `${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Throws `ConfigError` if `BACKUP_SCHEDULE` is invalid, or is set without `BACKUP_DIR`. */
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
  if (backupDir === null) throw new ConfigError('BACKUP_DIR: must be set if BACKUP_SCHEDULE is set')
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

/** Creates the function that runs `nines backup` as a separate process, so that a backup does not delay requests. */
function createBackupCommand(dataDir: string): WriteBackup {
  const isExecutable = Bun.main.startsWith('/$bunfs/') // else run from source, by Bun
  const program = isExecutable ? [process.execPath] : [process.execPath, Bun.main]
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
