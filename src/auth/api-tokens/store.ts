import type { Selectable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

export type ApiTokenRow = Selectable<Tables['api_tokens']>

export const { insert: insertApiToken, remove: deleteApiToken } = organizationRows('api_tokens', 'API token')

/** Owner whose tokens are selected: one user of an organization, or (`userId` null) the whole organization. */
export type TokenOwner = { organizationId: number; userId: number | null }

/** Lists tokens, also expired ones, with the names of their creators, oldest first. */
export async function listApiTokens(db: Db, owner: TokenOwner) {
  return tokensOf(db, owner).orderBy('api_tokens.id').execute()
}

export async function getApiToken(db: Db, owner: TokenOwner, id: number) {
  const token = tokensOf(db, owner).where('api_tokens.id', '=', id)
  return token.executeTakeFirstOrThrow(() => notFound('API token'))
}

function tokensOf(db: Db, { organizationId, userId }: TokenOwner) {
  const tokens = db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .selectAll('api_tokens')
    .select('users.name as created_by_name')
    .where('api_tokens.organization_id', '=', organizationId)
  return userId === null ? tokens : tokens.where('api_tokens.user_id', '=', userId)
}

/** Deletes all tokens of a user and returns their number. The caller must call `tokens.invalidate` after the commit. */
export async function deleteApiTokensOf(trx: Db, userId: number): Promise<number> {
  const { numDeletedRows } = await trx.deleteFrom('api_tokens').where('user_id', '=', userId).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Finds an unexpired token by its hash, with the user that it acts for. */
export async function findApiToken(db: Db, hash: string, nowMs: number) {
  return db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select([
      'api_tokens.id as id',
      'api_tokens.name as token_name',
      'api_tokens.role as role',
      'api_tokens.scope as scope',
      'api_tokens.expires_at as expires_at',
      'api_tokens.last_used_at as last_used_at',
      'users.id as user_id',
      'users.organization_id as organization_id',
      'users.email as email',
      'users.name as name',
      'users.role as user_role',
    ])
    .where('api_tokens.hash', '=', hash)
    .where((is) => is.or([is('api_tokens.expires_at', 'is', null), is('api_tokens.expires_at', '>', nowMs)]))
    .executeTakeFirst()
}

export async function setLastUsed(db: Db, id: number, nowMs: number): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: nowMs }).where('id', '=', id).execute()
}
