import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables, UserRow } from '../../db/tables/tables.ts'

type CodeRow = Selectable<Tables['oauth_codes']>
type TokenRow = Selectable<Tables['oauth_tokens']>

export async function insertCode(db: Db, code: Insertable<Tables['oauth_codes']>): Promise<void> {
  await db.insertInto('oauth_codes').values(code).execute()
}

export async function findCode(db: Db, hash: string): Promise<CodeRow | undefined> {
  return db.selectFrom('oauth_codes').selectAll().where('hash', '=', hash).executeTakeFirst()
}

export async function setCodeUsed(db: Db, hash: string, nowMs: number): Promise<void> {
  await db.updateTable('oauth_codes').set({ used_at: nowMs }).where('hash', '=', hash).execute()
}

/**
 * Maximum number of pairs (access and refresh token) kept for a grant. If an older refresh token is sent again, nothing shows
 * that it was used.
 */
const maxPairs = 500

/** Stores a pair of tokens. Deletes pairs of the grant whose refresh token was used, except for the newest `maxPairs`. */
export async function insertTokens(trx: Db, tokens: Insertable<Tables['oauth_tokens']>): Promise<void> {
  await trx.insertInto('oauth_tokens').values(tokens).execute()
  await trx
    .deleteFrom('oauth_tokens')
    .where('grant_id', '=', tokens.grant_id)
    .where('refresh_used_at', 'is not', null)
    .where('access_hash', 'not in', (query) =>
      query
        .selectFrom('oauth_tokens')
        .select('access_hash')
        .where('grant_id', '=', tokens.grant_id)
        .orderBy('created_at', 'desc')
        .limit(maxPairs),
    )
    .execute()
}

export async function findByRefreshToken(db: Db, hash: string): Promise<TokenRow | undefined> {
  return db.selectFrom('oauth_tokens').selectAll().where('refresh_hash', '=', hash).executeTakeFirst()
}

export async function setRefreshTokenUsed(db: Db, hash: string, nowMs: number): Promise<void> {
  await db.updateTable('oauth_tokens').set({ refresh_used_at: nowMs }).where('refresh_hash', '=', hash).execute()
}

/** Finds the pair that contains an access or refresh token, with the e-mail of its user. */
export async function findPair(db: Db, hash: string): Promise<(TokenRow & Pick<UserRow, 'email'>) | undefined> {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .selectAll('oauth_tokens')
    .select('users.email')
    .where((where) => where.or([where('access_hash', '=', hash), where('refresh_hash', '=', hash)]))
    .executeTakeFirst()
}

/** Finds the user and the application of a valid access token; undefined if it is unknown, expired or refreshed. */
export async function findAccess(db: Db, hash: string, nowMs: number) {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_tokens.client_id')
    .select(['oauth_clients.id as client_id', 'oauth_clients.name as client_name'])
    .select(['users.id', 'users.organization_id', 'users.email', 'users.name', 'users.role'])
    .select(['oauth_tokens.access_scopes', 'oauth_tokens.access_expires_at'])
    .where('access_hash', '=', hash)
    .where('refresh_used_at', 'is', null)
    .where('access_expires_at', '>', nowMs)
    .executeTakeFirst()
}

/** True if the user still exists with the password just checked, in the organization of the client, which still exists too. */
export async function mayAuthorize(db: Db, clientId: string, user: UserRow): Promise<boolean> {
  const row = await db
    .selectFrom('oauth_clients')
    .innerJoin('users', 'users.organization_id', 'oauth_clients.organization_id')
    .select('users.id')
    .where('oauth_clients.id', '=', clientId)
    .where('users.id', '=', user.id)
    .where('users.password_hash', '=', user.password_hash)
    .executeTakeFirst()
  return row !== undefined
}

/** Ends every token that came from one consent. Returns their user; undefined if none was left. */
export async function endGrant(db: Db, grantId: string): Promise<Pick<UserRow, 'id' | 'email'> | undefined> {
  const row = await db
    .deleteFrom('oauth_tokens')
    .where('grant_id', '=', grantId)
    .returning('user_id')
    .executeTakeFirst()
  if (!row) return undefined
  return db.selectFrom('users').select(['id', 'email']).where('id', '=', row.user_id).executeTakeFirst()
}

export type Consent = Pick<TokenRow, 'client_id' | 'scopes' | 'granted_at' | 'created_at' | 'refresh_expires_at'> & {
  name: string
}

/**
 * Applications that a user has allowed, the last renewed first; all grants of an application are one row. `granted_at`: time of the
 * first grant; `created_at`: time of the newest tokens; `scopes`: scopes of all grants, separated by spaces, with repeats.
 */
export async function listConsents(db: Db, userId: number, nowMs: number): Promise<Consent[]> {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_tokens.client_id')
    .select(['oauth_tokens.client_id', 'oauth_clients.name'])
    .select(({ fn }) => [
      sql<string>`group_concat(oauth_tokens.scopes, ' ')`.as('scopes'),
      fn.min('oauth_tokens.granted_at').as('granted_at'),
      fn.max('oauth_tokens.created_at').as('created_at'),
      fn.max('oauth_tokens.refresh_expires_at').as('refresh_expires_at'),
    ])
    .where('oauth_tokens.user_id', '=', userId)
    .where('oauth_tokens.refresh_used_at', 'is', null)
    .where('oauth_tokens.refresh_expires_at', '>', nowMs)
    .groupBy(['oauth_tokens.client_id', 'oauth_clients.name'])
    .orderBy('created_at', 'desc')
    .orderBy('oauth_tokens.client_id')
    .execute()
}

/** Ends all grants of a user for an application. Returns the application; undefined if there was none. */
export async function endGrantsOfClient(
  trx: Db,
  userId: number,
  clientId: string,
): Promise<{ name: string } | undefined> {
  const ofUserAndClient = { user_id: userId, client_id: clientId }
  const codes = await trx
    .deleteFrom('oauth_codes')
    .where((where) => where.and(ofUserAndClient))
    .executeTakeFirst()
  const tokens = await trx
    .deleteFrom('oauth_tokens')
    .where((where) => where.and(ofUserAndClient))
    .executeTakeFirst()
  if (codes.numDeletedRows + tokens.numDeletedRows === 0n) return undefined
  return trx.selectFrom('oauth_clients').select('name').where('id', '=', clientId).executeTakeFirst()
}

/** Ends all grants of a user. After the commit, the caller has to call `tokens.invalidate`. */
export async function endGrantsOfUser(trx: Db, userId: number): Promise<void> {
  await trx.deleteFrom('oauth_codes').where('user_id', '=', userId).execute()
  await trx.deleteFrom('oauth_tokens').where('user_id', '=', userId).execute()
}
