import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** A column with sealed values; each value is bound to its column. */
export type SealedColumn =
  | 'data_sources.sealed_auth'
  | 'channels.sealed_configuration'
  | 'scrape_targets.sealed_auth'
  | 'probes.sealed_settings'
  | 'heartbeats.sealed_token'
  | 'second_factors.sealed_secret'

/** The row that a sealed value is bound to. */
export type SealedRow = { id: number; organization_id: number }

/** Encrypts values that must be stored but that nobody may read, such as the credentials of a source. */
export type Seal = {
  /** Identifies the key without revealing it: the same key has the same id. */
  keyId: string
  /**
   * Returns `v2:`, then base64 of nonce (12 bytes), tag (16) and ciphertext: AES-256-GCM with column, organization and row as
   * associated data.
   */
  seal(plain: string, column: SealedColumn, row: SealedRow): string
  /** Decrypts a value; throws if key, column, organization or row differ, or if the text was changed. */
  unseal(sealed: string, column: SealedColumn, row: SealedRow): string
}

const prefix = 'v2:'

/** `key`: 32 bytes. */
export function createSeal(key: Buffer): Seal {
  return {
    keyId: createHash('sha256').update('seal key id').update(key).digest('hex').slice(0, 16),
    seal: (plain, column, row) => `${prefix}${encrypt(key, plain, associatedData(column, row))}`,
    unseal(sealed, column, row) {
      if (!sealed.startsWith(prefix)) throw new Error(`a sealed value must begin with "${prefix}"`)
      try {
        return decrypt(key, sealed.slice(prefix.length), associatedData(column, row))
      } catch (cause) {
        throw new Error(`${column} of ${row.id} must be sealed with seal.secret, and for this row`, { cause })
      }
    },
  }
}

function associatedData(column: SealedColumn, { id, organization_id }: SealedRow): Buffer {
  return Buffer.from(`${column}/${organization_id}/${id}`)
}

function encrypt(key: Buffer, plain: string, associated: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

function decrypt(key: Buffer, sealed: string, associated: Buffer): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(associated)
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
