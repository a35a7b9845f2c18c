import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, minuteMs } from '../../clock.ts'
import { backupsToDelete, type KeepRule, timeOfBackup } from '../../db/backup/kept-backups.ts'
import type { Log } from '../../log.ts'
import type { CopyState } from '../../status/backup-state.ts'
import type { Conditions } from '../../status/watch/conditions.ts'
import { type Bucket, BucketError, type StoredObject } from './bucket.ts'

/** Copies of the backups of a folder in an S3 bucket. */
export type Copies = {
  /**
   * Copies the newest backup of the folder into the bucket, unless it is there, and deletes the backups in the bucket that `keep`
   * does not keep. A failure to copy raises the condition `backup_not_copied` and leaves the folder as it is; the next attempt is
   * ten minutes later.
   */
  copyWhenDue(signal: AbortSignal): Promise<void>
  state(): CopyState
}

type Deps = {
  bucket: Bucket
  folder: string
  keep: KeepRule
  stopwatch: Clock
  log: Log
  conditions: Pick<Conditions, 'set'>
}

const retryAfterMs = 10 * minuteMs

/** Names of the backups in a folder, newest first; none if there is no folder. */
export function backupsIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder)
    .filter((name) => timeOfBackup(name) !== null)
    .toSorted()
    .toReversed()
}

export function createCopies({ bucket, folder, keep, stopwatch, log, conditions }: Deps): Copies {
  let copiedName: string | undefined
  let retryAtMs = -Infinity
  let objects: StoredObject[] | null = null
  let problem: string | null = null

  async function copy(name: string, signal: AbortSignal): Promise<void> {
    const file = join(folder, name)
    const { size: bytes } = statSync(file)
    const isThere = () => objects?.some((object) => object.name === name && object.bytes === bytes) ?? false
    objects = await bucket.list(signal)
    if (isThere()) return
    const beganMs = stopwatch.now()
    await bucket.put(name, file, signal)
    objects = await bucket.list(signal)
    if (!isThere()) throw new BucketError('does not list what it has accepted', { isTransient: false })
    log.info('backup copied', { name, size_bytes: bytes, seconds: Math.round(stopwatch.now() - beganMs) / 1000 })
  }

  /**
   * Deletes old copies. A failure is only logged: the key may be without permission to delete, if the bucket deletes by its own
   * rule.
   */
  async function deleteOld(signal: AbortSignal): Promise<void> {
    const names = (objects ?? []).map(({ name }) => name)
    try {
      for (const name of backupsToDelete(names, keep)) {
        await bucket.remove(name, signal)
        objects = (objects ?? []).filter((object) => object.name !== name)
      }
    } catch (error) {
      signal.throwIfAborted()
      log.warn('old copies of backups not deleted', describe(error))
    }
  }

  return {
    async copyWhenDue(signal) {
      const [newest] = backupsIn(folder)
      if (newest === undefined || newest === copiedName || stopwatch.now() < retryAtMs) return
      try {
        await copy(newest, signal)
        await deleteOld(signal)
        copiedName = newest
        problem = null
        conditions.set('backup_not_copied', null)
      } catch (error) {
        if (signal.aborted) return
        retryAtMs = stopwatch.now() + retryAfterMs
        const described = describe(error)
        problem = described.problem
        log.error('backup not copied', { name: newest, ...described })
        conditions.set('backup_not_copied', `the last backup is in BACKUP_DIR only: ${problem}`)
      }
    },
    state() {
      const names = objects?.map(({ name }) => name).filter((name) => timeOfBackup(name) !== null)
      return { names: names ?? null, problem }
    },
  }
}

function describe(error: unknown): { problem: string; details?: string } {
  if (!(error instanceof BucketError)) {
    return { problem: 'its file cannot be read', details: error instanceof Error ? error.message : String(error) }
  }
  const problem = `the server of BACKUP_S3_URL ${error.message}`
  return { problem, ...(error.details !== null && { details: error.details }) }
}
