import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'
import { withdrawEmailChange } from '../accounts/email-change-store.ts'
import type { Origin } from '../../origin.ts'

/** A refresh token with its session and all columns of its user; undefined if no existing session has had it. */
export async function findRefreshToken(db: Db, hash: string) {
  return db
    .selectFrom('refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('external_sessions', 'external_sessions.session_id', 'sessions.id')
    .selectAll('users')
    .select([
      'external_sessions.ends_at as session_ends_at',
      'sessions.id as session_id',
      'sessions.created_at as session_created_at',
      'sessions.expires_at as session_expires_at',
      'sessions.last_used_at as session_last_used_at',
      'refresh_tokens.used_at as used_at',
    ])
    .where('refresh_tokens.hash', '=', hash)
    .executeTakeFirst()
}

/** True if this refresh token would still be valid, had its user not been removed. */
export async function isOrphaned(db: Db, hash: string, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom('orphaned_refresh_tokens')
    .select('hash')
    .where('hash', '=', hash)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
  return row !== undefined
}

const maxSessions = 100

/** Ends the sessions of a user except the 100 that were used last; returns the ids of the ended ones. */
export async function endOldestSessions(trx: Db, userId: number): Promise<number[]> {
  const newest = trx
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSessions)
  const ended = trx.deleteFrom('sessions').where('user_id', '=', userId).where('id', 'not in', newest).returning('id')
  return (await ended.execute()).map(({ id }) => id)
}

/** Maximum number of tokens kept for a session. An older one no longer reveals a replay, and is only unknown. */
const maxRefreshTokens = 500

type Rotation = {
  sessionId: number
  usedHash: string
  newHash: string
  origin: Origin
  nowMs: number
  expiresAtMs: number
}

/** Marks a refresh token of a session as used, adds the next one, and moves the session's end and its last use. */
export async function rotateRefreshToken(trx: Db, rotation: Rotation): Promise<void> {
  const { sessionId, usedHash, newHash, origin, nowMs, expiresAtMs } = rotation
  await trx.updateTable('refresh_tokens').set({ used_at: nowMs }).where('hash', '=', usedHash).execute()
  await trx
    .insertInto('refresh_tokens')
    .values({ hash: newHash, session_id: sessionId, created_at: nowMs, used_at: null })
    .execute()
  const session = { expires_at: expiresAtMs, last_used_at: nowMs, ip: origin.ip, user_agent: origin.userAgent }
  await trx.updateTable('sessions').set(session).where('id', '=', sessionId).execute()
  await trx
    .deleteFrom('refresh_tokens')
    .where('session_id', '=', sessionId)
    .where('used_at', 'is not', null)
    .where('hash', 'not in', (query) =>
      query
        .selectFrom('refresh_tokens')
        .select('hash')
        .where('session_id', '=', sessionId)
        .orderBy('created_at', 'desc')
        .limit(maxRefreshTokens),
    )
    .execute()
}

export async function insertExternalSession(trx: Db, session: Insertable<Tables['external_sessions']>): Promise<void> {
  await trx.insertInto('external_sessions').values(session).execute()
}

/** ID token of a session that a provider opened; null for any other. */
export async function findIdToken(db: Db, sessionId: number): Promise<string | null> {
  const session = db.selectFrom('external_sessions').select('id_token').where('session_id', '=', sessionId)
  return (await session.executeTakeFirst())?.id_token ?? null
}

/** Ends a session and its refresh tokens; true if there was one. */
export async function deleteSession(db: Db, sessionId: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where('id', '=', sessionId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Sessions of a user that have not ended, the last used first. `usedSinceMs`: one that was last used before has ended. */
export async function listSessions(
  db: Db,
  userId: number,
  { nowMs, usedSinceMs }: { nowMs: number; usedSinceMs: number },
) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowMs)
    .where('last_used_at', '>=', usedSinceMs)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Session of a user; throws `not_found` if there is none. */
export async function getSession(db: Db, userId: number, id: number) {
  const session = db.selectFrom('sessions').selectAll().where('user_id', '=', userId).where('id', '=', id)
  return session.executeTakeFirstOrThrow(() => notFound('Session'))
}

export async function setSessionUsed(db: Db, id: number, nowMs: number): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: nowMs }).where('id', '=', id).execute()
}

/**
 * Ends the sessions of a user, all or all except one, and sign-ins that wait for the second factor. Returns the number of sessions.
 */
export async function deleteSessionsOf(db: Db, userId: number, exceptSessionId: number | null = null): Promise<number> {
  const all = db.deleteFrom('sessions').where('user_id', '=', userId)
  const ending = exceptSessionId === null ? all : all.where('id', '!=', exceptSessionId)
  const { numDeletedRows } = await ending.executeTakeFirst()
  await db.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute()
  return Number(numDeletedRows)
}

/**
 * Replaces the password of a user if it is still the one that the caller read; returns true if so. A pending change of the e-mail
 * address is withdrawn. The caller has to end sessions in the same transaction.
 */
export async function replacePassword(
  trx: Db,
  user: { id: number; password_hash: string },
  passwordHash: string,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ password_hash: passwordHash, updated_at: nowMs })
    .where('id', '=', user.id)
    .where('password_hash', '=', user.password_hash)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await withdrawEmailChange(trx, user.id, nowMs) // somebody who knew the former password may have requested it
  return numUpdatedRows > 0n
}
