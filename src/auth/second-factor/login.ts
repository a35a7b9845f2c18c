import type { Seal } from '../../db/sealing/seal.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import type { AppError } from '../../errors.ts'
import { networkOf } from '../../http/headers/origin.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import { insertLoginAttempt, recordSuccess } from '../sessions/login-attempt-store.ts'
import { assertPasswordsAllowed, openSession, type PasswordSettings } from '../sessions/sessions.ts'
import type { Throttle } from '../sessions/throttle.ts'
import { findChallenged, outdated, type Proof, spendChallenge } from './challenge.ts'
import { mailChange, type FactorMailDeps } from './factor-mail.ts'

type Deps = Parameters<typeof openSession>[0] &
  FactorMailDeps & { config: PasswordSettings; throttle: Throttle; seal: Seal }

/**
 * Opens a session with the token of a first step and a proof of the second factor. Throws `unauthenticated` if either is wrong, or
 * `rate_limited`: wrong codes count as wrong passwords do.
 */
export async function loginWithProof(deps: Deps, token: string, proof: Proof, origin: Origin) {
  const { db, clock, throttle } = deps
  assertPasswordsAllowed(deps.config)
  const user = await findChallenged(db.read, token, clock.now())
  if (!user) throw outdated()
  const session = await throttle.guess({ emailKey: user.email_key, network: networkOf(origin.ip) }, () =>
    openSession(deps, user, {
      origin,
      inTransaction: (trx, nowMs) => passChallenge(trx, deps, { token, proof, origin, user, nowMs }),
    }),
  )
  if ('recoveryCode' in proof) mailChange(deps, user, 'recovery code used')
  return session
}

type ChallengeAttempt = { token: string; proof: Proof; origin: Origin; user: UserRow; nowMs: number; details?: object }

/**
 * Ends the second step of a sign-in with a right proof, records the sign-in and returns undefined. For a wrong proof, records the
 * failure and returns the error. The caller commits the transaction in both cases.
 */
export async function passChallenge(
  trx: Db,
  { seal }: Pick<Deps, 'seal'>,
  { token, proof, origin, user, nowMs, details }: ChallengeAttempt,
): Promise<AppError | undefined> {
  const refusal = await spendChallenge(trx, { seal, token, proof, nowMs })
  const network = networkOf(origin.ip)
  if (!refusal) {
    await recordSuccess(trx, user, origin, nowMs)
    const second_factor = 'code' in proof ? 'code' : 'recovery code'
    const entry = { event: 'login', details: { second_factor, ...details } } as const
    await recordAudit(trx, actorOf(user, origin), entry, nowMs)
    return undefined
  }
  if (refusal.body['code'] === 'mfa_code_wrong') {
    const attempt = { email_key: user.email_key, ip: network, attempted_at: nowMs, session_id: null }
    await insertLoginAttempt(trx, attempt)
    const entry = {
      event: 'login',
      outcome: 'failure',
      details: { reason: 'wrong second factor', ...details },
    } as const
    await recordAudit(trx, actorOf(user, origin), entry, nowMs)
  }
  return refusal
}
