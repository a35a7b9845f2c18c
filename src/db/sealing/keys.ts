import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret, moveSecret, readSecret, removeDrafts } from '../data-folder/data-dir.ts'
import { createSeal, type Seal } from './seal.ts'
import { hasSealedValues, type Resealed, resealAll, wrongSecret } from './sealed-values.ts'
import { type Connection, Database, type Statements } from '../sqlite.ts'

const sealName = 'seal.secret'
const nextName = 'seal.secret.next'
const jwtName = 'jwt.secret'

type Instance = { instance_id: string; seal_key_id: string }

/**
 * Opens the seal of a data folder, and the id of the instance, which stays the same when the key changes. Finishes a rotation that
 * was cut short. `db`: its database; if absent, it is opened for this call, and must be migrated already. The caller has locked the
 * folder. Throws if `seal.secret` is not the one that the values were sealed with.
 */
export function openSeal(dataDir: string, db?: Statements): { seal: Seal; instanceId: string } {
  if (!db) return withDatabase(dataDir, (opened) => openSeal(dataDir, opened))
  removeDrafts(dataDir)
  finishRotation(db, dataDir)
  const seal = createSeal(keyIn(dataDir, db))
  const instance = findInstance(db)
  const instanceId = instance?.instance_id ?? randomBytes(6).toString('hex')
  if (instance?.seal_key_id !== seal.keyId) {
    if (instance && hasSealedValues(db)) throw wrongSecret()
    putInstance(db, { instance_id: instanceId, seal_key_id: seal.keyId })
  }
  return { seal, instanceId }
}

/**
 * Throws unless `seal.secret` is the one that the values of the database are sealed with. Changes nothing, so it may be called
 * beside a server.
 */
export function assertSealFits(dataDir: string): void {
  const db = new Database(join(dataDir, 'nines.db'), { readonly: true, fileMustExist: true })
  try {
    if (!hasSealedValues(db)) return
    const path = join(dataDir, sealName)
    if (!existsSync(path)) throw sealMissing(path)
    const { keyId } = createSeal(Buffer.from(readSecret(path), 'hex'))
    if (findInstance(db)?.seal_key_id !== keyId) throw wrongSecret()
  } finally {
    db.close()
  }
}

/**
 * Replaces `seal.secret` with a new key and seals every value again, in a folder as for `openSeal`. The commit decides which
 * key is valid: before it, the new key is in a file beside the old one; after it, the new one replaces the old one, at the
 * latest when the folder is opened the next time.
 */
export function rotateSeal(dataDir: string): Resealed {
  const { seal: oldSeal, instanceId } = openSeal(dataDir)
  const newSeal = createSeal(Buffer.from(readOrCreateSecret(dataDir, nextName), 'hex'))
  const resealed = withDatabase(dataDir, (db) => {
    db.pragma('secure_delete = ON') // overwrites the values that the old key sealed
    const reseal = db.transaction(() => {
      putInstance(db, { instance_id: instanceId, seal_key_id: newSeal.keyId })
      return resealAll(db, (sealed, column, row) => newSeal.seal(oldSeal.unseal(sealed, column, row), column, row))
    })
    const counts = reseal()
    db.pragma('wal_checkpoint(TRUNCATE)')
    return counts
  })
  moveSecret(join(dataDir, nextName), join(dataDir, sealName))
  return resealed
}

/** Returns the secret that signs access tokens; throws if it is lost. The database of the data folder must be migrated already. */
export function openJwtSecret(dataDir: string): string {
  const path = join(dataDir, jwtName)
  if (!existsSync(path) && hasUsers(dataDir)) {
    throw new Error(
      `${path} is missing, with which access tokens are signed: restore it from a backup, set JWT_SECRET where that was used, or make a new one with nines rotate-secret jwt`,
    )
  }
  return readOrCreateSecret(dataDir, jwtName)
}

/** Finishes a rotation, or undoes it: the database records with which of the two keys its values are sealed. */
function finishRotation(db: Statements, dataDir: string): void {
  const nextPath = join(dataDir, nextName)
  if (!existsSync(nextPath)) return
  const next = createSeal(Buffer.from(readSecret(nextPath), 'hex'))
  if (findInstance(db)?.seal_key_id === next.keyId) moveSecret(nextPath, join(dataDir, sealName))
  else rmSync(nextPath)
}

/** Reads the key. Creates it if nothing has been sealed yet; throws if it is lost. */
function keyIn(dataDir: string, db: Statements): Buffer {
  const path = join(dataDir, sealName)
  if (!existsSync(path) && hasSealedValues(db)) throw sealMissing(path)
  return Buffer.from(readOrCreateSecret(dataDir, sealName), 'hex')
}

function sealMissing(path: string): Error {
  return new Error(`${path} is missing, with which the stored credentials were sealed: restore it from a backup`)
}

function findInstance(db: Statements): Instance | undefined {
  return db.prepare<[], Instance>('SELECT instance_id, seal_key_id FROM instance').get()
}

function putInstance(db: Statements, { instance_id, seal_key_id }: Instance): void {
  const keepVersion = // the column `version` of a row that exists
    'ON CONFLICT (id) DO UPDATE SET instance_id = excluded.instance_id, seal_key_id = excluded.seal_key_id'
  db.prepare(`INSERT INTO instance (id, instance_id, seal_key_id) VALUES (1, ?, ?) ${keepVersion}`).run(
    instance_id,
    seal_key_id,
  )
}

function withDatabase<T>(dataDir: string, work: (db: Connection) => T): T {
  const db = new Database(join(dataDir, 'nines.db'))
  try {
    db.pragma('synchronous = FULL')
    return work(db)
  } finally {
    db.close()
  }
}

function hasUsers(dataDir: string): boolean {
  const db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  try {
    return db.prepare('select 1 from users limit 1').get() !== undefined
  } finally {
    db.close()
  }
}
