import { type Clock, isoTime } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import type { UserRow } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import type { Identity } from '../http/signed-in.ts'
import { presentUser } from './model.ts'
import { endSurplusSessions } from './session-store.ts'
import { insertSession } from './store.ts'
import { newOpaqueToken, type Tokens } from './tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens }

/** How long a session lives on after its last refresh. */
export const refreshLifetimeMs = 30 * 86_400_000

/**
 * Opens a session and returns the specification's token response. `alongside` runs in the transaction that opens it, first:
 * what it throws leaves no session. Of a user's sessions the 100 last used stay.
 */
export async function openSession(
  { db, clock, tokens }: Deps,
  user: UserRow,
  alongside: (trx: Db, nowMs: number) => Promise<void> = async () => {},
) {
  const refresh = newOpaqueToken()
  const nowMs = clock.now()
  const { sessionId, ended } = await db.write.transaction().execute(async (trx) => {
    await alongside(trx, nowMs)
    const sessionId = await insertSession(trx, {
      userId: user.id,
      refreshTokenHash: refresh.hash,
      nowMs,
      expiresAtMs: nowMs + refreshLifetimeMs,
    })
    return { sessionId, ended: await endSurplusSessions(trx, user.id) }
  })
  if (ended.length > 0) tokens.forget((identity) => identity.sessionId !== null && ended.includes(identity.sessionId))
  return tokenResponse(tokens, user, sessionId, refresh.token)
}

/** The specification's token response for an open session. */
export async function tokenResponse(tokens: Tokens, user: UserRow, sessionId: number, refreshToken: string) {
  const { accessToken, expiresAtMs } = await tokens.issue(user, sessionId)
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_at: isoTime(expiresAtMs),
    user: presentUser(user),
  }
}

/** The session of a person who has signed in; throws `forbidden` for the token of a machine or an application. */
export function sessionOf({ sessionId }: Identity): number {
  if (sessionId !== null) return sessionId
  throw new AppError('forbidden', 'Insufficient permissions', { details: 'wanted the access token of a session' })
}
