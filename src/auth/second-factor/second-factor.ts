import type { Clock } from '../../clock.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { networkOf } from '../../http/headers/origin.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import type { Origin } from '../../origin.ts'
import { getUser } from '../accounts/store.ts'
import { actorOf } from '../audit/store.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { insertLoginAttempt, recordSuccess } from '../sessions/login-attempt-store.ts'
import { guessPassword, wrongPassword } from '../sessions/sessions.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { type Proof, secretOf, spendProof, wrongProof } from './challenge.ts'
import { type FactorMailDeps, mailChange } from './factor-mail.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import {
  confirmFactor,
  deleteSecondFactor,
  findBegunFactor,
  findSecondFactor,
  putBegunFactor,
  replaceRecoveryCodes,
} from './store.ts'
import { newSecret, otpauthUrl, stepOf } from './totp.ts'

export type FactorDeps = FactorMailDeps & {
  db: Database
  clock: Clock
  seal: Seal
  passwords: Passwords
  throttle: Throttle
  tokens: Pick<Tokens, 'invalidate'>
}

/**
 * Begins the set-up: returns a new secret, which replaces one that was not confirmed. Sign-ins do not ask for its codes yet. Throws
 * `conflict` if there is a second factor already or the account has no password, and as `guessPassword` does.
 */
export async function beginSetUp(deps: FactorDeps, caller: Caller, password: string) {
  const { db, clock, seal } = deps
  await assertMaySetUp(db.read, caller.userId)
  const user = await checkPassword(deps, caller, password, 'second_factor_enabled')
  const secret = newSecret()
  const sealed = seal.seal(secret, 'second_factors.sealed_secret', user)
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    await assertSamePassword(trx, user)
    await assertMaySetUp(trx, user.id)
    await putBegunFactor(trx, user, sealed, nowMs)
    await recordSuccess(trx, user, caller.origin, nowMs)
  })
  return { secret, otpauth_url: otpauthUrl(secret, user.email) }
}

async function assertMaySetUp(db: Db, userId: number): Promise<void> {
  if (await findSecondFactor(db, userId)) {
    throw new AppError('conflict', 'There is a second factor', { details: 'disable it first' })
  }
  if ((await getUser(db, userId)).password_hash === '') {
    throw new AppError('conflict', 'The account has no password', {
      details: 'it signs in by a provider, which asks for a second factor itself',
    })
  }
}

/**
 * Ends the set-up with a first code: from now on sign-ins ask for codes. Ends all other sessions of the user. Returns the recovery
 * codes. Throws `conflict` if no set-up has begun, `unauthenticated` for a wrong code.
 */
export async function confirmSetUp(deps: FactorDeps, caller: Caller, code: string): Promise<string[]> {
  const { db, clock, seal, tokens } = deps
  const currentSessionId = sessionOf(caller)
  const codes = newRecoveryCodes()
  const user = await db.write.transaction().execute(async (trx) => {
    const nowMs = clock.now()
    const factor = await findBegunFactor(trx, caller.userId)
    if (!factor || factor.confirmed_at !== null) {
      throw new AppError('conflict', 'No set-up has begun', { details: 'POST /auth/second-factor begins one' })
    }
    const step = stepOf(secretOf(seal, factor), code.replaceAll(/\s/g, ''), nowMs)
    if (step === undefined) throw wrongProof({ code })
    await confirmFactor(trx, caller.userId, step, nowMs)
    await replaceRecoveryCodes(trx, caller.userId, codes.map(hashRecoveryCode))
    await deleteSessionsOf(trx, caller.userId, currentSessionId)
    await recordAudit(trx, caller, { event: 'second_factor_enabled' }, nowMs)
    return getUser(trx, caller.userId)
  })
  tokens.invalidate(({ userId, sessionId }) => userId === user.id && sessionId !== null)
  mailChange(deps, user, 'set up')
  return codes
}

type Change = { password: string; proof: Proof }

/**
 * Replaces the recovery codes. Throws `conflict` without a second factor, `unauthenticated` or `rate_limited` for a wrong password
 * or proof.
 */
