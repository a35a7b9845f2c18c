import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { countOf } from '../../db/page-of.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { emailKey } from './store.ts'

/** Adds a requested change, in place of the one that waits, if there is one. */
export async function putEmailChange(trx: Db, change: Insertable<Tables['email_changes']>): Promise<void> {
  await withdrawEmailChange(trx, change.user_id, change.created_at)
  await trx.insertInto('email_changes').values(change).execute()
}

/** The change that waits for its confirmation; undefined if there is none. */
export async function findEmailChange(db: Db, userId: number, nowMs: number) {
  return selectWaiting(db, nowMs).where('user_id', '=', userId).executeTakeFirst()
}

/** The change that waits for a token, by the token's hash; undefined if there is none. */
export async function findEmailChangeByHash(db: Db, hash: string, nowMs: number) {
  return selectWaiting(db, nowMs).where('hash', '=', hash).executeTakeFirst()
}

function selectWaiting(db: Db, nowMs: number) {
  return db.selectFrom('email_changes').selectAll().where('withdrawn_at', 'is', null).where('expires_at', '>', nowMs)
}

/** Ends the change that waits; true if there was one. */
export async function withdrawEmailChange(trx: Db, userId: number, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('email_changes')
    .set({ withdrawn_at: nowMs })
    .where('user_id', '=', userId)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Number of changes that a user requested after a time. */
export async function countEmailChanges(db: Db, userId: number, sinceMs: number): Promise<number> {
  return countOf(db.selectFrom('email_changes').where('user_id', '=', userId).where('created_at', '>', sinceMs))
}

/** Gives a user another address, which counts as confirmed. Tokens that were mailed to the earlier one end. */
export async function setEmail(trx: Db, userId: number, email: string, nowMs: number): Promise<void> {
  await trx.deleteFrom('email_confirmations').where('user_id', '=', userId).execute()
  await trx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await trx
    .updateTable('users')
    .set({ email, email_key: emailKey(email), email_confirmed_at: nowMs, updated_at: nowMs })
    .where('id', '=', userId)
    .execute()
}
