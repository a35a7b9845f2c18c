import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hourMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { readLastBackup } from '../../db/backup/last-backup.ts'
import { databaseNames, secretNames } from '../../db/backup/parts.ts'
import { findExposed, readSecret } from '../../db/data-folder/data-dir.ts'
import { assertNotLost } from '../../db/data-folder/lost-database.ts'
import { currentVersion, versionOf } from '../../db/migrations.ts'
import { assertShape } from '../../db/shape.ts'
import { Database } from '../../db/sqlite.ts'
import { formatBytes } from '../../status/format-bytes.ts'
import { failure, type Finding, messageOf, ok, warning } from './finding.ts'

const backupAdvice = 'set BACKUP_SCHEDULE and BACKUP_DIR, or run nines backup FILE each day by a timer'
const weekHours = 7 * 24

/** The path itself if it exists, else the nearest folder above it that does. */
export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

/** Checks that this user can write to the data folder, and that others cannot read it. Creates nothing. */
export function checkFolder(dataDir: string): Finding[] {
  const folder = nearestExisting(dataDir)
  if (!statSync(folder).isDirectory()) {
    return [failure('data_folder', `${folder} is not a folder`, 'set DATA_DIR to a folder, or move the file away')]
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const advice = `run this as the user who runs nines, or let it write there: chown -R USER '${folder}'`
    return [failure('data_folder', `${folder} cannot be written: ${messageOf(error)}`, advice)]
  }
  if (folder !== dataDir) return [ok('data_folder', `${dataDir} does not exist yet; the first start makes it`)]
  const exposed = findExposed(dataDir).map(({ path, mode, run }) =>
    warning('data_folder', `other users can get at ${path} (mode ${mode})`, run),
  )
  const all = [...exposed, ...foreignDatabases(dataDir)]
  return all.length > 0 ? all : [ok('data_folder', `${dataDir} can be written, and is closed to other users`)]
}

/** Warns of databases that belong to another user: a server started by this user could not open them. */
function foreignDatabases(dataDir: string): Finding[] {
  const ownUid = process.geteuid?.()
  const files = databaseNames.map((name) => join(dataDir, name)).filter(existsSync)
  const owned = files.map((path) => ({ path, uid: statSync(path).uid }))
  const first = ownUid === undefined ? undefined : owned.find(({ uid }) => uid !== ownUid)
  if (!first) return []
  const advice = 'run this as that user, or give the folder to the one who runs nines'
  return [warning('data_folder', `${first.path} belongs to uid ${first.uid}, and this is uid ${ownUid}`, advice)]
}

/** Checks the files of secrets: owner, permissions and content. */
export function checkSecrets(dataDir: string): Finding[] {
  const paths = secretNames.map((name) => join(dataDir, name)).filter(existsSync)
  const wrong = paths.flatMap((path) => {
    try {
      readSecret(path)
      return []
    } catch (error) {
      return [failure('secrets', messageOf(error), 'nines does not start until that is done')]
    }
  })
  if (wrong.length > 0) return wrong
  return [ok('secrets', paths.length === 0 ? 'there are none yet' : `${paths.length} files, for their owner only`)]
}

const minRoomBytes = 64 * 1024 ** 2
const goodRoomBytes = 1024 ** 3

/** Checks the space on the disk of the data folder. */
export function checkDisk(dataDir: string): Finding[] {
  const { bavail, bsize, files, ffree } = statfsSync(nearestExisting(dataDir))
  const freeBytes = bavail * bsize
  const message = `${formatBytes(freeBytes)} free where ${dataDir} is`
  const advice = 'make room, or lower SAMPLES_MAX_BYTES and RETENTION_DAYS'
  if (files > 0 && ffree === 0) return [failure('disk', `no inodes are left where ${dataDir} is`, 'remove files there')]
  if (freeBytes < minRoomBytes) return [failure('disk', message, advice)]
  const usedBytes = databaseNames.reduce((sum, name) => sum + sizeOf(join(dataDir, name)), 0)
  if (freeBytes < goodRoomBytes) return [warning('disk', message, advice)]
  if (freeBytes < usedBytes) {
    return [
      warning(
        'disk',
        `${message}, less than the databases have: ${formatBytes(usedBytes)}`,
        `${advice}; an upgrade and a backup copy them`,
      ),
    ]
  }
  return [ok('disk', message)]
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Checks that this nines can open the database. */
export function checkSchema(dataDir: string): Finding[] {
  const path = join(dataDir, 'nines.db')
  try {
    if (existsSync(dataDir)) assertNotLost(dataDir)
    if (!existsSync(path)) return [ok('database', 'there is none yet; the first start makes it')]
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      const version = versionOf(db)
      assertShape(db, version)
      return [findingOfVersion(version)]
    } finally {
      db.close()
    }
  } catch (error) {
    const advice = 'do what is said there, or restore the last backup with nines restore FILE into an empty folder'
    return [failure('database', `${path}: ${messageOf(error)}`, advice)]
  }
}

function findingOfVersion(version: number): Finding {
  const message = `schema version ${version}`
  if (version === currentVersion) return ok('database', `${message}, that of this nines`)
  if (version > currentVersion) {
    const advice = 'start the nines that wrote it, or restore a backup from before the upgrade'
    return failure('database', `${message}, and this nines knows ${currentVersion}`, advice)
  }
  return warning(
    'database',
    `${message}; the next start migrates it to ${currentVersion}`,
    'run nines backup FILE before',
  )
}

/** Checks the age of the last backup against `BACKUP_MAX_AGE_HOURS`, or a week. */
export function checkBackup({ backupMaxAgeHours }: Config, dataDir: string, nowMs: number): Finding[] {
  if (!existsSync(join(dataDir, 'nines.db'))) return [ok('backup', 'there is nothing to back up yet')]
  const atMs = readLastBackup(dataDir)
  if (atMs === null) return [warning('backup', 'no backup of this folder is known', backupAdvice)]
  const hours = Math.max(0, (nowMs - atMs) / hourMs)
  const message = `the last backup is ${hours < 48 ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`} old`
  if (backupMaxAgeHours > 0 && hours > backupMaxAgeHours) {
    return [failure('backup', `${message}, and BACKUP_MAX_AGE_HOURS is ${backupMaxAgeHours}`, backupAdvice)]
  }
  return [
    hours > weekHours && backupMaxAgeHours === 0 ? warning('backup', message, backupAdvice) : ok('backup', message),
  ]
}
