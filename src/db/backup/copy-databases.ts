import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSeal } from '../sealing/seal.ts'
import { type Connection, Database } from '../sqlite.ts'
import { databaseNames, secretNames } from './parts.ts'

/** What has been copied: the names of the databases, and the texts of the secrets. */
type Copied = { databases: string[]; secrets: Map<string, string> }

const pagesAtOnce = 1024

/**
 * Copies the databases of a data folder into another folder, all as they are at one moment, whatever is written meanwhile:
 * each is read in one transaction, which holds up no writer. Throws where a database is damaged, or the secret is not its own.
 */
export async function copyDatabases(dataDir: string, into: string): Promise<Copied> {
  const databases = databaseNames.filter((name) => existsSync(join(dataDir, name)))
  const sources = new Map<string, Connection>()
  try {
    for (const name of databases) sources.set(name, openAsIs(join(dataDir, name)))
    for (const source of sources.values()) source.exec('begin; select 1 from sqlite_schema') // all begin now, before any is read
    const secrets = readSecrets(dataDir)
    assertOwnSeal(sources.get('nines.db'), secrets.get('seal.secret'))
    for (const [name, source] of sources) await source.backup(join(into, name), { progress: () => pagesAtOnce })
    for (const name of databases) assertUndamaged(into, name)
    return { databases, secrets }
  } finally {
    for (const source of sources.values()) source.close()
  }
}

function openAsIs(path: string): Connection {
  const connection = new Database(path, { fileMustExist: true })
  connection.pragma('query_only = ON')
  return connection
}

function readSecrets(dataDir: string): Map<string, string> {
  const found = secretNames.filter((name) => existsSync(join(dataDir, name)))
  return new Map(found.map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]))
}

/** A rotation replaces both, one after the other. */
function assertOwnSeal(db: Connection | undefined, secret: string | undefined): void {
  const keyId = db?.prepare<[], string>('select seal_key_id from instance').pluck().get()
  if (keyId === undefined) return
  if (secret !== undefined && createSeal(Buffer.from(secret.trim(), 'hex')).keyId === keyId) return
  throw new Error(
    secret === undefined
      ? 'seal.secret is missing, with which nines.db is sealed'
      : 'seal.secret is not the one that nines.db is sealed with; where it is being rotated, start again afterwards',
  )
}

function assertUndamaged(folder: string, name: string): void {
  const copy = new Database(join(folder, name))
  try {
    const found = copy.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok') throw new Error(String(found))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${name} is damaged, and earlier backups are better: ${problem}`, { cause })
  } finally {
    copy.close()
  }
}
