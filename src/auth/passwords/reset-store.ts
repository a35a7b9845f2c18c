import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Insertable } from 'kysely'

export async function insertReset(trx: Db, reset: Insertable<Tables['password_resets']>): Promise<void> {
  await trx.insertInto('password_resets').values(reset).execute()
}

/** How many resets were made for a user after a time, whatever became of them. */
export async function countResetsSince(db: Db, userId: number, sinceMs: number): Promise<number> {
  const { count } = await db
    .selectFrom('password_resets')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('created_at', '>', sinceMs)
    .executeTakeFirstOrThrow()
  return count
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
