import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Origin } from '../../origin.ts'
import { isBrowserSession } from './browser-session.ts'
import { deleteSession } from './store.ts'
import type { Tokens } from './tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens }

/**
 * Ends the session whose access token a browser sent with a sign-in, effective at once: it has opened another. Call it after the
 * sign-in has succeeded. Without a token of a session that still is open, and for clients that are no browser, it does nothing.
 */
export async function endEarlierSession({ db, clock, tokens }: Deps, request: Request, origin: Origin): Promise<void> {
  const authorization = request.headers.get('authorization')
  if (authorization === null || !isBrowserSession(request)) return
  const identity = await tokens.identifyRestricted(authorization).catch(notSignedIn)
  const sessionId = identity?.sessionId ?? null
  if (!identity || sessionId === null) return
  await db.write.transaction().execute(async (trx) => {
    if (!(await deleteSession(trx, sessionId))) return
    const details = { id: sessionId, reason: 'its browser has signed in again' }
    await recordAudit(trx, { ...identity, origin }, { event: 'session_ended', details }, clock.now())
  })
  tokens.invalidate((one) => one.sessionId === sessionId)
}

function notSignedIn(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error
}
