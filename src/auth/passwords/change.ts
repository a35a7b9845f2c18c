import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { networkOf } from '../../http/headers/origin.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import { recordSuccess } from '../sessions/login-attempt-store.ts'
import { guessPassword, wrongPassword } from '../sessions/login.ts'
import { deleteApiTokensOf } from '../api-tokens/store.ts'
import { endGrantsOfUser } from '../oauth/store.ts'
import { assertPasswordFits } from './rules.ts'
import { spendResetsOf } from './reset-store.ts'
import type { Passwords } from './passwords.ts'
import { deleteSessionsOf, replacePassword } from '../sessions/store.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Tokens } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; passwords: Passwords; tokens: Tokens; throttle: Throttle }
type Wanted = { currentPassword: string; newPassword: string; revokeTokens: boolean }

/**
 * Replaces the caller's password, ends the user's other sessions and what applications hold, and takes back resets that
 * were mailed; API tokens stay, unless `revokeTokens`. A wrong current password is `unauthenticated` in the words of a failed login, and counts
 * as one.
 */
export async function changePassword(deps: Deps, caller: Caller, wanted: Wanted): Promise<void> {
  const { currentPassword, newPassword, revokeTokens } = wanted
  const { db, clock, passwords, tokens } = deps
  const kept = sessionOf(caller)
  assertPasswordFits('new_password', newPassword, caller.email)
  const guess = { email: caller.email, password: currentPassword, event: 'password_change' as const, sessionId: kept }
  const user = await guessPassword(deps, guess, caller.origin)
  const passwordHash = await passwords.hash(newPassword)
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    if (!(await replacePassword(trx, user, passwordHash, nowMs))) throw wrongPassword() // changed while it was checked
    await deleteSessionsOf(trx, user.id, kept)
    await endGrantsOfUser(trx, user.id)
    await spendResetsOf(trx, user.id, nowMs)
    await recordSuccess(trx, user, networkOf(caller.origin.ip), nowMs)
    const details = revokeTokens ? { api_tokens_revoked: await deleteApiTokensOf(trx, user.id) } : {}
    await recordAudit(trx, caller, { event: 'password_change', details }, nowMs)
  })
  tokens.forget(({ userId, sessionId }) => userId === user.id && sessionId !== kept)
}
