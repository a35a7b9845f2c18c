import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { countOf } from '../../db/page-of.ts'
import type { Tables } from '../../db/tables/tables.ts'

type TokenTable = 'email_confirmations' | 'password_resets'

/** Row of either table; their columns are the same. */
type NewToken = Insertable<Tables['email_confirmations']>

export async function insertMailedToken(trx: Db, table: TokenTable, row: NewToken): Promise<void> {
  await trx.insertInto(table).values(row).execute()
}

/** Number of tokens mailed to a user after a time, used or not. */
export async function countMailedSince(db: Db, table: TokenTable, userId: number, sinceMs: number): Promise<number> {
  return countOf(db.selectFrom(table).where('user_id', '=', userId).where('created_at', '>', sinceMs))
}

/** Finds the user whose address a token confirms; undefined if the token is unknown, used or expired. */
export async function findUserToConfirm(db: Db, hash: string, nowMs: number) {
  return db
    .selectFrom('email_confirmations')
    .innerJoin('users', 'users.id', 'email_confirmations.user_id')
    .select(['users.id', 'users.organization_id', 'users.email'])
    .where('email_confirmations.hash', '=', hash)
    .where('email_confirmations.expires_at', '>', nowMs)
    .executeTakeFirst()
}

/** Confirms the address of a user and deletes the tokens mailed for it. True if it was not confirmed before. */
export async function setEmailConfirmed(trx: Db, userId: number, nowMs: number): Promise<boolean> {
  await trx.deleteFrom('email_confirmations').where('user_id', '=', userId).execute()
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ email_confirmed_at: nowMs, updated_at: nowMs })
    .where('id', '=', userId)
    .where('email_confirmed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Confirms every address: for an instance that cannot send mail. */
export async function setAllEmailsConfirmed(db: Db, nowMs: number): Promise<void> {
  await db.updateTable('users').set({ email_confirmed_at: nowMs }).where('email_confirmed_at', 'is', null).execute()
}

/** Confirmed addresses of an organization's users, in lower case. */
export async function listConfirmedEmails(db: Db, organizationId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('email_key')
    .where('organization_id', '=', organizationId)
    .where('email_confirmed_at', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ email_key }) => email_key)
}

export async function isEmailConfirmed(db: Db, userId: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('email_confirmed_at').where('id', '=', userId).executeTakeFirst()
  return typeof row?.email_confirmed_at === 'number'
}

/**
 * Takes the address from a user who has not confirmed it, and deletes the tokens mailed there. The new address is one that
 * nobody can have (RFC 2606).
 */
export async function clearUnconfirmedEmail(trx: Db, userId: number, nowMs: number): Promise<void> {
  const email = `released-${userId}@unconfirmed.invalid`
  await trx.deleteFrom('email_confirmations').where('user_id', '=', userId).execute()
  await trx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await trx
    .updateTable('users')
    .set({ email, email_key: email, updated_at: nowMs })
    .where('id', '=', userId)
    .where('email_confirmed_at', 'is', null)
    .execute()
}

/** Finds a password reset, also one that has expired or was used, with all columns of its user; undefined if there is none. */
export async function findReset(db: Db, hash: string) {
  return db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .selectAll('users')
    .select(['password_resets.expires_at as expires_at', 'password_resets.used_at as used_at'])
    .where('password_resets.hash', '=', hash)
    .executeTakeFirst()
}

/** Marks all unused password resets of a user as used. */
export async function markResetsUsed(trx: Db, userId: number, nowMs: number): Promise<void> {
  await trx
    .updateTable('password_resets')
    .set({ used_at: nowMs })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}
