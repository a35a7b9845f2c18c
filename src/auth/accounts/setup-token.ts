import { createHash, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret } from '../../db/data-folder/data-dir.ts'

/**
 * Token by which the creator of the first account proves access to the log or the data folder of this instance. Its file is in the
 * data folder. Use it only while there is no account.
 */
export type SetupToken = {
  /** Reads the token; creates its file if there is none. */
  secret(): string
  matches(token: string): boolean
  /** Deletes the file. Call once there is an account. */
  remove(): void
}

const fileName = 'setup.secret'

export function createSetupToken(dataDir: string): SetupToken {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  const secret = () => readOrCreateSecret(dataDir, fileName)
  return {
    secret,
    matches: (token) => timingSafeEqual(hash(token), hash(secret())),
    remove: () => rmSync(join(dataDir, fileName), { force: true }),
  }
}
