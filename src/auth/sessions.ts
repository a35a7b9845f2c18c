import { type Clock, isoTime } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { UserRow } from '../db/tables.ts'
import { presentUser } from './model.ts'
import { insertSession } from './store.ts'
import { newOpaqueToken, type Tokens } from './tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens }

const refreshLifetimeMs = 30 * 86_400_000

/** Opens a session and returns the specification's token response. */
export async function openSession({ db, clock, tokens }: Deps, user: UserRow) {
  const refresh = newOpaqueToken()
  const nowMs = clock.now()
  const sessionId = await db.write.transaction().execute((trx) =>
    insertSession(trx, {
      userId: user.id,
      refreshTokenHash: refresh.hash,
      nowMs,
      expiresAtMs: nowMs + refreshLifetimeMs,
    }),
  )
  const { accessToken, expiresAtMs } = await tokens.issue(user, sessionId)
  return {
    access_token: accessToken,
    refresh_token: refresh.token,
    token_type: 'Bearer',
    expires_at: isoTime(expiresAtMs),
    user: presentUser(user),
  }
}
