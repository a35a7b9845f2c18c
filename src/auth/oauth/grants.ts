import { createHash, timingSafeEqual } from 'node:crypto'
import { type Clock, dayMs, hourMs } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Origin } from '../../origin.ts'
import { type Call, identifyClient } from './clients/access.ts'
import type { OAuthClientRow } from './clients/store.ts'
import { invalidateAccessTokens, newAccessToken, readScopes } from './credential.ts'
import { OAuthError, requiredField } from './error.ts'
import {
  endGrant,
  findByRefreshToken,
  findCode,
  findPair,
  insertTokens,
  setCodeUsed,
  setRefreshTokenUsed,
} from './store.ts'
import { hashOpaqueToken, newOpaqueToken, type Tokens } from '../sessions/tokens.ts'
import { recordAudit } from '../../db/audit.ts'

type GrantDeps = { db: Database; clock: Clock; tokens: Pick<Tokens, 'invalidate'> }

type Exchange = { trx: Db; client: OAuthClientRow; form: Call['form']; origin: Origin; nowMs: number }

const accessLifetimeMs = hourMs
const refreshLifetimeMs = 30 * dayMs
const grantLifetimeMs = 365 * dayMs

const grants = new Map([
  ['authorization_code', redeemCode],
  ['refresh_token', rotate],
])

/** Response of the token endpoint: RFC 6749, 5.1. Throws `OAuthError`; a replay still ends its whole grant. */
export async function exchange({ db, clock, tokens }: GrantDeps, call: Call, origin: Origin) {
  const client = await identifyClient(db.read, call)
  const redeem = grants.get(requiredField(call.form, 'grant_type'))
  if (!redeem) throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  const nowMs = clock.now()
  const answer = await db.write.transaction().execute((trx) => redeem({ trx, client, form: call.form, origin, nowMs }))
  invalidateAccessTokens(tokens, client.organization_id)
  if (answer instanceof OAuthError) throw answer
  return answer
}

/**
 * Redeems a code: RFC 6749, 4.1.3, and RFC 7636, 4.6. Returns refusals instead of throwing them, so that the transaction in
 * which a replay ends a grant is committed.
 */
async function redeemCode(attempt: Exchange) {
  const { trx, client, form, nowMs } = attempt
  const hash = hashOpaqueToken(requiredField(form, 'code'))
  const redirectUri = requiredField(form, 'redirect_uri')
  const verifier = requiredField(form, 'code_verifier')
  const code = await findCode(trx, hash)
  if (!code || code.used_at !== null) {
    return endReplayed(attempt, hash, 'code used twice') // an expired code is deleted, but the hash still identifies its grant
  }
  if (code.client_id !== client.id || code.redirect_uri !== redirectUri || code.expires_at <= nowMs)
    return invalidGrant()
  if (!provesChallenge(verifier, code.code_challenge)) return invalidGrant()
  await setCodeUsed(trx, hash, nowMs)
  const { user_id: userId, scopes } = code
  return issue(attempt, { grantId: hash, grantedMs: nowMs, userId, scopes, accessScopes: scopes })
}

/** Exchanges a refresh token: RFC 6749, 6. The presented token and its access token are invalid from then on. */
async function rotate(attempt: Exchange) {
  const { trx, client, form, nowMs } = attempt
  const hash = hashOpaqueToken(requiredField(form, 'refresh_token'))
  const old = await findByRefreshToken(trx, hash)
  if (!old || old.client_id !== client.id) return invalidGrant()
  if (old.refresh_used_at !== null) {
    return endReplayed(attempt, old.grant_id, 'refresh token used twice')
  }
  if (old.refresh_expires_at <= nowMs) return invalidGrant()
  const scopes = readScopes(form.get('scope') ?? old.scopes)
  if (!scopes?.every((scope) => old.scopes.split(' ').includes(scope))) {
    return new OAuthError('invalid_scope', 'scope must not be more than the user has allowed')
  }
  await setRefreshTokenUsed(trx, hash, nowMs)
  const accessScopes = scopes.join(' ')
  const { grant_id: grantId, granted_at: grantedMs, user_id: userId } = old
  return issue(attempt, { grantId, grantedMs, userId, scopes: old.scopes, accessScopes })
}

