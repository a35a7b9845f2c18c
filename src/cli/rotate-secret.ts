import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { replaceSecret } from '../db/data-folder/data-dir.ts'
import { openDatabase } from '../db/open.ts'
import { rotateSeal } from '../db/sealing/keys.ts'
import { lockExisting } from './lock-existing.ts'
import type { Settings } from './settings/settings.ts'
import { UsageError } from './usage-error.ts'

/** `nines rotate-secret jwt|seal`: replaces a secret of the data folder, while no server runs on it. */
export async function rotateSecret(args: string[], settings: Settings): Promise<number> {
  const [secret, ...others] = args
  if ((secret !== 'jwt' && secret !== 'seal') || others.length > 0) {
    throw new UsageError('rotate-secret takes jwt or seal: which secret to replace')
  }
  const config = readConfig(settings.env)
  if (secret === 'jwt') assertGenerated(config)
  process.umask(0o077) // like the server, which owns these files
  const lock = lockExisting(config.dataDir, 'the rotation')
  try {
    process.stdout.write(secret === 'jwt' ? rotateJwt(lock.dataDir) : await rotateSealOf(lock.dataDir))
    return 0
  } finally {
    lock.release()
  }
}

function assertGenerated({ jwtSecret }: Config): void {
  if (jwtSecret === null) return
  throw new Error('JWT_SECRET is set, and jwt.secret is not used: change the setting and restart nines instead')
}

function rotateJwt(dataDir: string): string {
  replaceSecret(join(dataDir, 'jwt.secret'))
  return `jwt.secret is new
access tokens issued so far are invalid; sessions go on with their refresh tokens, and API tokens stay valid
`
}

async function rotateSealOf(dataDir: string): Promise<string> {
  await openDatabase({ dataDir }).close() // migrates the database of an older nines
  const { resealed, unreadable } = rotateSeal(dataDir)
  const left =
    unreadable === 0 ? '' : `${unreadable} could not be unsealed and stay as they are: enter those credentials again\n`
  return `seal.secret is new, and ${resealed} stored credentials are sealed with it
${left}backups made so far, and nines.db.before-N, open with the previous seal.secret only
where the previous one may be known to others, change the credentials too
`
}
