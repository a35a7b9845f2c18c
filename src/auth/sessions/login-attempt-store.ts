import type { Insertable } from 'kysely'
import { minJumpMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** For so long after the last success from it an account knows a network. */
export const networkKnownMs = 30 * 86_400_000

type Counted = Partial<Pick<Tables['login_attempts'], 'email_key' | 'ip' | 'session_id'>>

export async function insertLoginAttempt(db: Db, attempt: Insertable<Tables['login_attempts']>): Promise<void> {
  await db.insertInto('login_attempts').values(attempt).execute()
}

/**
 * When the `nth` newest failure of the last `windowMs` happened, of those that are `counted`; nothing if there are fewer. One
 * from later than now does not count: the clock was set back since, and would lock out for as long.
 */
export async function nthNewestFailure(
  db: Db,
  counted: Counted,
  nth: number,
  { nowMs, windowMs }: { nowMs: number; windowMs: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('login_attempts')
    .select('attempted_at')
    .where((is) => is.and(counted))
    .where('attempted_at', '>', nowMs - windowMs)
    .where('attempted_at', '<=', nowMs + minJumpMs)
    .orderBy('attempted_at', 'desc')
    .offset(nth - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.attempted_at
}

/** Whether the account with this e-mail, if there is one, has of late signed in from a network. */
export async function isKnownNetwork(db: Db, emailKey: string, network: string, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .innerJoin('users', 'users.id', 'known_networks.user_id')
    .select('known_networks.id')
    .where('users.email_key', '=', emailKey)
    .where('known_networks.network', '=', network)
    .where('known_networks.last_at', '>', nowMs - networkKnownMs)
    .executeTakeFirst()
  return row !== undefined
}

/** The account now knows the network it was used from. */
export async function rememberNetwork(trx: Db, userId: number, network: string, nowMs: number): Promise<void> {
  await trx
    .insertInto('known_networks')
    .values({ user_id: userId, network, last_at: nowMs })
    .onConflict((conflict) => conflict.columns(['user_id', 'network']).doUpdateSet({ last_at: nowMs }))
    .execute()
}

/** A right password: the network is known from here on, and what failed from it is forgiven. */
export async function recordSuccess(
  trx: Db,
  user: { id: number; email_key: string },
  network: string,
  nowMs: number,
): Promise<void> {
  await trx.deleteFrom('login_attempts').where('email_key', '=', user.email_key).where('ip', '=', network).execute()
  await rememberNetwork(trx, user.id, network, nowMs)
}

/** Forgets all failed logins of an account, and the networks it knew. */
export async function forgetAttempts(trx: Db, user: { id: number; email_key: string }): Promise<void> {
  await trx.deleteFrom('login_attempts').where('email_key', '=', user.email_key).execute()
  await trx.deleteFrom('known_networks').where('user_id', '=', user.id).execute()
}
