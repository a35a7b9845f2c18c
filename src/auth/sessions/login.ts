import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { networkOf } from '../../http/headers/origin.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import { insertLoginAttempt, recordSuccess } from './login-attempt-store.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { openSession, type SessionDeps } from './sessions.ts'
import { emailKey, findUserByEmail } from '../accounts/store.ts'
import type { Throttle } from './throttle.ts'

type GuessDeps = { db: Database; clock: Clock; passwords: Passwords; throttle: Throttle }

/**
 * Opens a session for the user with this e-mail and password; else `unauthenticated`, in the same words and time for
 * either mistake, or `rate_limited`. Success forgives the account what failed from the same address, and nothing else:
 * somebody who guesses from elsewhere gains nothing when the owner signs in.
 */
export async function login(deps: GuessDeps & SessionDeps, email: string, password: string, origin: Origin) {
  const guessed = await guessPassword(deps, { email, password, event: 'login' }, origin)
  return openSession(deps, guessed, async (trx, nowMs) => {
    const user = await findUserByEmail(trx, email)
    if (user?.password_hash !== guessed.password_hash) throw wrongPassword() // changed while it was checked
    await recordSuccess(trx, user, networkOf(origin.ip), nowMs)
    await recordAudit(trx, actorOf(user, origin), { event: 'login' }, nowMs)
  })
}

/** `sessionId`: of the live session that guesses. */
type Guess = { email: string; password: string; event: 'login' | 'password_change'; sessionId?: number }

/** The user whose password this is. A wrong one is counted, and in the audit log of the user, if there is one. */
export async function guessPassword(
  { db, clock, passwords, throttle }: GuessDeps,
  { email, password, event, sessionId }: Guess,
  origin: Origin,
): Promise<UserRow> {
  const guesser = { emailKey: emailKey(email), network: networkOf(origin.ip), sessionId }
  return throttle.guess(guesser, async () => {
    const user = await findUserByEmail(db.read, email)
    const matched = await passwords.matches(password, user?.password_hash ?? null)
    if (user && matched) return user
    const nowMs = clock.now()
    await db.write.transaction().execute(async (trx) => {
      await insertLoginAttempt(trx, {
        email_key: guesser.emailKey,
        ip: guesser.network,
        attempted_at: nowMs,
        session_id: sessionId ?? null,
      })
      if (user) await recordAudit(trx, actorOf(user, origin), { event, outcome: 'failure' }, nowMs)
    })
    throw wrongPassword()
  })
}

export function wrongPassword(): AppError {
  return new AppError('unauthenticated', 'Invalid credentials')
}