type Granted = { grantId: string; grantedMs: number; userId: number; scopes: string; accessScopes: string }

async function issue({ trx, client, nowMs }: Exchange, { grantId, grantedMs, userId, scopes, accessScopes }: Granted) {
  const grantEndMs = grantedMs + grantLifetimeMs
  const accessExpiresMs = Math.min(nowMs + accessLifetimeMs, grantEndMs)
  const access = newAccessToken()
  const refresh = newOpaqueToken()
  await insertTokens(trx, {
    access_hash: access.hash,
    refresh_hash: refresh.hash,
    grant_id: grantId,
    client_id: client.id,
    user_id: userId,
    scopes,
    access_scopes: accessScopes,
    access_expires_at: accessExpiresMs,
    refresh_expires_at: Math.min(nowMs + refreshLifetimeMs, grantEndMs),
    refresh_used_at: null,
    granted_at: grantedMs,
    created_at: nowMs,
  })
  return {
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: Math.floor((accessExpiresMs - nowMs) / 1000),
    refresh_token: refresh.token,
    scope: accessScopes,
  }
}

/** Ends a grant of which a code or refresh token was presented twice: somebody else may have the token (RFC 9700, 4.14.2). */
async function endReplayed(attempt: Exchange, grantId: string, reason: string): Promise<OAuthError> {
  await end(attempt, grantId, { outcome: 'failure', reason })
  return invalidGrant()
}

function provesChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const expectedChallenge = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(expectedChallenge), Buffer.from(challenge))
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'unknown, expired, used, or not given for this request')
}

/** Revokes the grant of an access or refresh token: RFC 7009. An unknown token is no error; another application's is. */
export async function revoke({ db, clock, tokens }: GrantDeps, call: Call, origin: Origin): Promise<void> {
  const client = await identifyClient(db.read, call)
  const hash = hashOpaqueToken(requiredField(call.form, 'token'))
  await db.write.transaction().execute(async (trx) => {
    const pair = await findPair(trx, hash)
    if (!pair) return
    if (pair.client_id !== client.id) throw new OAuthError('invalid_grant', 'the token was given to another client')
    await end({ trx, client, origin, nowMs: clock.now() }, pair.grant_id, { outcome: 'success', reason: 'revoked' })
  })
  invalidateAccessTokens(tokens, client.organization_id)
}

type Ending = Omit<Exchange, 'form'>
type Why = { outcome: 'success' | 'failure'; reason: string }

/** Ends every token of a grant. */
async function end({ trx, client, origin, nowMs }: Ending, grantId: string, { outcome, reason }: Why): Promise<void> {
  const user = await endGrant(trx, grantId)
  if (!user) return
  const actor = { organizationId: client.organization_id, userId: user.id, email: user.email, origin }
  const details = { client_id: client.id, name: client.name, reason }
  await recordAudit(trx, actor, { event: 'oauth_token_revoked', outcome, details }, nowMs)
}

type IntrospectDeps = Pick<GrantDeps, 'db' | 'clock'> & { issuer: () => string }

/** Introspects a token: RFC 7662. For applications with a secret, and their own tokens; any other is reported as not active. */
export async function introspect({ db, clock, issuer }: IntrospectDeps, call: Call) {
  const client = await identifyClient(db.read, call)
  if (client.secret_hash === null) throw new OAuthError('invalid_client', 'must be a client with a secret')
  const hash = hashOpaqueToken(requiredField(call.form, 'token'))
  const pair = await findPair(db.read, hash)
  const isAccess = pair?.access_hash === hash
  const expiresAtMs = (isAccess ? pair?.access_expires_at : pair?.refresh_expires_at) ?? 0
  if (!pair || pair.client_id !== client.id || pair.refresh_used_at !== null || expiresAtMs <= clock.now()) {
    return { active: false }
  }
  return {
    active: true,
    scope: isAccess ? pair.access_scopes : pair.scopes,
    client_id: client.id,
    username: pair.email,
    ...(isAccess ? { token_type: 'Bearer' } : {}),
    exp: Math.floor(expiresAtMs / 1000),
    iat: Math.floor(pair.created_at / 1000),
    sub: String(pair.user_id),
    iss: issuer(),
  }
}
