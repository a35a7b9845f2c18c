import { type Clock, hourMs } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Mail, Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import {
  countMailedSince,
  findUserToConfirm,
  insertMailedToken,
  isEmailConfirmed,
  setEmailConfirmed,
} from './mailed-token-store.ts'
import { confirmChange } from './email-change.ts'
import { findUserByEmail } from './store.ts'
import { hashOpaqueToken, newOpaqueToken, type Tokens } from '../sessions/tokens.ts'

type RequestDeps = { db: Database; clock: Clock; mailer: Mailer; publicUrl: () => string }

const lifetimeMs = 7 * 24 * hourMs
const maxPerHour = 3

/**
 * Mails a confirmation to the user with this e-mail. Mails nothing if there is no such user, the address is confirmed already,
 * or three were mailed within the hour. Every case takes the same time, because a row is written even without a receiver, so the
 * response does not reveal whether the account exists.
 */
export async function requestConfirmation(deps: RequestDeps, email: string): Promise<void> {
  const { db, clock, mailer, publicUrl } = deps
  const { token, hash } = newOpaqueToken()
  const nowMs = clock.now()
  const receiver = await db.write.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    const earlier = await countMailedSince(trx, 'email_confirmations', user?.id ?? 0, nowMs - hourMs)
    const receiver = earlier < maxPerHour && user?.email_confirmed_at === null ? user : undefined
    const times = { created_at: nowMs, expires_at: nowMs + lifetimeMs }
    await insertMailedToken(trx, 'email_confirmations', { hash, user_id: receiver?.id ?? null, ...times })
    return receiver
  })
  if (receiver) mailer.post(confirmationMail(receiver.email, token, publicUrl()))
}

/**
 * Confirms the address that a token was mailed to: the current one of an account, or a requested one, which then replaces it.
 * Throws `unauthenticated` if the token is unknown, used or expired, `conflict` if the requested address has an account by now.
 */
export async function confirmEmail(
  { db, clock, ...deps }: RequestDeps & { tokens: Tokens },
  token: string,
  origin: Origin,
): Promise<void> {
  const nowMs = clock.now()
  const hash = hashOpaqueToken(token)
  if (await confirmChange({ db, clock, ...deps }, hash, origin)) return
  const user = await findUserToConfirm(db.read, hash, nowMs) // a guess costs no write
  const isConfirmed = user && (await db.write.transaction().execute((trx) => confirmByToken(trx, hash, origin, nowMs)))
  if (!isConfirmed) {
    const message = 'must be one that was mailed in the last seven days and has not been used'
    throw new AppError('unauthenticated', 'Invalid confirmation token', {
      problems: [{ field: 'token', message, code: 'unknown' }],
    })
  }
}

async function confirmByToken(trx: Db, hash: string, origin: Origin, nowMs: number): Promise<boolean> {
  const user = await findUserToConfirm(trx, hash, nowMs)
  if (!user) return false
  if (await setEmailConfirmed(trx, user.id, nowMs)) {
    await recordAudit(trx, actorOf(user, origin), { event: 'email_confirmed' }, nowMs)
  }
  return true
}

/** Throws `forbidden` if the user's address is not confirmed. */
export async function assertEmailConfirmed(trx: Db, userId: number): Promise<void> {
  if (await isEmailConfirmed(trx, userId)) return
  throw new AppError('forbidden', 'E-mail address not confirmed', {
    details: 'confirm your own address first: POST /auth/confirm-email/resend mails the link again',
  })
}

/** Contains nothing that the user chose except the address, so that nobody can make nines mail their own text. */
function confirmationMail(to: string, token: string, publicUrl: string): Mail {
  const text = `Somebody, probably you, has registered the address ${to} at ${publicUrl}

Confirm it here within seven days; the link works once:

${publicUrl}/confirm-email?token=${token}

Or give this token where you are asked for it: ${token}

If it was not you, do not follow the link: the account cannot use your address without it. Asking for a new password at
nines makes the account yours.
`
  return { to, organizationId: null, isUnsolicited: true, subject: 'Confirm your address for nines', text }
}
