import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Bucket, StoredObject } from '../../app/backups/bucket.ts'
import { backupsIn } from '../../app/backups/copies.ts'
import { isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { timeOfBackup } from '../../db/backup/kept-backups.ts'
import { formatBytes } from '../../status/format-bytes.ts'
import { formatDuration } from '../../status/watch/health-checks.ts'
import { describeFailure, openConfiguredBucket } from '../bucket.ts'
import { clearProgress, showProgress } from '../progress.ts'

/** A backup that may be restored. `place`: where it is kept, in words. `place` and `atMs` are null for a file that was named. */
export type Candidate = {
  name: string
  atMs: number | null
  place: string | null
  /** Gives a file to read, which `release` removes again if it was fetched. */
  open(): Promise<{ file: string; release(): void }>
}

/**
 * Lists the backups in `BACKUP_DIR` and in the bucket of `BACKUP_S3_URL` that began at or before a time, newest first; one that
 * is in both is read from the folder. Throws if there is none.
 */
export async function backupsUntil(config: Config, pointMs: number): Promise<Candidate[]> {
  const { backupDir, backupS3Url } = config
  if (backupDir === null && backupS3Url === null) {
    throw new Error('there is no place of backups; set BACKUP_DIR or BACKUP_S3_URL, or name a FILE')
  }
  const inFolder = backupDir === null ? [] : candidatesIn(resolve(backupDir))
  const names = new Set(inFolder.map(({ name }) => name))
  const inBucket = await bucketCandidates(config, inFolder.length > 0)
  const all = [...inFolder, ...inBucket.filter(({ name }) => !names.has(name))]
  const byAge = all.toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0))
  const eligible = byAge.filter(({ atMs }) => (atMs ?? 0) <= pointMs)
  if (eligible.length > 0) return eligible
  const oldest = byAge.at(-1)
  const others = oldest ? `; the oldest is ${oldest.name} in ${oldest.place}` : ''
  throw new Error(`there is no backup of ${isoTime(pointMs)} or before${others}`)
}

function candidatesIn(folder: string): Candidate[] {
  return backupsIn(folder).map((name) => ({
    name,
    atMs: timeOfBackup(name),
    place: folder,
    open: async () => ({ file: join(folder, name), release: () => {} }),
  }))
}

/** Backups in the bucket. If `hasOthers`, a failure of the bucket is only reported: the folder's may be all that is left. */
async function bucketCandidates(config: Config, hasOthers: boolean): Promise<Candidate[]> {
  const bucket = await openConfiguredBucket(config)
  if (bucket === null) return []
  try {
    const objects = await bucket.list()
    return objects
      .filter(({ name }) => timeOfBackup(name) !== null)
      .map((object) => ({
        name: object.name,
        atMs: timeOfBackup(object.name),
        place: 'the bucket of BACKUP_S3_URL',
        open: () => fetchObject(bucket, object),
      }))
  } catch (error) {
    if (!hasOthers) throw describeFailure(error)
    process.stderr.write(`nines: only BACKUP_DIR was searched: ${describeFailure(error).message}\n`)
    return []
  }
}

async function fetchObject(bucket: Bucket, object: StoredObject): Promise<{ file: string; release(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'nines-restore-'))
  const release = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', release)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  const file = join(folder, object.name)
  showProgress(`fetching ${object.name}, ${formatBytes(object.bytes)}`)
  try {
    await bucket.get(object, file)
    return { file, release }
  } catch (error) {
    release()
    throw describeFailure(error)
  } finally {
    clearProgress()
  }
}

/**
 * Calls `use` with the file of the first candidate, and if that is damaged with the next one; prints which it takes. Throws the
 * last failure, and a failure of the machine, such as a full disk, at once. `pointMs`: the time that was asked for; null: a file
 * was named.
 */
export async function useNewest(
  candidates: Candidate[],
  pointMs: number | null,
  use: (file: string) => Promise<number>,
): Promise<number> {
  for (const [index, candidate] of candidates.entries()) {
    const { file, release } = await candidate.open()
    try {
      if (pointMs !== null) process.stderr.write(describeChoice(candidate, pointMs))
      return await use(file)
    } catch (error) {
      if (index === candidates.length - 1 || !isDamage(error)) throw error
      process.stderr.write(`nines: ${error.message}; trying the one before\n`)
    } finally {
      release()
    }
  }
  throw new Error('there is no backup')
}

function describeChoice({ name, atMs, place }: Candidate, pointMs: number): string {
  const ageMs = pointMs - (atMs ?? pointMs)
  const when = ageMs === 0 ? 'of that time' : `${formatDuration(ageMs)} before ${isoTime(pointMs)}`
  return `nines: ${name} in ${place}, ${when}; what was written after ${isoTime(atMs ?? pointMs)} is not in it\n`
}

/** True if an error of `restoreBackup` is about the contents of the backup, not about the machine. */
function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return false
  return !('code' in error.cause && /^E[A-Z]+$/.test(String(error.cause.code)))
}
