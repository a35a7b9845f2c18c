import { minuteMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import { AppError } from '../../errors.ts'

const maxAgeMs = 15 * minuteMs

/** Throws `forbidden` with the code `sign_in_again` if the user has a second factor, and the session was opened long ago. */
export async function assertRecentSignIn(trx: Db, sessionId: number, nowMs: number): Promise<void> {
  const old = await trx
    .selectFrom('sessions')
    .innerJoin('second_factors', 'second_factors.user_id', 'sessions.user_id')
    .select('sessions.id')
    .where('sessions.id', '=', sessionId)
    .where('sessions.created_at', '<', nowMs - maxAgeMs)
    .where('second_factors.confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (!old) return
  throw new AppError('forbidden', 'Sign in again', {
    details: 'an account with a second factor does this within 15 minutes of its sign-in: sign out, and in again',
    body: { code: 'sign_in_again' },
  })
}
