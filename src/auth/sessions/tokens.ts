import { createHash, randomBytes } from 'node:crypto'
import { jwt } from '@elysiajs/jwt'
import { LRUCache } from 'lru-cache'
import { type Clock, minuteMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { TokenScope } from '../../origin.ts'
import type { Identity, TokenReader } from '../../http/signed-in.ts'
import type { Log } from '../../log.ts'
import { findIdentity, getUser } from '../accounts/store.ts'
import { createLastUse } from '../last-use.ts'
import { idleSinceMs, type IdleSettings } from './idle.ts'
import { setSessionUsed } from './store.ts'

/** Identity of a token, and until when (milliseconds since the epoch) it is valid without another lookup. */
export type Authenticated = { identity: Identity; untilMs: number }

/** A kind of bearer token other than access tokens of sessions. `find` returns undefined for a token that is not valid. */
export type Credential = { fits(token: string): boolean; find(token: string): Promise<Authenticated | undefined> }

/**
 * Access tokens of sessions: JWT, HS256, with the claims listed in `verifyOptions`; valid only as long as their session. Code that
 * ends a session, or changes a user's permissions, has to call `invalidate` with a predicate for the identities concerned.
 */
export type Tokens = TokenReader & {
  /** `session`: its id, and when it ends unless it is refreshed; the token ends no later. */
  issue(user: UserRow, session: { id: number; endMs: number }): Promise<{ accessToken: string; expiresAtMs: number }>
  invalidate(matches: IdentityFilter): void
  /** Calls the listener after each `invalidate`. */
  onInvalidate(listener: (matches: IdentityFilter) => void): void
  /** Like `identify`, but returns undefined if that would need a lookup, and where it would throw. */
  identifyCached(authorization: string | null): Identity | undefined
  /** Like `identify`, with the time until which the result may be cached. */
  authenticate(authorization: string | null): Promise<Authenticated>
  /** Like `identifyRestricted`; throws `not_found` for an access token that has not expired if its user was removed. */
  identifyUser(authorization: string | null): Promise<Identity>
  /** Resolves when every use of a session seen so far has been recorded, or has failed to be. */
  drain(): Promise<void>
  /** Like `identify`, also for a session that has to set up a second factor before it may do anything else. */
  identifyRestricted(authorization: string | null): Promise<Identity>
}

type IdentityFilter = (identity: Identity) => boolean

type Deps = {
  db: Database
  clock: Clock
  log: Log
  config: Pick<Config, 'sessionIdleHours' | 'jwtExpirationSeconds'>
  secret: string
  /** Audience of access tokens: this instance, and no other with the same secret. */
  audience: string
  credentials: Credential[]
}

const issuer = 'nines'
const verifyOptions = { algorithms: ['HS256'], issuer, requiredClaims: ['aud', 'exp', 'iat', 'jti', 'sub', 'sid'] }
const maxCached = 10_000

export function createTokens({ db, clock, log, config, secret, audience, credentials }: Deps): Tokens {
  const { sign, verify } = jwt({ name: 'jwt', secret, alg: 'HS256', iss: issuer }).decorator.jwt
  const cache = new LRUCache<string, Authenticated>({ max: maxCached })
  const listeners: ((matches: IdentityFilter) => void)[] = []
  const write = (id: number, nowMs: number) => setSessionUsed(db.write, id, nowMs)
  const lastUse = createLastUse({ clock, log, write }, 'a session', 5 * minuteMs) // an open page uses its session all the time
  let invalidations = 0

  const claimsOf = (token: string) => verify(token, { ...verifyOptions, audience, currentDate: new Date(clock.now()) })

  const findSession: Credential['find'] = async (token) => {
    const claims = await claimsOf(token)
    if (!claims || typeof claims.exp !== 'number') return undefined
    const session = await findSessionOf(db.read, claims, config, clock.now())
    if (!session) return undefined
    const { id, identity, expiresAtMs, lastUsedAtMs } = session
    return { identity, untilMs: Math.min(claims.exp * 1000, expiresAtMs, lastUse.note(id, lastUsedAtMs)) }
  }

  const findCached = (token: string): Authenticated | undefined => {
    const cached = cache.get(token)
    return cached && cached.untilMs > clock.now() ? cached : undefined
  }

  const find = async (authorization: string | null): Promise<Authenticated> => {
    const token = bearer(authorization)
    const cached = findCached(token)
    if (cached) return cached
    const findToken = credentials.find(({ fits }) => fits(token))?.find ?? findSession
    const invalidationsBefore = invalidations
    const authenticated = await findToken(token)
    if (!authenticated) throw notSignedIn('expired or invalid token')
    if (invalidations === invalidationsBefore) cache.set(token, authenticated) // otherwise the token may have been invalidated during the lookup
    return authenticated
  }

  const authenticate = async (authorization: string | null, scope?: TokenScope): Promise<Authenticated> => {
    const authenticated = await find(authorization)
    assertScope(authenticated.identity, scope)
    assertUnrestricted(authenticated.identity)
    return authenticated
  }

  const identifyRestricted = async (authorization: string | null): Promise<Identity> => {
    const { identity } = await find(authorization)
    assertScope(identity, undefined)
    return identity
  }

  const identify: TokenReader['identify'] = async (...args) => (await authenticate(...args)).identity

  return {
    authenticate: (authorization) => authenticate(authorization),
    identify,
    identifyRestricted,
    identifyCached(authorization) {
      const identity = findCached(tokenIn(authorization) ?? '')?.identity
      return identity?.scope || identity?.mustSetUpSecondFactor ? undefined : identity
    },
    async identifyUser(authorization) {
      try {
        return await identifyRestricted(authorization)
      } catch (error) {
        const userId = userIdIn((await claimsOf(bearer(authorization))) || {})
        if (userId !== undefined) await getUser(db.read, userId)
        throw error
      }
    },
    onInvalidate: (listener) => void listeners.push(listener),
    drain: lastUse.drain,

    async issue(user, { id: sessionId, endMs }) {
      const expiresAtSeconds = Math.floor(Math.min(clock.now() + config.jwtExpirationSeconds * 1000, endMs) / 1000)
      const accessToken = await sign({
        sub: String(user.id),
        aud: audience,
        jti: crypto.randomUUID(),
        sid: sessionId,
        organization_id: user.organization_id,
        email: user.email,
        name: user.name,
        role: user.role,
        exp: expiresAtSeconds,
      })
      return { accessToken, expiresAtMs: expiresAtSeconds * 1000 }
    },

    invalidate(matches) {
      invalidations += 1
      for (const [token, { identity }] of cache.entries()) {
        if (matches(identity)) cache.delete(token)
      }
      for (const listener of listeners) listener(matches)
    },
  }
}

async function findSessionOf(db: Db, claims: Record<string, unknown>, config: IdleSettings, nowMs: number) {
  const { sid } = claims
  const userId = userIdIn(claims)
  if (userId === undefined || typeof sid !== 'number' || !Number.isSafeInteger(sid)) return undefined
  const found = await findIdentity(db, userId, sid, nowMs, idleSinceMs(config, nowMs))
  return found && { id: sid, ...found }
}

function userIdIn({ sub }: Record<string, unknown>): number | undefined {
  return typeof sub === 'string' && /^[1-9]\d{0,14}$/.test(sub) ? Number(sub) : undefined
}

function tokenIn(authorization: string | null): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1]
}

function bearer(authorization: string | null): string {
  const token = tokenIn(authorization)
  if (!token) throw notSignedIn('must be Authorization: Bearer <access token>')
  return token
}

function assertScope({ scope = null }: Identity, needed: TokenScope | undefined): void {
  if (scope === null || scope === needed) return
  throw new AppError('forbidden', 'Insufficient permissions', { details: `the API token has the scope ${scope}` })
}

function assertUnrestricted({ mustSetUpSecondFactor = false }: Identity): void {
  if (!mustSetUpSecondFactor) return
  throw new AppError('forbidden', 'Set up a second factor first', {
    details: 'your organization requires one: POST /auth/second-factor begins, and the page asks for it',
    body: { code: 'mfa_setup_required' },
  })
}

function notSignedIn(details: string): AppError {
  return new AppError('unauthenticated', 'Not signed in', { details, headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** A new opaque secret for its owner, and its hash, which is stored. */
export function newOpaqueToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOpaqueToken(token) }
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
