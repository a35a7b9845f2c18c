import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskFailureOf } from './failures/disk-failure.ts'
import type { Connection } from './sqlite.ts'

/** A migration step: the SQL that brings a database from the previous version to `version`. */
export type Migration = { version: number; sql: string }

/** Steps in order, without gaps, never edited once released. Version 1 is schema.sql as first released and has no step. */
export const migrations: Migration[] = []

export const firstVersion = 1

/** The version of `schema.sql`. */
export const currentVersion = migrations.at(-1)?.version ?? firstVersion

/** A completed step, and the snapshot taken before it. */
export type Migrated = { from: number; to: number; snapshot: string }

type Options = { dataDir: string; schema: string; steps: Migration[]; onMigrated?: (step: Migrated) => void }

const snapshotsKept = 2

/**
 * Creates a new database from `schema`, or migrates an older one. Each step runs in a separate transaction, after a snapshot
 * (`nines.db.before-N`). After the last step, two snapshots are kept: from before this upgrade and from before the previous
 * one. Throws, without a change, if this nines does not support the version of the database. If a step fails, throws and keeps
 * the steps before it.
 */
export function migrate(db: Connection, { dataDir, schema, steps, onMigrated = () => {} }: Options): void {
  const newest = steps.at(-1)?.version ?? firstVersion
  const current = versionOf(db)
  if (current < 0 || current > newest) {
    throw new Error(
      `the database has schema version ${current}, and this nines knows ${newest}: start the nines that wrote it`,
    )
  }
  if (current === 0) {
    inTransaction(db, newest, () => db.exec(schema))
    return
  }
  const ahead = steps.filter(({ version }) => version > current)
  for (const step of ahead) {
    try {
      const from = versionOf(db)
      const snapshot = takeStep(db, dataDir, step)
      onMigrated({ from, to: step.version, snapshot })
    } catch (cause) {
      const problem = problemOf(cause, dataDir)
      const from = versionOf(db)
      throw new Error(
        `the step from schema version ${from} to ${step.version} failed, nothing of it remains: ${problem}`,
        {
          cause,
        },
      )
    }
  }
  if (ahead[0]) prune(dataDir, ahead[0].version)
}

function problemOf(cause: unknown, dataDir: string): string {
  if (diskFailureOf(cause, dataDir)?.problem === 'disk_full') {
    return 'the disk is full; free space on it, "nines migrate --dry-run" says how much is needed'
  }
  return cause instanceof Error ? cause.message : String(cause)
}

/**
 * Deletes snapshots except the newest two. Those between the steps of one upgrade are always deleted: no release needs to
 * support their versions.
 */
function prune(dataDir: string, firstStep: number): void {
  const versions = readdirSync(dataDir)
    .flatMap((name) => /^nines\.db\.before-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
  const newest = new Set(
    versions
      .filter((version) => version <= firstStep)
      .toSorted((a, b) => b - a)
      .slice(0, snapshotsKept),
  )
  for (const version of versions) if (!newest.has(version)) rmSync(snapshotPath(dataDir, version))
}

function snapshotPath(dataDir: string, version: number): string {
  return join(dataDir, `nines.db.before-${version}`)
}

/**
 * Takes a snapshot, runs the step and returns the path of the snapshot. Foreign keys are off, because a step may rebuild a
 * table, and dropping the old one must not delete rows that refer to it.
 */
function takeStep(db: Connection, dataDir: string, { version, sql }: Migration): string {
  const snapshot = snapshotPath(dataDir, version)
  rmSync(snapshot, { force: true }) // of an upgrade that was cut short: the database has not changed since
  try {
    db.prepare('VACUUM INTO ?').run(snapshot)
  } catch (error) {
    rmSync(snapshot, { force: true }) // an incomplete snapshot would only take space
    throw error
  }
  db.pragma('foreign_keys = OFF') // has no effect inside a transaction
  try {
    inTransaction(db, version, () => db.exec(sql))
  } finally {
    db.pragma('foreign_keys = ON')
  }
  return snapshot
}

export function versionOf(db: Connection): number {
  return Number(db.pragma('user_version', { simple: true }))
}

function inTransaction(db: Connection, version: number, change: () => void): void {
  db.transaction(() => {
    change()
    const [orphan] = db.prepare<[], { table: string }>('SELECT "table" FROM pragma_foreign_key_check').all()
    if (orphan) throw new Error(`a row of ${orphan.table} refers to one that does not exist`)
    db.pragma(`user_version = ${version}`)
  })()
}