export async function renewRecoveryCodes(deps: FactorDeps, caller: Caller, change: Change): Promise<string[]> {
  const codes = newRecoveryCodes()
  const user = await changeFactor(deps, caller, change, 'recovery_codes_created', (trx) =>
    replaceRecoveryCodes(trx, caller.userId, codes.map(hashRecoveryCode)),
  )
  mailChange(deps, user, 'new recovery codes')
  return codes
}

/** Removes the second factor with its recovery codes. Throws `conflict` without one. */
export async function disableSecondFactor(deps: FactorDeps, caller: Caller, change: Change): Promise<void> {
  const user = await changeFactor(deps, caller, change, 'second_factor_disabled', async (trx) => {
    await deleteSecondFactor(trx, caller.userId)
  })
  deps.tokens.invalidate(({ userId, sessionId }) => userId === user.id && sessionId !== null)
  mailChange(deps, user, 'disabled')
}

/** Removes the second factor of a user on behalf of the operator. Returns false if there is none. */
export async function disableAsOperator(
  { db, clock, ...mailDeps }: Pick<FactorDeps, 'db' | 'clock'> & FactorMailDeps,
  user: UserRow,
  operator: Origin,
): Promise<boolean> {
  const done = await db.write.transaction().execute(async (trx) => {
    if (!(await deleteSecondFactor(trx, user.id))) return false
    const entry = { event: 'second_factor_disabled', details: { by: 'operator' } } as const
    await recordAudit(trx, actorOf(user, operator), entry, clock.now())
    return true
  })
  if (done) mailChange(mailDeps, user, 'disabled by the operator')
  return done
}

type FactorEvent = 'second_factor_enabled' | 'second_factor_disabled' | 'recovery_codes_created'

/** Makes a change that needs the password and the second factor; wrong codes count as wrong passwords of the session do. */
async function changeFactor(
  deps: FactorDeps,
  caller: Caller,
  { password, proof }: Change,
  event: FactorEvent,
  applyChange: (trx: Db) => Promise<void>,
): Promise<UserRow> {
  const { db, clock, seal, throttle } = deps
  const { email, origin } = caller
  const sessionId = sessionOf(caller)
  if (!(await findSecondFactor(db.read, caller.userId))) throw noFactor()
  const user = await checkPassword(deps, caller, password, event)
  const network = networkOf(origin.ip)
  const guesser = { emailKey: user.email_key, network, sessionId }
  await throttle.guess(guesser, async () => {
    const refusal = await db.write.transaction().execute(async (trx) => {
      const nowMs = clock.now()
      await assertSamePassword(trx, user)
      const factor = await findSecondFactor(trx, user.id)
      if (!factor) return noFactor()
      if (await spendProof(trx, seal, factor, proof, nowMs)) {
        await applyChange(trx)
        await recordSuccess(trx, user, origin, nowMs)
        await recordAudit(trx, caller, { event }, nowMs)
        return undefined
      }
      const attempt = { email_key: user.email_key, ip: network, attempted_at: nowMs, session_id: sessionId }
      await insertLoginAttempt(trx, attempt)
      const details = { reason: 'wrong second factor' }
      await recordAudit(trx, { ...caller, email }, { event, outcome: 'failure', details }, nowMs)
      return wrongProof(proof)
    })
    if (refusal) throw refusal
  })
  return user
}

async function checkPassword(deps: FactorDeps, caller: Caller, password: string, event: FactorEvent): Promise<UserRow> {
  const guess = { email: caller.email, password, event, sessionId: sessionOf(caller) }
  return guessPassword(deps, guess, caller.origin)
}

async function assertSamePassword(trx: Db, { id, password_hash }: UserRow): Promise<void> {
  if ((await getUser(trx, id)).password_hash !== password_hash) throw wrongPassword() // the password was changed during the check
}

function noFactor(): AppError {
  return new AppError('conflict', 'There is no second factor', { details: 'set one up first' })
}
