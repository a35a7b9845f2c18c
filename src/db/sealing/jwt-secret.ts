import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keepSecret } from '../data-folder/data-dir.ts'
import { Database } from '../sqlite.ts'

const name = 'jwt.secret'

/** Returns the secret that signs access tokens; throws if it is lost. The database of the data folder was opened before. */
export function openJwtSecret(dataDir: string): string {
  const path = join(dataDir, name)
  if (!existsSync(path) && hasUsers(dataDir)) {
    throw new Error(
      `${path} is missing, with which access tokens are signed: restore it from a backup, set JWT_SECRET where that was used, or make a new one with nines rotate-secret jwt`,
    )
  }
  return keepSecret(dataDir, name)
}

function hasUsers(dataDir: string): boolean {
  const db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  try {
    return db.prepare('select 1 from users limit 1').get() !== undefined
  } finally {
    db.close()
  }
}
