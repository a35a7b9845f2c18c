import type { Insertable } from 'kysely'
import { dayMs, minJumpMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { networkOf } from '../../http/headers/origin.ts'
import type { Origin } from '../../origin.ts'
import { deviceOf } from './device.ts'

/** Time for which a network stays known to an account after the last success from it. */
export const networkRetentionMs = 30 * dayMs

type FailureFilter = Partial<Pick<Tables['login_attempts'], 'email_key' | 'ip' | 'session_id'>>

export async function insertLoginAttempt(db: Db, attempt: Insertable<Tables['login_attempts']>): Promise<void> {
  await db.insertInto('login_attempts').values(attempt).execute()
}

/**
 * Time of the `nth` newest failure within the last `windowMs` that matches `filter`; undefined if there are fewer. Ignores
 * failures later than now: the clock was set back since, and they would refuse guesses until it has caught up.
 */
export async function nthNewestFailure(
  db: Db,
  filter: FailureFilter,
  nth: number,
  { nowMs, windowMs }: { nowMs: number; windowMs: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('login_attempts')
    .select('attempted_at')
    .where((is) => is.and(filter))
    .where('attempted_at', '>', nowMs - windowMs)
    .where('attempted_at', '<=', nowMs + minJumpMs)
    .orderBy('attempted_at', 'desc')
    .offset(nth - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.attempted_at
}

/** True if the account with this e-mail, if there is one, has recently signed in from the network. */
export async function isKnownNetwork(db: Db, emailKey: string, network: string, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .innerJoin('users', 'users.id', 'known_networks.user_id')
    .select('known_networks.id')
    .where('users.email_key', '=', emailKey)
    .where('known_networks.network', '=', network)
    .where('known_networks.last_at', '>', nowMs - networkRetentionMs)
    .executeTakeFirst()
  return row !== undefined
}

/** True if the account was recently used from the network of an origin, and, there or elsewhere, with its device. */
export async function isKnownOrigin(
  db: Db,
  userId: number,
  { ip, userAgent }: Origin,
  nowMs: number,
): Promise<boolean> {
  const [network, device] = [networkOf(ip), deviceOf(userAgent)]
  const rows = await db
    .selectFrom('known_networks')
    .select(['network', 'device'])
    .where('user_id', '=', userId)
    .where((is) => is.or([is('network', '=', network), is('device', '=', device)]))
    .where('last_at', '>', nowMs - networkRetentionMs)
    .execute()
  return rows.some((row) => row.network === network) && rows.some((row) => row.device === device)
}

/** Makes the network and the device of an origin known to the account that was used from there. */
export async function rememberOrigin(trx: Db, userId: number, { ip, userAgent }: Origin, nowMs: number): Promise<void> {
  await trx
    .insertInto('known_networks')
    .values({ user_id: userId, network: networkOf(ip), device: deviceOf(userAgent), last_at: nowMs })
    .onConflict((conflict) => conflict.columns(['user_id', 'network', 'device']).doUpdateSet({ last_at: nowMs }))
    .execute()
}

/** Records a correct password: its origin is now known, and failures from the network are deleted. */
export async function recordSuccess(
  trx: Db,
  user: { id: number; email_key: string },
  origin: Origin,
  nowMs: number,
): Promise<void> {
  const failures = trx.deleteFrom('login_attempts').where('email_key', '=', user.email_key)
  await failures.where('ip', '=', networkOf(origin.ip)).execute()
  await rememberOrigin(trx, user.id, origin, nowMs)
}

/** Deletes all failed logins of an account, and its known networks and devices. */
export async function deleteAttempts(trx: Db, user: { id: number; email_key: string }): Promise<void> {
  await trx.deleteFrom('login_attempts').where('email_key', '=', user.email_key).execute()
  await trx.deleteFrom('known_networks').where('user_id', '=', user.id).execute()
}
