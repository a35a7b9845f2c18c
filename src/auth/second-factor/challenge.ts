import { isoTime, minuteMs } from '../../clock.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError, invalid } from '../../errors.ts'
import { hashOpaqueToken, newOpaqueToken } from '../sessions/tokens.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { findSecondFactor, type SecondFactorRow, spendRecoveryCode, spendStep } from './store.ts'
import { stepOf } from './totp.ts'

/** Proof that somebody has the second factor: a code of the app, or a recovery code. */
export type Proof = { code: string } | { recoveryCode: string }

const lifetimeMs = 5 * minuteMs
const maxFailures = 5
const maxOpen = 20

/** Reads a proof from a request. Throws `invalid` unless it is exactly one of the two. */
export function readProof(body: { code?: string | undefined; recovery_code?: string | undefined }): Proof {
  const { code, recovery_code: recoveryCode } = body
  if (code !== undefined && recoveryCode === undefined) return { code: code.replaceAll(/\s/g, '') }
  if (code === undefined && recoveryCode !== undefined) return { recoveryCode }
  throw invalid('code', 'send either code or recovery_code', { code: 'exclusive' })
}

/** Name of the field of a request in which a proof was sent. */
export const fieldOf = (proof: Proof) => ('code' in proof ? 'code' : 'recovery_code')

/**
 * Opens the second step of a sign-in whose password was right. Keeps the newest 20 of a user. Returns the error that answers the
 * first step, with the token of the second.
 */
export async function openChallenge(trx: Db, user: Pick<UserRow, 'id'>, nowMs: number): Promise<AppError> {
  const { token, expiresAtMs } = await insertChallenge(trx, user, nowMs)
  return new AppError('unauthenticated', 'Second factor required', {
    details: 'send mfa_token with a code of the authenticator app, or a recovery code, to POST /auth/login/mfa',
    body: { code: 'mfa_required', mfa_token: token, expires_at: isoTime(expiresAtMs) },
  })
}

/** Like `openChallenge`; returns the token and when it expires. */
export async function insertChallenge(trx: Db, { id }: Pick<UserRow, 'id'>, nowMs: number) {
  const { token, hash } = newOpaqueToken()
  const expiresAtMs = nowMs + lifetimeMs
  const row = { hash, user_id: id, created_at: nowMs, expires_at: expiresAtMs, failures: 0 }
  await trx.insertInto('sign_in_challenges').values(row).execute()
  await trx
    .deleteFrom('sign_in_challenges')
    .where('user_id', '=', id)
    .where('hash', 'not in', (query) =>
      query
        .selectFrom('sign_in_challenges')
        .select('hash')
        .where('user_id', '=', id)
        .orderBy('created_at', 'desc')
        .limit(maxOpen),
    )
    .execute()
  return { token, expiresAtMs }
}

/** User of an open second step; undefined if its token is unknown, used or expired. */
export async function findChallenged(db: Db, token: string, nowMs: number): Promise<UserRow | undefined> {
  return db
    .selectFrom('sign_in_challenges')
    .innerJoin('users', 'users.id', 'sign_in_challenges.user_id')
    .selectAll('users')
    .where('sign_in_challenges.hash', '=', hashOpaqueToken(token))
    .where('sign_in_challenges.expires_at', '>', nowMs)
    .executeTakeFirst()
}

type Spending = { seal: Seal; token: string; proof: Proof; nowMs: number }

/**
 * Ends a second step with a right proof; returns undefined then, and the error of a refusal otherwise. The caller commits either:
 * the fifth wrong proof ends the step.
 */
export async function spendChallenge(trx: Db, { seal, token, proof, nowMs }: Spending): Promise<AppError | undefined> {
  const user = await findChallenged(trx, token, nowMs)
  const factor = user && (await findSecondFactor(trx, user.id))
  if (!factor) return outdated()
  const hash = hashOpaqueToken(token)
  if (await spendProof(trx, seal, factor, proof, nowMs)) {
    await trx.deleteFrom('sign_in_challenges').where('hash', '=', hash).execute()
    return undefined
  }
  const { failures } = await trx
    .updateTable('sign_in_challenges')
    .set((is) => ({ failures: is('failures', '+', 1) }))
    .where('hash', '=', hash)
    .returning('failures')
    .executeTakeFirstOrThrow()
  if (failures >= maxFailures) await trx.deleteFrom('sign_in_challenges').where('hash', '=', hash).execute()
  return wrongProof(proof, maxFailures - failures)
}

/** Marks a proof as used, in the transaction of what it permits; false if it is wrong, or was used before. */
export async function spendProof(
  trx: Db,
  seal: Seal,
  factor: SecondFactorRow,
  proof: Proof,
  nowMs: number,
): Promise<boolean> {
  if ('recoveryCode' in proof) {
    return spendRecoveryCode(trx, factor.user_id, hashRecoveryCode(proof.recoveryCode), nowMs)
  }
  const timeStep = stepOf(secretOf(seal, factor), proof.code, nowMs)
  return timeStep !== undefined && (await spendStep(trx, factor.user_id, timeStep))
}

/** Secret of a second factor, in base32. */
export function secretOf(seal: Seal, { user_id, organization_id, sealed_secret }: SecondFactorRow): string {
  return seal.unseal(sealed_secret, 'second_factors.sealed_secret', { id: user_id, organization_id })
}

/** Error for a wrong proof. `attemptsLeft`: how many more codes the token takes; undefined: no token limits them. */
export function wrongProof(proof: Proof, attemptsLeft?: number): AppError {
  const isCode = 'code' in proof
  const message = isCode
    ? 'must be the code that the app shows now, which was not used yet'
    : 'must be one of the recovery codes, which was not used yet'
  return new AppError('unauthenticated', isCode ? 'Invalid code' : 'Invalid recovery code', {
    problems: [{ field: fieldOf(proof), message, code: 'unknown' }],
    body: { code: 'mfa_code_wrong', ...(attemptsLeft !== undefined && { attempts_left: attemptsLeft }) },
  })
}

/** Error for a token of a second step that is unknown, used or expired. */
export function outdated(): AppError {
  const message = 'must be that of a sign-in within the last 5 minutes, without five wrong codes; sign in again'
  return new AppError('unauthenticated', 'Sign in again', {
    problems: [{ field: 'mfa_token', message, code: 'unknown' }],
    body: { code: 'mfa_token_invalid' },
  })
}
