import type { Db } from '../db/open.ts'
import { deleteExpiredInvitations } from './organizations/invitation-store.ts'
import { networkKnownMs } from './sessions/login-attempt-store.ts'
import { deleteExpiredCodes, deleteExpiredTokens } from './oauth/store.ts'

const dayMs = 86_400_000
/** For so long after their end API tokens are still listed, and a used refresh token still betrays a replay. */
const keptMs = 30 * dayMs
const failuresKeptMs = dayMs

/** Removes some rows that are good for nothing any more, at most `limit`, and returns how many went. */
type Forget = (db: Db, nowMs: number, limit: number) => Promise<number>

const forgetSessions: Forget = async (db, nowMs, limit) => {
  const spent = db.selectFrom('sessions').select('id').where('expires_at', '<=', nowMs).limit(limit)
  return gone(await db.deleteFrom('sessions').where('id', 'in', spent).executeTakeFirst())
}

const forgetResets: Forget = async (db, nowMs, limit) => {
  const spent = db.selectFrom('password_resets').select('hash').where('expires_at', '<=', nowMs).limit(limit)
  return gone(await db.deleteFrom('password_resets').where('hash', 'in', spent).executeTakeFirst())
}

const forgetConfirmations: Forget = async (db, nowMs, limit) => {
  const spent = db.selectFrom('email_confirmations').select('hash').where('expires_at', '<=', nowMs).limit(limit)
  return gone(await db.deleteFrom('email_confirmations').where('hash', 'in', spent).executeTakeFirst())
}

const forgetRefreshTokens: Forget = async (db, nowMs, limit) => {
  const spent = db
    .selectFrom('refresh_tokens')
    .select('hash')
    .where('used_at', '<=', nowMs - keptMs)
    .limit(limit)
  return gone(await db.deleteFrom('refresh_tokens').where('hash', 'in', spent).executeTakeFirst())
}

const forgetOrphans: Forget = async (db, nowMs, limit) => {
  const spent = db.selectFrom('orphaned_refresh_tokens').select('hash').where('expires_at', '<=', nowMs).limit(limit)
  return gone(await db.deleteFrom('orphaned_refresh_tokens').where('hash', 'in', spent).executeTakeFirst())
}

const forgetApiTokens: Forget = async (db, nowMs, limit) => {
  const spent = db
    .selectFrom('api_tokens')
    .select('id')
    .where('expires_at', '<=', nowMs - keptMs)
    .limit(limit)
  return gone(await db.deleteFrom('api_tokens').where('id', 'in', spent).executeTakeFirst())
}

const forgetFailedLogins: Forget = async (db, nowMs, limit) => {
  const spent = db
    .selectFrom('login_attempts')
    .select('id')
    .where('attempted_at', '<', nowMs - failuresKeptMs)
  return gone(await db.deleteFrom('login_attempts').where('id', 'in', spent.limit(limit)).executeTakeFirst())
}

const forgetNetworks: Forget = async (db, nowMs, limit) => {
  const old = db
    .selectFrom('known_networks')
    .select('id')
    .where('last_at', '<=', nowMs - networkKnownMs)
  return gone(await db.deleteFrom('known_networks').where('id', 'in', old.limit(limit)).executeTakeFirst())
}

const forgetInvitations: Forget = (db, nowMs, limit) => deleteExpiredInvitations(db, nowMs - keptMs, limit)

/** What each hour removes of how people came in, or tried to; anybody can make many of some, hence in steps. */
export const forgetCredentials: Forget[] = [
  forgetSessions, // their refresh tokens go with them
  forgetResets,
  forgetConfirmations,
  forgetRefreshTokens,
  forgetOrphans,
  forgetApiTokens,
  forgetFailedLogins,
  forgetNetworks,
  forgetInvitations,
  deleteExpiredCodes,
  deleteExpiredTokens,
]

function gone({ numDeletedRows }: { numDeletedRows: bigint }): number {
  return Number(numDeletedRows)
}
