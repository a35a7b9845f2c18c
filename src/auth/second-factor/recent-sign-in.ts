import { minuteMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import { AppError } from '../../errors.ts'

const maxAgeMs = 15 * minuteMs

/** Throws `forbidden` with the code `sign_in_again` if the user has a second factor and the session is over 15 minutes old. */
export async function assertRecentSignIn(trx: Db, sessionId: number, nowMs: number): Promise<void> {
  const old = await oldSession(trx, sessionId, nowMs)
    .innerJoin('second_factors', 'second_factors.user_id', 'sessions.user_id')
    .where('second_factors.confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (old) throw signInAgain('an account with a second factor does this within 15 minutes of its sign-in')
}

/** Like `assertRecentSignIn`, for users without a second factor too. */
export async function assertRecentSignInOfAll(trx: Db, sessionId: number, nowMs: number): Promise<void> {
  const old = await oldSession(trx, sessionId, nowMs).executeTakeFirst()
  if (old) throw signInAgain('this is for the first 15 minutes after a sign-in')
}

function oldSession(trx: Db, sessionId: number, nowMs: number) {
  return trx
    .selectFrom('sessions')
    .select('sessions.id')
    .where('sessions.id', '=', sessionId)
    .where('sessions.created_at', '<', nowMs - maxAgeMs)
}

function signInAgain(rule: string): AppError {
  return new AppError('forbidden', 'Sign in again', {
    details: `${rule}: sign out, and in again`,
    body: { code: 'sign_in_again' },
  })
}
