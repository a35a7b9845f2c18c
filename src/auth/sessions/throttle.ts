import { type Clock, minuteMs } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { isKnownNetwork, nthNewestFailure } from './login-attempt-store.ts'
import { createKeyedMutex } from '../../concurrency/semaphore.ts'

/** Origin of a guess. `network`: addresses of one client (`networkOf`). `sessionId`: the active session that it comes from. */
type Guesser = { emailKey: string; network: string; sessionId?: number | undefined }

/**
 * Limits guesses of passwords. After 10 failures for an account, or 50 from a network, within 15 minutes, all guesses are
 * refused until enough failures are 15 minutes old. E-mails without an account count alike, so that nothing is revealed.
 * Strangers cannot lock the owner out: a guess from a network where the account has signed in before is refused after 10 failures
 * for the account from that network, and a guess from an active session after 10 failures of that session.
 */
export type Throttle = {
  /**
   * Runs `checkPassword`, which must record its failure before it ends. After too many failures, throws `rate_limited` instead.
   * Guesses that count together run one at a time, so that they cannot exceed the limit in parallel.
   */
  guess<T>(guesser: Guesser, checkPassword: () => Promise<T>): Promise<T>
}

const windowMs = 15 * minuteMs
const maxForAccount = 10
const maxFromNetwork = 50

export function createThrottle({ db, clock }: { db: Pick<Database, 'read'>; clock: Clock }): Throttle {
  const accounts = createKeyedMutex()
  const networks = createKeyedMutex()

  async function assertFewFailures(filter: Parameters<typeof nthNewestFailure>[1], max: number): Promise<void> {
    const nowMs = clock.now()
    const failedAtMs = await nthNewestFailure(db.read, filter, max, { nowMs, windowMs })
    if (failedAtMs !== undefined) throw tooManyFailures(max, failedAtMs + windowMs - nowMs)
  }

  return {
    async guess({ emailKey, network, sessionId }, checkPassword) {
      if (sessionId !== undefined) {
        return accounts.exclusively(`session ${sessionId}`, async () => {
          await assertFewFailures({ session_id: sessionId }, maxForAccount)
          return checkPassword()
        })
      }
      const isKnown = await isKnownNetwork(db.read, emailKey, network, clock.now())
      return accounts.exclusively(isKnown ? `known ${network} ${emailKey}` : `account ${emailKey}`, () =>
        networks.exclusively(network, async () => {
          await assertFewFailures({ email_key: emailKey, ...(isKnown && { ip: network }) }, maxForAccount)
          await assertFewFailures({ ip: network }, maxFromNetwork)
          return checkPassword()
        }),
      )
    },
  }
}

function tooManyFailures(limit: number, waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1000)
  return new AppError('rate_limited', 'Too many failed logins', {
    headers: { 'Retry-After': String(seconds) },
    body: { limit, window: '15m', message: `Try again in ${seconds} seconds` },
  })
}
