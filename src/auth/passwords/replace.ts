import { type Clock, hourMs } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Mail, Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import { deleteApiTokensOf } from '../api-tokens/store.ts'
import {
  countMailedSince,
  findReset,
  insertMailedToken,
  setEmailConfirmed,
  markResetsUsed,
} from '../accounts/mailed-token-store.ts'
import { deleteAttempts, recordSuccess } from '../sessions/login-attempt-store.ts'
import { hasIdentityOf, issuersOf } from '../external/store.ts'
import { endGrantsOfUser } from '../oauth/store.ts'
import type { Passwords } from './passwords.ts'
import { type FactorMailDeps, mailChange } from '../second-factor/factor-mail.ts'
import { deleteSecondFactor } from '../second-factor/store.ts'
import { deleteSessionsOf, replacePassword } from '../sessions/store.ts'
import { findUserByEmail, getUser } from '../accounts/store.ts'
import { hashOpaqueToken, type Tokens } from '../sessions/tokens.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import { guessPassword, wrongPassword } from '../sessions/sessions.ts'
import type { Throttle } from '../sessions/throttle.ts'

type RequestDeps = {
  db: Database
  clock: Clock
  mailer: Mailer
  publicUrl: () => string
  config: Parameters<typeof issuersOf>[0]
}
type ConfirmDeps = FactorMailDeps & { db: Database; clock: Clock; passwords: Passwords; tokens: Tokens }

const lifetimeMs = hourMs
/** Maximum number of resets mailed to a user per hour. */
const maxPerHour = 3

/**
 * Mails a reset to the user with this e-mail. Mails nothing if there is no such user, if the user signs in by an OpenID provider
 * (which may have withdrawn the access), or if three resets were mailed within the hour. Takes the same time in every case, so
 * that nobody learns if an account exists: a row is written even without a receiver.
 */
export async function requestReset(deps: RequestDeps, email: string, origin: Origin): Promise<void> {
  const { db, clock, mailer, publicUrl } = deps
  const token = crypto.randomUUID()
  const nowMs = clock.now()
  const receiver = await db.write.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    const earlier = await countMailedSince(trx, 'password_resets', user?.id ?? 0, nowMs - hourMs)
    const isExternal = await hasIdentityOf(trx, user?.id ?? 0, issuersOf(deps.config))
    const receiver = earlier < maxPerHour && !isExternal ? user : undefined
    await insertMailedToken(trx, 'password_resets', newReset(token, receiver, nowMs))
    if (receiver) await recordAudit(trx, actorOf(receiver, origin), { event: 'password_reset_request' }, nowMs)
    return receiver
  })
  if (receiver) mailer.post(resetMail(receiver.email, token, publicUrl()))
}

/** Creates a reset that the operator gives to the user; `maxPerHour` does not apply. Returns its token and the time of its expiry. */
export async function issueReset({ db, clock }: Pick<RequestDeps, 'db' | 'clock'>, user: UserRow, operator: Origin) {
  const token = crypto.randomUUID()
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    await insertMailedToken(trx, 'password_resets', newReset(token, user, nowMs))
    await recordAudit(trx, actorOf(user, operator), { event: 'password_reset_request', details: byOperator }, nowMs)
  })
  return { token, expiresAtMs: nowMs + lifetimeMs }
}

/** Sets a password that the operator chose, and ends the same access as `confirmReset`, but does not confirm the address. */
export async function resetAsOperator(
  { db, clock, passwords }: Pick<ConfirmDeps, 'db' | 'clock' | 'passwords'>,
  user: UserRow,
  newPassword: string,
  operator: Origin,
): Promise<void> {
  await passwords.assertAcceptable('password', newPassword, user.email)
  const passwordHash = await passwords.hash(newPassword)
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    const current = await getUser(trx, user.id)
    const revokedCount = await resetAccount(trx, current, passwordHash, nowMs)
    const details = { ...byOperator, api_tokens_revoked: revokedCount }
    await recordAudit(trx, actorOf(current, operator), { event: 'password_reset', details }, nowMs)
  })
}

const byOperator = { by: 'operator' }

function newReset(token: string, user: { id: number } | undefined, nowMs: number) {
  return {
    hash: hashOpaqueToken(token),
    user_id: user?.id ?? null,
    created_at: nowMs,
    expires_at: nowMs + lifetimeMs,
  }
}

/**
 * Sets a password and ends all other access to the account: deletes sessions, API tokens, consents and failed logins, and marks
 * password resets as used. Returns the number of API tokens deleted.
 */
async function resetAccount(trx: Db, user: UserRow, passwordHash: string, nowMs: number): Promise<number> {
  await replacePassword(trx, user, passwordHash, nowMs)
  await markResetsUsed(trx, user.id, nowMs)
  await deleteSessionsOf(trx, user.id)
  await endGrantsOfUser(trx, user.id)
  await deleteAttempts(trx, user)
  return deleteApiTokensOf(trx, user.id)
}

/**
 * Replaces the password of the user that a reset was made for, and ends all that an earlier holder of the account may have:
 * sessions, API tokens, grants of applications, and other resets; if the address was not confirmed before, also the second
 * factor. Throws `unauthenticated` for a token that is unknown, expired (after an hour) or used.
 */
