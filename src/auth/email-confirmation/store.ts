import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'

export async function insertConfirmation(
  trx: Db,
  confirmation: Insertable<Tables['email_confirmations']>,
): Promise<void> {
  await trx.insertInto('email_confirmations').values(confirmation).execute()
}

/** How many confirmations were mailed to a user after a time. */
export async function countConfirmationsSince(db: Db, userId: number, sinceMs: number): Promise<number> {
  const { count } = await db
    .selectFrom('email_confirmations')
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
