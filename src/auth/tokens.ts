import { createHash, randomBytes } from 'node:crypto'
import { jwt } from '@elysiajs/jwt'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import type { UserRow } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import type { Caller, TokenReader } from '../http/signed-in.ts'
import { findCaller } from './store.ts'

/** Access tokens: JWT, HS256, carrying the claims of decisions.md 4.1; good only as long as their session. */
export type Tokens = TokenReader & {
  issue(user: UserRow, sessionId: number): Promise<{ accessToken: string; expiresAtMs: number }>
}

type Deps = { db: Pick<Database, 'read'>; clock: Clock; secret: string; expirationSeconds: number }

const issuer = 'nines'
const pinned = { algorithms: ['HS256'], issuer, requiredClaims: ['exp', 'iat', 'sub', 'sid'] }
const mostRemembered = 10_000

type Remembered = { caller: Caller; expiresAtMs: number }

export function createTokens({ db, clock, secret, expirationSeconds }: Deps): Tokens {
  const { sign, verify } = jwt({ name: 'jwt', secret, alg: 'HS256', iss: issuer }).decorator.jwt
  const remembered = new LRUCache<string, Remembered>({ max: mostRemembered })

  return {
    async issue(user, sessionId) {
      const expiresAtSeconds = Math.floor(clock.now() / 1000) + expirationSeconds
      const accessToken = await sign({
        sub: String(user.id),
        sid: sessionId,
        organization_id: user.organization_id,
        email: user.email,
        name: user.name,
        role: user.role,
        exp: expiresAtSeconds,
      })
      return { accessToken, expiresAtMs: expiresAtSeconds * 1000 }
    },

    async caller(authorization) {
      const token = bearer(authorization)
      const known = remembered.get(token)
      if (known && known.expiresAtMs > clock.now()) return known.caller
      const claims = await verify(token, { ...pinned, currentDate: new Date(clock.now()) })
      if (!claims || typeof claims.exp !== 'number') throw notSignedIn('expired or invalid token')
      const caller = await callerOf(db.read, claims, clock.now())
      if (!caller) throw notSignedIn('the session of this token has ended')
      remembered.set(token, { caller, expiresAtMs: claims.exp * 1000 })
      return caller
    },
  }
}

async function callerOf(db: Db, claims: Record<string, unknown>, nowMs: number): Promise<Caller | undefined> {
  const userId = Number(claims['sub'])
  const sessionId = Number(claims['sid'])
  if (!Number.isSafeInteger(userId) || !Number.isSafeInteger(sessionId)) return undefined
  return findCaller(db, userId, sessionId, nowMs)
}

function bearer(authorization: string | null): string {
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1]
  if (!token) throw notSignedIn('wanted Authorization: Bearer <access token>')
  return token
}

function notSignedIn(details: string): AppError {
  return new AppError('unauthenticated', 'Not signed in', { details, headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** An opaque secret for its owner, and the hash of it that is stored. */
export function newOpaqueToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOpaqueToken(token) }
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
