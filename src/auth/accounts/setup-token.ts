import { createHash, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { keepSecret } from '../../db/data-folder/data-dir.ts'

/**
 * Proves that who makes the first account has access to this instance's log or data folder, where its file is until
 * there is an account. To be used only while there is none.
 */
export type SetupToken = {
  secret(): string
  matches(given: string): boolean
  /** To be called once there is an account. */
  forget(): void
}

const fileName = 'setup.secret'

export function createSetupToken(dataDir: string): SetupToken {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  const secret = () => keepSecret(dataDir, fileName)
  return {
    secret,
    matches: (given) => timingSafeEqual(hash(given), hash(secret())),
    forget: () => rmSync(join(dataDir, fileName), { force: true }),
  }
}
