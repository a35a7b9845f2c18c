import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckProgress, findDamage } from '../failures/check-database.ts'
import { assertSamples } from '../open-samples.ts'
import { currentVersion, versionOf } from '../migrations.ts'
import { assertSealFits } from '../sealing/keys.ts'
import { assertShape } from '../shape.ts'
import { type Connection, Database } from '../sqlite.ts'
import { databaseNames } from './parts.ts'
import { restoreBackup } from './restore-backup.ts'

/** A part of a data folder, and what is wrong with it; null: nothing is wrong. */
export type VerifiedPart = { name: string; problem: string | null }

/**
 * Reads the databases of a data folder whole, and checks that `samples.db` has the tables of samples; if nothing is wrong, also
 * that the schema is one that this version knows and that the secret is the one that the database is sealed with. `onProgress`:
 * called for each table that is read.
 */
export function verifyFolder(
  folder: string,
  onProgress: (name: string, progress: CheckProgress) => void = () => {},
): VerifiedPart[] {
  const parts: VerifiedPart[] = databaseNames
    .filter((name) => existsSync(join(folder, name)))
    .map((name) => {
      const damage = findDamage(join(folder, name), (progress) => onProgress(name, progress))
      const check = name === 'samples.db' ? assertSamples : () => {}
      return { name, problem: damage ?? problemOf(() => read(folder, name, check)) }
    })
  if (parts.some(({ problem }) => problem !== null)) return parts
  return [
    ...parts,
    { name: 'schema', problem: problemOf(() => read(folder, 'nines.db', checkSchema)) },
    { name: 'secrets', problem: problemOf(() => assertSealFits(folder)) },
  ]
}

/** Restores a backup into a new folder within `folder`, verifies that, and deletes it. Throws what is wrong with the backup. */
export async function verifyBackup(file: string, folder: string): Promise<void> {
  const restored = join(folder, 'restored')
  mkdirSync(restored, { mode: 0o700 })
  try {
    await restoreBackup(file, restored)
    const wrong = verifyFolder(restored).find(({ problem }) => problem !== null)
    if (wrong) throw new Error(`${wrong.name} of the backup: ${wrong.problem}`)
  } finally {
    rmSync(restored, { recursive: true, force: true })
  }
}

function checkSchema(db: Connection): void {
  const version = versionOf(db)
  if (version > currentVersion) {
    throw new Error(
      `version ${version}, and this nines knows ${currentVersion}: verify it with the nines that wrote it`,
    )
  }
  assertShape(db, version)
}

function read(folder: string, name: string, check: (db: Connection) => void): void {
  const db = new Database(join(folder, name), { readonly: true, fileMustExist: true })
  try {
    check(db)
  } finally {
    db.close()
  }
}

function problemOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
