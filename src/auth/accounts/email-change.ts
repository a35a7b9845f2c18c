import { type Clock, dayMs, hourMs } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError, invalid } from '../../errors.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import type { Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import { assertRecentSignIn } from '../second-factor/recent-sign-in.ts'
import { guessPassword, wrongPassword } from '../sessions/sessions.ts'
import { newOpaqueToken, type Tokens } from '../sessions/tokens.ts'
import { confirmationOfChange, mailOfChange, mailOfRequest } from './email-change-mails.ts'
import {
  countEmailChanges,
  findEmailChangeByHash,
  putEmailChange,
  setEmail,
  withdrawEmailChange,
} from './email-change-store.ts'
import { releaseEmail } from './release-email.ts'
import { findUserByEmail, getUser } from './store.ts'

type MailDeps = { mailer: Mailer; publicUrl: () => string }
type ConfirmDeps = MailDeps & { db: Database; clock: Clock; tokens: Tokens }
export type EmailChangeDeps = ConfirmDeps & Parameters<typeof guessPassword>[0]

const lifetimeMs = dayMs
const maxPerHour = 3

/**
 * Requests another address for the caller: mails a link to it, and informs the present address, which stays until the link is
 * followed. If mail is not set up, changes the address at once and returns true. Throws `unauthenticated` for a wrong password,
 * `conflict` for an account without one and for an address that has an account, `invalid` for the present address, `forbidden` for
 * a session that is not recent if the account has a second factor, `rate_limited` after three requests within an hour.
 */
export async function requestEmailChange(
  deps: EmailChangeDeps,
  caller: Caller,
  { email, password }: { email: string; password: string },
): Promise<boolean> {
  const { db, clock, mailer, publicUrl, tokens } = deps
  const current = await getUser(db.read, caller.userId)
  assertChangeable(current, email)
  const guess = {
    email: current.email,
    password,
    event: 'email_change_requested',
    sessionId: sessionOf(caller),
  } as const
  const user = await guessPassword(deps, guess, caller.origin)
  const { token, hash } = newOpaqueToken()
  const nowMs = clock.now()
  const changesImmediately = !mailer.isSetUp
  const releasedUserId = await db.write.transaction().execute(async (trx) => {
    if ((await getUser(trx, user.id)).password_hash !== user.password_hash) throw wrongPassword() // the password was changed during the check
    await assertRecentSignIn(trx, sessionOf(caller), nowMs)
    await assertFree(trx, user.id, email)
    if (changesImmediately) return change(trx, { user, email, origin: caller.origin, nowMs })
    if ((await countEmailChanges(trx, user.id, nowMs - hourMs)) >= maxPerHour) throw tooMany()
    const times = { created_at: nowMs, expires_at: nowMs + lifetimeMs, withdrawn_at: null }
    await putEmailChange(trx, { hash, user_id: user.id, email, ...times })
    await recordAudit(trx, caller, { event: 'email_change_requested', details: { email } }, nowMs)
    return undefined
  })
  if (changesImmediately) {
    tokens.invalidate(({ userId }) => userId === user.id || userId === releasedUserId)
    return true
  }
  mailer.post(confirmationOfChange(user, email, token, publicUrl()))
  if (user.email_confirmed_at !== null) mailer.post(mailOfRequest(user, email, publicUrl()))
  return false
}

/** Withdraws the change that waits; without effect if there is none. */
export async function withdrawChange(
  { db, clock }: Pick<EmailChangeDeps, 'db' | 'clock'>,
  caller: Caller,
): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    if (!(await withdrawEmailChange(trx, caller.userId, clock.now()))) return
    await recordAudit(trx, caller, { event: 'email_change_requested', details: { withdrawn: true } }, clock.now())
  })
}

/**
 * Gives an account the new address to which a token was mailed, and informs the earlier address. Returns false if no change waits
 * for the token. Throws `conflict` if the address has an account by now.
 */
export async function confirmChange(deps: ConfirmDeps, hash: string, origin: Origin): Promise<boolean> {
  const { db, clock, mailer, publicUrl, tokens } = deps
  const nowMs = clock.now()
  if (!(await findEmailChangeByHash(db.read, hash, nowMs))) return false // a guess costs no write
  const done = await db.write.transaction().execute(async (trx) => {
    const waiting = await findEmailChangeByHash(trx, hash, nowMs)
    if (!waiting) return undefined
    const { email } = waiting
    const user = await getUser(trx, waiting.user_id)
    await assertFree(trx, user.id, email)
    return { user, email, releasedUserId: await change(trx, { user, email, origin, nowMs }) }
  })
  if (!done) return false
  const { user, email, releasedUserId } = done
  tokens.invalidate(({ userId }) => userId === user.id || userId === releasedUserId)
  if (user.email_confirmed_at !== null) mailer.post(mailOfChange(user, email, publicUrl()))
  return true
}

type Change = { user: UserRow; email: string; origin: Origin; nowMs: number }

/** Changes the address. Returns the id of the user from whom it was taken because they had not confirmed it, if there was one. */
async function change(trx: Db, { user, email, origin, nowMs }: Change): Promise<number | undefined> {
  const holder = await findUserByEmail(trx, email)
  const releasedUserId = holder?.id === user.id ? undefined : await releaseEmail(trx, email, origin, nowMs)
  await setEmail(trx, user.id, email, nowMs)
  await withdrawEmailChange(trx, user.id, nowMs)
  const details = { email, email_before: user.email }
  await recordAudit(trx, actorOf({ ...user, email }, origin), { event: 'email_changed', details }, nowMs)
  return releasedUserId
}

function assertChangeable({ password_hash, email: current }: UserRow, email: string): void {
  if (password_hash === '') {
    throw new AppError('conflict', 'The account has no password', {
      details: 'it signs in by a provider, which knows its address',
    })
  }
  if (current === email) throw invalid('email', 'must differ from the current address')
}

async function assertFree(trx: Db, userId: number, email: string): Promise<void> {
  const holder = await findUserByEmail(trx, email)
  if (!holder || holder.id === userId || holder.email_confirmed_at === null) return
  throw new AppError('conflict', 'The e-mail address has an account', {
    problems: [{ field: 'email', message: 'has an account', code: 'in_use' }],
  })
}

function tooMany(): AppError {
  return new AppError('rate_limited', 'Too many changes of the address', {
    headers: { 'Retry-After': '3600' },
    body: { limit: maxPerHour, window: '1h', message: 'Try again in an hour' },
  })
}
