import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { clockRecordName, lastBackupName } from '../backup/parts.ts'
import { unfinishedName } from '../backup/restore-backup.ts'
import { syncFolder } from './data-dir.ts'
import { versionOf } from '../migrations.ts'
import { openSamples } from '../open-samples.ts'
import { Database } from '../sqlite.ts'

/** Files that exist only if there has been a `nines.db` with content. */
const companions = /^(?:samples\.db|(?:jwt|seal|demo)\.secret|seal\.secret\.next|nines\.db\.before-\d+)$/

/**
 * Throws if a data folder has lost its `nines.db`: it is missing or empty, but files that belong to it are there. If nines
 * started again, the first person to register would be the administrator.
 */
export function assertNotLost(dataDir: string): void {
  const isUnfinished = existsSync(join(dataDir, unfinishedName)) && !existsSync(join(dataDir, 'nines.db'))
  if (isUnfinished) throw new Error(`a restore into ${dataDir} has not come to its end: run nines restore FILE again`)
  const companion = readdirSync(dataDir).find((name) => companions.test(name))
  const state = companion === undefined ? 'used' : stateOf(join(dataDir, 'nines.db'))
  if (state === 'used') return
  throw new Error(
    `${join(dataDir, 'nines.db')} is ${state}, and ${companion} beside it belongs to one: restore a backup into an empty folder, or start with nines serve --new, which moves what is there aside and has no accounts`,
  )
}

/**
 * Moves the remains of a lost `nines.db` into a folder beside it, and returns that folder's path; undefined if there were none.
 * Throws if there is a database. The caller has locked the data folder.
 */
export function setAside(dataDir: string, nowMs: number): string | undefined {
  if (stateOf(join(dataDir, 'nines.db')) === 'used') {
    throw new Error(`${join(dataDir, 'nines.db')} is in use: --new is for a data folder that has lost it; leave it out`)
  }
  const others = new Set([unfinishedName, lastBackupName, clockRecordName])
  const isOurs = (name: string) => companions.test(name) || /^(?:nines|samples)\.db/.test(name) || others.has(name)
  return moveAside(dataDir, isOurs, nowMs)
}

/** Like `setAside`, for a lost `samples.db` only. Creates a new one in its place; throws unless only `samples.db` is lost. */
export function renewSamples(dataDir: string, nowMs: number): string | undefined {
  const isLost = stateOf(join(dataDir, 'samples.db')) !== 'used'
  if (!isLost || stateOf(join(dataDir, 'nines.db')) !== 'used') {
    throw new Error(
      `--new-samples is for a data folder that has lost its samples.db, but not its nines.db; ${dataDir} has not: leave it out`,
    )
  }
  const aside = moveAside(dataDir, (name) => name.startsWith('samples.db'), nowMs)
  openSamples(dataDir).close()
  return aside
}

function moveAside(dataDir: string, isOurs: (name: string) => boolean, nowMs: number): string | undefined {
  const names = readdirSync(dataDir).filter(isOurs)
  if (names.length === 0) return undefined
  const aside = join(dataDir, `set-aside-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`)
  mkdirSync(aside, { mode: 0o700 })
  for (const name of names) renameSync(join(dataDir, name), join(aside, name))
  syncFolder(join(dataDir, 'nines.db'))
  return aside
}

function stateOf(path: string): 'missing' | 'empty' | 'used' {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return 'missing'
  if (stats.size === 0) return 'empty'
  const db = new Database(path)
  try {
    return versionOf(db) === 0 ? 'empty' : 'used'
  } catch {
    return 'used' // not a database: opening it reports that
  } finally {
    db.close()
  }
}
