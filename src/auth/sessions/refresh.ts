import { recordAudit } from '../../db/audit.ts'
import { AppError, notFound } from '../../errors.ts'
import { networkOf } from '../../http/headers/origin.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/actor.ts'
import { rememberNetwork } from './login-attempt-store.ts'
import { deleteSession, findRefreshToken, isOrphaned, rotateRefreshToken } from './store.ts'
import { type SessionDeps, sessionEndMs, tokenResponse } from './sessions.ts'
import { hashOpaqueToken, newOpaqueToken } from './tokens.ts'

/**
 * Exchanges a refresh token for a new token response; the session now lives 30 days from here, within its whole
 * lifetime. A token that was exchanged
 * before ends the session with all its tokens, however shortly after: of two that come at once, nobody can tell which is
 * the thief's, so both have to sign in again. Throws `unauthenticated`, or `not_found` where the user has been removed.
 */
export async function refreshSession({ db, clock, tokens, config }: SessionDeps, refreshToken: string, origin: Origin) {
  const usedHash = hashOpaqueToken(refreshToken)
  const next = newOpaqueToken()
  const nowMs = clock.now()

  const { row, replayed, endMs } = await db.write.transaction().execute(async (trx) => {
    const row = await findRefreshToken(trx, usedHash)
    if (!row) throw (await isOrphaned(trx, usedHash, nowMs)) ? notFound('User') : badRefreshToken()
    const expiresAtMs = sessionEndMs({ config }, row.session_created_at, nowMs)
    if (Math.min(row.session_expires_at, expiresAtMs) <= nowMs) throw badRefreshToken()
    const replayed = row.used_at !== null
    if (replayed) {
      await deleteSession(trx, row.session_id)
    } else {
      await rotateRefreshToken(trx, { sessionId: row.session_id, usedHash, newHash: next.hash, nowMs, expiresAtMs })
      await rememberNetwork(trx, row.id, networkOf(origin.ip), nowMs)
    }
    const happening = replayed
      ? { outcome: 'failure' as const, details: { reason: 'replayed, session ended' } }
      : { outcome: 'success' as const }
    await recordAudit(trx, actorOf(row, origin), { event: 'token_refresh', ...happening }, nowMs)
    return { row, replayed, endMs: expiresAtMs }
  })

  if (!replayed) return tokenResponse(tokens, row, { id: row.session_id, endMs }, next.token)
  tokens.forget(({ sessionId }) => sessionId === row.session_id)
  throw badRefreshToken()
}

function badRefreshToken(): AppError {
  return new AppError('unauthenticated', 'Invalid refresh token', {
    details: 'refresh_token: unknown, expired or already used',
  })
}
