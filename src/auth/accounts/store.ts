import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables, UserRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'
import type { Identity } from '../../http/signed-in.ts'
import type { Origin } from '../../origin.ts'

/** Key for comparing e-mail addresses regardless of case. */
export function emailKey(email: string): string {
  return email.toLowerCase()
}

export async function insertOrganization(db: Db, name: string, nowMs: number): Promise<number> {
  const row = await db
    .insertInto('organizations')
    .values({ name, created_at: nowMs })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

export async function insertUser(db: Db, user: Insertable<Tables['users']>): Promise<UserRow> {
  return db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow()
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst()
}

export async function getUser(db: Db, id: number): Promise<UserRow> {
  const user = db.selectFrom('users').selectAll().where('id', '=', id)
  return user.executeTakeFirstOrThrow(() => notFound('User'))
}

export async function hasUser(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

type FoundIdentity = { identity: Identity; expiresAtMs: number; lastUsedAtMs: number }

/**
 * Finds the identity of a session that has not ended. `expiresAtMs`: time at which the session ends unless it is refreshed.
 * `usedSinceMs`: a session that was last used before this time counts as ended.
 */
export async function findIdentity(
  db: Db,
  userId: number,
  sessionId: number,
  nowMs: number,
  usedSinceMs = 0,
): Promise<FoundIdentity | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .leftJoin('second_factors', 'second_factors.user_id', 'users.id')
    .leftJoin('external_sessions', 'external_sessions.session_id', 'sessions.id')
    .select([
      'organizations.second_factor_required as isRequired',
      'second_factors.confirmed_at as factorAtMs',
      'external_sessions.session_id as externalId',
      'users.id as userId',
      'users.organization_id as organizationId',
      'sessions.id as sessionId',
      'users.email as email',
      'users.name as name',
      'users.role as role',
      'sessions.expires_at as expiresAtMs',
      'sessions.last_used_at as lastUsedAtMs',
    ])
    .where('sessions.id', '=', sessionId)
    .where('users.id', '=', userId)
    .where('sessions.expires_at', '>', nowMs)
    .where('sessions.last_used_at', '>=', usedSinceMs)
    .executeTakeFirst()
  if (!row) return undefined
  const { expiresAtMs, lastUsedAtMs, isRequired, factorAtMs, externalId, ...user } = row
  const isRestricted = isRequired === 1 && factorAtMs === null && externalId === null // a provider asks for a factor itself
  const identity: Identity = { ...user, credential: { type: 'session', id: user.sessionId } }
  if (isRestricted) identity.mustSetUpSecondFactor = true
  return { identity, expiresAtMs, lastUsedAtMs }
}

type NewSession = { userId: number; refreshTokenHash: string; origin: Origin; nowMs: number; expiresAtMs: number }

export async function insertSession(db: Db, session: NewSession): Promise<number> {
  const { id } = await db
    .insertInto('sessions')
    .values({
      user_id: session.userId,
      created_at: session.nowMs,
      expires_at: session.expiresAtMs,
      last_used_at: session.nowMs,
      ip: session.origin.ip,
      user_agent: session.origin.userAgent,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('refresh_tokens')
    .values({ hash: session.refreshTokenHash, session_id: id, created_at: session.nowMs, used_at: null })
    .execute()
  return id
}

/** Lists all accounts of this instance, oldest first, with their organization, and their last sign-in if it is in the audit log. */
export async function listAccounts(db: Db) {
  const signIns = db
    .selectFrom('audit_log')
    .select(['user_id', (q) => q.fn.max('created_at').as('last_login_at')])
    .where('event', '=', 'login')
    .where('outcome', '=', 'success')
    .groupBy('user_id')
    .as('sign_ins')
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .leftJoin(signIns, 'sign_ins.user_id', 'users.id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'users.role',
      'users.created_at',
      'users.email_confirmed_at',
      'organizations.id as organization_id',
      'organizations.name as organization_name',
      'sign_ins.last_login_at',
    ])
    .orderBy('users.id')
    .execute()
}
