import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Tables } from '../db/tables/tables.ts'
import { networkKnownMs } from './sessions/login-attempt-store.ts'

const dayMs = 86_400_000
/** For so long after their end API tokens are still listed, and a used refresh token still betrays a replay. */
const keptMs = 30 * dayMs

/** Deletes rows that are of no more use, at most `limit`, and returns how many. */
type Forget = (db: Db, nowMs: number, limit: number) => Promise<number>

/** Forgets rows `keptForMs` after the time in `column`; `null` there: never. */
function after<T extends keyof Tables & string>(
  table: T,
  key: keyof Tables[T] & string,
  column: keyof Tables[T] & string,
  keptForMs = 0,
): Forget {
  return async (db, nowMs, limit) => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(column)} <= ${nowMs - keptForMs} limit ${limit}
      )
    `.execute(db)
    return Number(numAffectedRows)
  }
}

/** Also accepted ones: who came by which invitation is in the audit log. */
export const forgetInvitations = after('invitations', 'id', 'expires_at', keptMs)

/** What each hour deletes of how people came in, or tried to; anybody can make many of some, hence in steps. */
export const forgetCredentials: Forget[] = [
  after('sessions', 'id', 'expires_at'), // their refresh tokens go with them
  after('password_resets', 'hash', 'expires_at'),
  after('email_confirmations', 'hash', 'expires_at'),
  after('refresh_tokens', 'hash', 'used_at', keptMs),
  after('orphaned_refresh_tokens', 'hash', 'expires_at'),
  after('api_tokens', 'id', 'expires_at', keptMs),
  after('login_attempts', 'id', 'attempted_at', dayMs + 1), // not at the end of the day, but after it
  after('known_networks', 'id', 'last_at', networkKnownMs),
  forgetInvitations,
  after('oauth_codes', 'hash', 'expires_at'),
  after('oauth_tokens', 'access_hash', 'refresh_expires_at'),
]
