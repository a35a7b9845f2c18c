import { type Clock, dayMs, hourMs, isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { presentOwnUser } from '../accounts/model.ts'
import {
  deleteSession,
  endOldestSessions,
  findIdToken,
  findRefreshToken,
  insertExternalSession,
  isOrphaned,
  rotateRefreshToken,
} from './store.ts'
import { getOrganization } from '../organizations/store.ts'
import { emailKey, findIdentity, findUserByEmail, insertSession } from '../accounts/store.ts'
import { hashOpaqueToken, newOpaqueToken, type Tokens } from './tokens.ts'
import { type AuditEvent, recordAudit } from '../../db/audit.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import { AppError, notFound } from '../../errors.ts'
import { networkOf } from '../../http/headers/origin.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import { insertLoginAttempt, isKnownOrigin, recordSuccess, rememberOrigin } from './login-attempt-store.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { openChallenge } from '../second-factor/challenge.ts'
import { findSecondFactor } from '../second-factor/store.ts'
import { mailNewDevice, mailReplay, type SessionMailDeps } from './session-mails.ts'
import { idleSinceMs } from './idle.ts'
import type { Throttle } from './throttle.ts'

export type SessionSettings = Pick<Config, 'sessionLifetimeDays' | 'sessionIdleHours' | 'newDeviceMail'>

type SessionDeps = {
  db: Database
  clock: Clock
  tokens: Tokens
  config: SessionSettings
} & SessionMailDeps

const refreshLifetimeMs = 30 * dayMs

/**
 * End of a session unless it is refreshed: 30 days from now, or the end of its whole lifetime if that is earlier. `externalEndMs`:
 * end of a session that a provider opened.
 */
function sessionEndMs(
  { config }: { config: Pick<Config, 'sessionLifetimeDays'> },
  createdAtMs: number,
  nowMs: number,
  externalEndMs: number | null = null,
): number {
  const end = Math.min(nowMs + refreshLifetimeMs, createdAtMs + config.sessionLifetimeDays * dayMs)
  return Math.min(end, externalEndMs ?? end)
}

/** Lifetime of a session that a provider or a proxy opened: a change of roles or access there takes effect at the next sign-in. */
const externalLifetimeMs = 12 * hourMs

/** Session opened by a provider or a proxy. `idToken`: for signing out at the provider too; null: a proxy opened the session. */
type External = { idToken: string | null }

/**
 * `inTransaction` runs first, in the transaction that opens the session: if it throws, there is no session; an error that it
 * returns is thrown after its changes are committed, without a session. `external` is set for a session by a provider or a proxy.
 * `isFirst`: it is the first session of a new account. Without `origin`, the session is stored without address and device.
 */
type Opening = {
  origin?: Origin
  inTransaction?: (trx: Db, nowMs: number) => Promise<AppError | undefined | void>
  external?: External
  isFirst?: boolean
}

const noOrigin: Origin = { ip: 'unknown', userAgent: '' }

/**
 * Opens a session and returns its token response. A user keeps the 100 sessions that were used last. A session from a network or
 * device that is not known to the account is mailed to the user, if NEW_DEVICE_MAIL says so.
 */
export async function openSession(
  { db, clock, tokens, config, ...mailDeps }: SessionDeps,
  user: UserRow,
  { origin, inTransaction = async () => {}, external, isFirst = false }: Opening = {},
) {
  const refresh = newOpaqueToken()
  const nowMs = clock.now()
  const externalEndMs = external ? nowMs + externalLifetimeMs : null
  const endMs = sessionEndMs({ config }, nowMs, nowMs, externalEndMs)
  const opened = await db.write.transaction().execute(async (trx) => {
    const isKnown = isFirst || !origin || (await isKnownOrigin(trx, user.id, origin, nowMs))
    const refusal = await inTransaction(trx, nowMs)
    if (refusal) return refusal
    const sessionId = await insertSession(trx, {
      userId: user.id,
      refreshTokenHash: refresh.hash,
      origin: origin ?? noOrigin,
      nowMs,
      expiresAtMs: endMs,
    })
    if (external && externalEndMs !== null) {
      await insertExternalSession(trx, { session_id: sessionId, ends_at: externalEndMs, id_token: external.idToken })
    }
    return { sessionId, isKnown, endedIds: await endOldestSessions(trx, user.id) }
  })
  if (opened instanceof AppError) throw opened
  const { sessionId, isKnown, endedIds } = opened
  if (endedIds.length > 0)
    tokens.invalidate((identity) => identity.sessionId !== null && endedIds.includes(identity.sessionId))
  if (origin && !isKnown && config.newDeviceMail === 'true') mailNewDevice(mailDeps, user, origin, nowMs)
  return tokenResponse({ db, tokens }, user, { id: sessionId, endMs }, nowMs, refresh.token)
}

/** The token response for an open session. */
async function tokenResponse(
  { db, tokens }: Pick<SessionDeps, 'db' | 'tokens'>,
  user: UserRow,
  session: { id: number; endMs: number },
  nowMs: number,
  refreshToken: string | undefined,
) {
  const { accessToken, expiresAtMs } = await tokens.issue(user, session)
  const organization = await getOrganization(db.read, user.organization_id)
  const found =
    organization.second_factor_required === 1 ? await findIdentity(db.read, user.id, session.id, nowMs) : undefined
  return {
    access_token: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    token_type: 'Bearer',
    expires_at: isoTime(expiresAtMs),
    user: presentOwnUser(user, organization, found?.identity.mustSetUpSecondFactor),
  }
}

type Deps = { db: Database; clock: Clock; tokens: Tokens }

/**
 * Ends the caller's session and all its tokens. Returns the ID token of a session that a provider opened, else null. Throws
 * `forbidden` if the caller has no session.
 */
export async function logout({ db, clock, tokens }: Deps, caller: Caller): Promise<string | null> {
  const endedId = sessionOf(caller)
  const idToken = await db.write.transaction().execute(async (trx) => {
    const idToken = await findIdToken(trx, endedId)
    if (await deleteSession(trx, endedId)) await recordAudit(trx, caller, { event: 'logout' }, clock.now())
    return idToken
  })
  tokens.invalidate(({ sessionId }) => sessionId === endedId)
  return idToken
}

/**
 * Exchanges a refresh token for a new token response; the session now ends 30 days from now, or with its lifetime if that is
 * earlier. A token that was exchanged before ends the session with all its tokens: it cannot be determined which of the two uses is
 * a thief's; the user is mailed. Within `graceMs` of its exchange, though, the token still gives an access token, but no refresh
 * token. Throws `unauthenticated`, or `not_found` if the user has been removed.
 */
export async function refreshSession(
  { db, clock, tokens, config, ...mailDeps }: SessionDeps,
  refreshToken: string,
  origin: Origin,
  { graceMs = 0 } = {},
) {
  const usedHash = hashOpaqueToken(refreshToken)
  const next = newOpaqueToken()
  const nowMs = clock.now()

  const { row, outcome, endMs } = await db.write.transaction().execute(async (trx) => {
    const row = await findRefreshToken(trx, usedHash)
    if (!row) throw (await isOrphaned(trx, usedHash, nowMs)) ? notFound('User') : badRefreshToken()
    const expiresAtMs = sessionEndMs({ config }, row.session_created_at, nowMs, row.session_ends_at)
    const isIdle = row.session_last_used_at < idleSinceMs(config, nowMs)
    if (isIdle || Math.min(row.session_expires_at, expiresAtMs) <= nowMs) throw badRefreshToken()
    const outcome = row.used_at === null ? 'exchanged' : nowMs - row.used_at < graceMs ? 'repeated' : 'replayed'
    if (outcome === 'replayed') {
      await deleteSession(trx, row.session_id)
    } else if (outcome === 'exchanged') {
      const newHash = next.hash
      await rotateRefreshToken(trx, { sessionId: row.session_id, usedHash, newHash, origin, nowMs, expiresAtMs })
      await rememberOrigin(trx, row.id, origin, nowMs)
    }
    const entry =
      outcome === 'replayed'
        ? { outcome: 'failure' as const, details: { reason: 'replayed, session ended' } }
        : { outcome: 'success' as const }
    await recordAudit(trx, actorOf(row, origin), { event: 'token_refresh', ...entry }, nowMs)
    return { row, outcome, endMs: expiresAtMs }
  })

  if (outcome !== 'replayed') {
    const session = { id: row.session_id, endMs }
    return tokenResponse({ db, tokens }, row, session, nowMs, outcome === 'exchanged' ? next.token : undefined)
  }
  tokens.invalidate(({ sessionId }) => sessionId === row.session_id)
  mailReplay(mailDeps, row)
  throw badRefreshToken()
}

function badRefreshToken(): AppError {
  return new AppError('unauthenticated', 'Invalid refresh token', {
    problems: [{ field: 'refresh_token', message: 'unknown, expired or already used', code: 'unknown' }],
  })
}

type GuessDeps = { db: Database; clock: Clock; passwords: Passwords; throttle: Throttle }

/**
 * Opens a session for the user with this e-mail and password. Throws `unauthenticated`, with the same error and after the same
 * time for an unknown e-mail and for a wrong password, and with the code `mfa_required` if the user has a second factor; or
 * `rate_limited`. Success deletes the account's failures from the same address, and no others: somebody who guesses from
 * elsewhere gains nothing when the owner signs in.
 */
export async function login(
  deps: GuessDeps & SessionDeps & { config: PasswordSettings },
  email: string,
  password: string,
  origin: Origin,
) {
  assertPasswordsAllowed(deps.config)
  const guessed = await guessPassword(deps, { email, password, event: 'login' }, origin)
  const inTransaction: Opening['inTransaction'] = async (trx, nowMs) => {
    const user = await findUserByEmail(trx, email)
    if (user?.password_hash !== guessed.password_hash) throw wrongPassword() // the password was changed during the check
    if (await findSecondFactor(trx, user.id)) return openChallenge(trx, user, nowMs)
    await recordSuccess(trx, user, origin, nowMs)
    await recordAudit(trx, actorOf(user, origin), { event: 'login' }, nowMs)
    return undefined
  }
  return openSession(deps, guessed, { origin, inTransaction })
}

/** Guess of a password. `sessionId`: active session that it comes from. */
type Guess = { email: string; password: string; event: AuditEvent; sessionId?: number }

/**
 * Returns the user if the password is correct. Throws `unauthenticated` if not, and `rate_limited` after too many failures. A wrong
 * password counts as a failure, and is recorded in the audit log if the e-mail has a user.
 */
export async function guessPassword(
  { db, clock, passwords, throttle }: GuessDeps,
  { email, password, event, sessionId }: Guess,
  origin: Origin,
): Promise<UserRow> {
  const guesser = { emailKey: emailKey(email), network: networkOf(origin.ip), sessionId }
  return throttle.guess(guesser, async () => {
    const user = await findUserByEmail(db.read, email)
    const isMatch = await passwords.matches(password, user?.password_hash || null)
    if (user && isMatch) return user
    const nowMs = clock.now()
    await db.write.transaction().execute(async (trx) => {
      await insertLoginAttempt(trx, {
        email_key: guesser.emailKey,
        ip: guesser.network,
        attempted_at: nowMs,
        session_id: sessionId ?? null,
      })
      if (user) await recordAudit(trx, actorOf(user, origin), { event, outcome: 'failure' }, nowMs)
    })
    throw wrongPassword()
  })
}

export type PasswordSettings = Pick<Config, 'oidcOnly' | 'oidcName'>

/** Throws `forbidden` if everybody signs in by the provider. */
export function assertPasswordsAllowed({ oidcOnly, oidcName }: PasswordSettings): void {
  if (oidcOnly === 'false') return
  throw new AppError('forbidden', `Sign in with ${oidcName}`, {
    details: 'OIDC_ONLY: passwords are not accepted; without this setting they are again',
  })
}

/** Error for an unknown e-mail or a wrong password. */
export function wrongPassword(): AppError {
  return new AppError('unauthenticated', 'Invalid credentials')
}
