import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Tables } from '../db/tables/tables.ts'
import { networkRetentionMs } from './sessions/login-attempt-store.ts'
import { dayMs } from '../clock.ts'

/** Retention after expiry: API tokens are still listed, and a used refresh token still reveals a replay. */
const expiredRetentionMs = 30 * dayMs

/** Deletes rows that are no longer needed, at most `limit`, and returns their number. */
type Prune = (db: Db, nowMs: number, limit: number) => Promise<number>

/**
 * Creates a `Prune` for rows whose time in `column` is `retentionMs` ago or longer; rows with `null` there are kept. `key`: column
 * that identifies a row.
 */
function pruneAfter<T extends keyof Tables & string>(
  table: T,
  key: keyof Tables[T] & string,
  column: keyof Tables[T] & string,
  retentionMs = 0,
): Prune {
  return async (db, nowMs, limit) => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(column)} <= ${nowMs - retentionMs} limit ${limit}
      )
    `.execute(db)
    return Number(numAffectedRows)
  }
}

/** Deletes expired invitations, also accepted ones: the audit log records which user accepted which invitation. */
export const pruneInvitations = pruneAfter('invitations', 'id', 'expires_at', expiredRetentionMs)

/** Hourly deletions of credentials and login attempts; in chunks, because anybody can cause many login attempts. */
export const credentialPruners: Prune[] = [
  pruneAfter('sessions', 'id', 'expires_at'), // cascades to their refresh tokens
  pruneAfter('sign_in_challenges', 'hash', 'expires_at'),
  pruneAfter('password_resets', 'hash', 'expires_at'),
  pruneAfter('email_confirmations', 'hash', 'expires_at'),
  pruneAfter('email_changes', 'hash', 'expires_at'),
  pruneAfter('refresh_tokens', 'hash', 'used_at', expiredRetentionMs),
  pruneAfter('orphaned_refresh_tokens', 'hash', 'expires_at'),
  pruneAfter('api_tokens', 'id', 'expires_at', expiredRetentionMs),
  pruneAfter('login_attempts', 'id', 'attempted_at', dayMs + 1), // + 1: an attempt exactly a day ago is kept
  pruneAfter('known_networks', 'id', 'last_at', networkRetentionMs),
  pruneInvitations,
  pruneAfter('oauth_codes', 'hash', 'expires_at'),
  pruneAfter('oauth_tokens', 'access_hash', 'refresh_expires_at'),
]
