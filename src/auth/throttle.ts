import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { nthNewestFailure } from './login-attempt-store.ts'
import { createQueues } from './queues.ts'
import { emailKey } from './store.ts'

/**
 * Keeps passwords from being guessed: after 10 failures for an account, or 50 from an address, inside 15 minutes no guess is
 * looked at until enough of them are 15 minutes old. E-mails that nobody has count alike, so that nothing is revealed. An
 * address is what one client holds: `networkOf`.
 */
export type Throttle = {
  /**
   * Runs one guess at a password, which records its own failure before it ends; throws `rate_limited` instead where there
   * were too many. Guesses for one account, or from one address, wait for each other: together they cannot slip past.
   */
  guess<T>(email: string, address: string, look: () => Promise<T>): Promise<T>
}

const windowMs = 15 * 60_000
const mostForAccount = 10
const mostFromAddress = 50

export function createThrottle({ db, clock }: { db: Pick<Database, 'read'>; clock: Clock }): Throttle {
  const accounts = createQueues()
  const addresses = createQueues()

  async function assertFewFailures(column: 'email_key' | 'ip', value: string, most: number): Promise<void> {
    const nowMs = clock.now()
    const failedAtMs = await nthNewestFailure(db.read, { column, value }, most, nowMs - windowMs)
    if (failedAtMs !== undefined) throw tooManyFailures(most, failedAtMs + windowMs - nowMs)
  }

  return {
    guess: (email, address, look) =>
      accounts.inTurn(emailKey(email), () =>
        addresses.inTurn(address, async () => {
          await assertFewFailures('email_key', emailKey(email), mostForAccount)
          await assertFewFailures('ip', address, mostFromAddress)
          return look()
        }),
      ),
  }
}

function tooManyFailures(limit: number, waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1000)
  return new AppError('rate_limited', 'Too many failed logins', {
    headers: { 'Retry-After': String(seconds) },
    body: { limit, window: '15m', message: `Try again in ${seconds} seconds` },
  })
}
