import { type Clock, isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { presentUser } from '../accounts/model.ts'
import { endSurplusSessions } from './store.ts'
import { insertSession } from '../accounts/store.ts'
import { newOpaqueToken, type Tokens } from './tokens.ts'

export type SessionDeps = {
  db: Database
  clock: Clock
  tokens: Tokens
  config: Pick<Config, 'sessionLifetimeDays'>
}

const dayMs = 86_400_000
const refreshLifetimeMs = 30 * dayMs

/** When a session ends unless it is refreshed: 30 days from now, or at the end of its whole lifetime if that is earlier. */
export function sessionEndMs({ config }: Pick<SessionDeps, 'config'>, createdAtMs: number, nowMs: number): number {
  return Math.min(nowMs + refreshLifetimeMs, createdAtMs + config.sessionLifetimeDays * dayMs)
}

/**
 * Opens a session and returns its token response. `alongside` runs in the transaction that opens it, first:
 * what it throws leaves no session. Of a user's sessions the 100 last used stay.
 */
export async function openSession(
  { db, clock, tokens, config }: SessionDeps,
  user: UserRow,
  alongside: (trx: Db, nowMs: number) => Promise<void> = async () => {},
) {
  const refresh = newOpaqueToken()
  const nowMs = clock.now()
  const endMs = sessionEndMs({ config }, nowMs, nowMs)
  const { sessionId, ended } = await db.write.transaction().execute(async (trx) => {
    await alongside(trx, nowMs)
    const sessionId = await insertSession(trx, {
      userId: user.id,
      refreshTokenHash: refresh.hash,
      nowMs,
      expiresAtMs: endMs,
    })
    return { sessionId, ended: await endSurplusSessions(trx, user.id) }
  })
  if (ended.length > 0) tokens.forget((identity) => identity.sessionId !== null && ended.includes(identity.sessionId))
  return tokenResponse(tokens, user, { id: sessionId, endMs }, refresh.token)
}

/** The token response for an open session. */
export async function tokenResponse(
  tokens: Tokens,
  user: UserRow,
  session: { id: number; endMs: number },
  refreshToken: string,
) {
  const { accessToken, expiresAtMs } = await tokens.issue(user, session)
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_at: isoTime(expiresAtMs),
    user: presentUser(user),
  }
}
