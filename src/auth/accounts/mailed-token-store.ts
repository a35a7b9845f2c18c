import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'

type MailedToken = 'email_confirmations' | 'password_resets'

type NewMailed = Insertable<Tables['email_confirmations']>

export async function insertMailed(trx: Db, table: MailedToken, row: NewMailed): Promise<void> {
  await trx.insertInto(table).values(row).execute()
}

/** How many tokens were mailed to a user after a time, used or not. */
export async function countMailedSince(db: Db, table: MailedToken, userId: number, sinceMs: number): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('created_at', '>', sinceMs)
    .executeTakeFirstOrThrow()
  return count
}

/** Whose address a token confirms, as long as it has not expired. */
export async function findConfirmed(db: Db, hash: string, nowMs: number) {
  return db
    .selectFrom('email_confirmations')
    .innerJoin('users', 'users.id', 'email_confirmations.user_id')
    .select(['users.id', 'users.organization_id', 'users.email'])
    .where('email_confirmations.hash', '=', hash)
    .where('email_confirmations.expires_at', '>', nowMs)
    .executeTakeFirst()
}

/** The address of a user counts from here on; tokens that were mailed for it are spent. Says whether it did not before. */
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

/** Every address counts: for an instance that cannot mail. */
export async function setAllEmailsConfirmed(db: Db, nowMs: number): Promise<void> {
  await db.updateTable('users').set({ email_confirmed_at: nowMs }).where('email_confirmed_at', 'is', null).execute()
}

/** The addresses of an organization's users that have been confirmed, in lower case. */
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
 * Takes the address from a user who has not confirmed it, with what was mailed there; in its place comes one that nobody
 * can have (RFC 2606).
 */
export async function replaceEmail(trx: Db, userId: number, nowMs: number): Promise<void> {
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

/** A reset with all columns of its user; nothing for one that was made for nobody. */
export async function findReset(db: Db, hash: string) {
  return db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .selectAll('users')
    .select(['password_resets.expires_at as expires_at', 'password_resets.used_at as used_at'])
    .where('password_resets.hash', '=', hash)
    .executeTakeFirst()
}

/** None of the resets a user has is good any more. */
export async function spendResetsOf(trx: Db, userId: number, nowMs: number): Promise<void> {
  await trx
    .updateTable('password_resets')
    .set({ used_at: nowMs })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}