export async function confirmReset(deps: ConfirmDeps, token: string, newPassword: string, origin: Origin) {
  const { db, clock, passwords, tokens } = deps
  const hash = hashOpaqueToken(token.toLowerCase()) // a UUID, which a person may have typed
  const user = await findReset(db.read, hash)
  if (!user) throw badReset()
  if (!isOpen(user, clock.now())) return refuse(deps, user, origin)
  await passwords.assertAcceptable('new_password', newPassword, user.email)
  const passwordHash = await passwords.hash(newPassword)
  const nowMs = clock.now()
  const done = await db.write.transaction().execute(async (trx) => {
    const current = await findReset(trx, hash)
    if (!current || !isOpen(current, nowMs)) return undefined // used or revoked while the password was hashed
    const revokedCount = await resetAccount(trx, current, passwordHash, nowMs)
    const isNewlyConfirmed = await setEmailConfirmed(trx, current.id, nowMs) // a mailed token proves access to the mailbox
    await recordAudit(
      trx,
      actorOf(current, origin),
      { event: 'password_reset', details: { api_tokens_revoked: revokedCount } },
      nowMs,
    )
    if (isNewlyConfirmed) await recordAudit(trx, actorOf(current, origin), { event: 'email_confirmed' }, nowMs)
    const isFactorRemoved = isNewlyConfirmed && (await removeForeignFactor(trx, current, origin, nowMs))
    return { user: await getUser(trx, current.id), isFactorRemoved }
  })
  if (!done) return refuse(deps, user, origin)
  tokens.invalidate(({ userId }) => userId === user.id)
  if (done.isFactorRemoved) mailChange(deps, done.user, 'removed by a reset')
}

/** Removes a second factor that was set up by somebody who had not proved the address; true if there was one. */
async function removeForeignFactor(trx: Db, user: UserRow, origin: Origin, nowMs: number): Promise<boolean> {
  if (!(await deleteSecondFactor(trx, user.id))) return false
  const details = { reason: 'set up before the address was confirmed' }
  await recordAudit(trx, actorOf(user, origin), { event: 'second_factor_disabled', details }, nowMs)
  return true
}

type FoundReset = NonNullable<Awaited<ReturnType<typeof findReset>>>

function isOpen(reset: FoundReset, nowMs: number): boolean {
  return reset.used_at === null && reset.expires_at > nowMs
}

async function refuse({ db, clock }: ConfirmDeps, user: FoundReset, origin: Origin): Promise<never> {
  await recordAudit(
    db.write,
    actorOf(user, origin),
    { event: 'password_reset', outcome: 'failure', details: { reason: 'used or expired' } },
    clock.now(),
  )
  throw badReset()
}

function badReset(): AppError {
  return new AppError('unauthenticated', 'Invalid reset token', {
    problems: [{ field: 'token', message: 'unknown, expired or already used', code: 'unknown' }],
  })
}

/** Contains nothing that the user chose except the address, so that nobody can make nines mail their own text. */
function resetMail(to: string, token: string, publicUrl: string): Mail {
  const text = `Somebody, probably you, wants a new password for ${to} at ${publicUrl}

Choose it here within the hour; the link works once:

${publicUrl}/reset-password?token=${token}

Or give this token where you are asked for it: ${token}

The new password signs you out everywhere, revokes your API tokens and ends what applications may do in your name.

If it was not you, nothing has happened, and this mail can be deleted.
`
  return { to, organizationId: null, isUnsolicited: false, subject: 'Choose a new password for nines', text }
}

type Deps = { db: Database; clock: Clock; passwords: Passwords; tokens: Tokens; throttle: Throttle }
type PasswordChange = { currentPassword: string; newPassword: string; revokeTokens: boolean }

/**
 * Replaces the caller's password, ends the user's other sessions and all grants of applications, and revokes mailed resets. API
 * tokens stay, unless `revokeTokens`. A wrong current password fails like a login, and counts as one.
 */
export async function changePassword(deps: Deps, caller: Caller, change: PasswordChange): Promise<void> {
  const { currentPassword, newPassword, revokeTokens } = change
  const { db, clock, passwords, tokens } = deps
  const currentSessionId = sessionOf(caller)
  await passwords.assertAcceptable('new_password', newPassword, caller.email)
  const guess = {
    email: caller.email,
    password: currentPassword,
    event: 'password_change' as const,
    sessionId: currentSessionId,
  }
  const user = await guessPassword(deps, guess, caller.origin)
  const passwordHash = await passwords.hash(newPassword)
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    if (!(await replacePassword(trx, user, passwordHash, nowMs))) throw wrongPassword() // the password was changed during the check
    await deleteSessionsOf(trx, user.id, currentSessionId)
    await endGrantsOfUser(trx, user.id)
    await markResetsUsed(trx, user.id, nowMs)
    await recordSuccess(trx, user, caller.origin, nowMs)
    const details = revokeTokens ? { api_tokens_revoked: await deleteApiTokensOf(trx, user.id) } : {}
    await recordAudit(trx, caller, { event: 'password_change', details }, nowMs)
  })
  tokens.invalidate(({ userId, sessionId }) => userId === user.id && sessionId !== currentSessionId)
}
