import { recordAudit } from '../../db/audit.ts'
import type { Db } from '../../db/open.ts'
import type { Origin } from '../../origin.ts'
import { deleteApiTokensOf } from '../api-tokens/store.ts'
import { actorOf } from '../audit/store.ts'
import { endGrantsOfUser } from '../oauth/store.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { clearUnconfirmedEmail } from './mailed-token-store.ts'
import { findUserByEmail } from './store.ts'

/**
 * Takes an address from an account that has not confirmed it, for somebody who reads its mailbox; nobody can sign in to that
 * account any more. Returns the id of its user, for `tokens.invalidate` after the commit; undefined if there is none.
 */
export async function releaseEmail(trx: Db, email: string, origin: Origin, nowMs: number): Promise<number | undefined> {
  const holder = await findUserByEmail(trx, email)
  if (!holder || holder.email_confirmed_at !== null) return undefined
  await clearUnconfirmedEmail(trx, holder.id, nowMs)
  await deleteSessionsOf(trx, holder.id)
  await deleteApiTokensOf(trx, holder.id)
  await endGrantsOfUser(trx, holder.id)
  const actor = { ...actorOf(holder, origin), userId: null }
  const details = { user_id: holder.id, reason: 'another account has proved the address' }
  await recordAudit(trx, actor, { event: 'email_released', details }, nowMs)
  return holder.id
}
