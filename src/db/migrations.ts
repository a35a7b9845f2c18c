import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bindSealedValues } from './seal-key.ts'
import type { Connection } from './sqlite.ts'
import step2 from './steps/2.sql' with { type: 'text' }
import step3 from './steps/3.sql' with { type: 'text' }
import step4 from './steps/4.sql' with { type: 'text' }
import step5 from './steps/5.sql' with { type: 'text' }
import step6 from './steps/6.sql' with { type: 'text' }
import step7 from './steps/7.sql' with { type: 'text' }

/**
 * One step forward: the SQL that brings a database from the version before it to `version`, and what SQL cannot do, after
 * it and in the same transaction.
 */
export type Migration = { version: number; sql: string; finish?: (db: Connection, dataDir: string) => void }

/** In order, without gaps, never edited once released. Version 1 is the first schema.sql and has no step. */
export const migrations: Migration[] = [
  { version: 2, sql: step2 },
  { version: 3, sql: step3 },
  { version: 4, sql: step4 },
  { version: 5, sql: step5 },
  { version: 6, sql: step6 },
  { version: 7, sql: step7, finish: bindSealedValues },
]

export const firstVersion = 1

type Options = { dataDir: string; schema: string; steps: Migration[] }

/**
 * Makes a new database from `schema`, or brings an older one forward, each step in a transaction of its own and after a
 * snapshot (`nines.db.before-N`). Throws, without a change, for a database that a newer nines has written, and for a step
 * that fails; the steps before that one stay.
 */
export function migrate(db: Connection, { dataDir, schema, steps }: Options): void {
  const newest = steps.at(-1)?.version ?? firstVersion
  const current = versionOf(db)
  if (current > newest) {
    throw new Error(`the database has schema version ${current}; this nines knows ${newest}: start a newer nines`)
  }
  if (current === 0) {
    inTransaction(db, newest, () => db.exec(schema))
    return
  }
  for (const step of steps.filter(({ version }) => version > current)) {
    try {
      takeStep(db, dataDir, step)
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause)
      const from = versionOf(db)
      throw new Error(
        `the step from schema version ${from} to ${step.version} failed, nothing of it remains: ${problem}`,
        {
          cause,
        },
      )
    }
  }
}

/** A step may rebuild a table, and dropping the old one must not take along the rows that refer to it. */
function takeStep(db: Connection, dataDir: string, { version, sql, finish }: Migration): void {
  const snapshot = join(dataDir, `nines.db.before-${version}`)
  rmSync(snapshot, { force: true }) // of an upgrade that was cut short: the database has not changed since
  db.prepare('VACUUM INTO ?').run(snapshot)
  db.pragma('foreign_keys = OFF') // inside a transaction it would change nothing
  try {
    inTransaction(db, version, () => {
      db.exec(sql)
      finish?.(db, dataDir)
    })
  } finally {
    db.pragma('foreign_keys = ON')
  }
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
