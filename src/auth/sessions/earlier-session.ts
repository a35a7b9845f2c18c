import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Origin } from '../../origin.ts'
import { actorOf } from '../audit/store.ts'
import { isBrowserSession } from './browser-session.ts'
import { deleteSession, findRefreshToken } from './store.ts'
import { hashOpaqueToken, type Tokens } from './tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens }

/**
 * Ends the session whose access token a browser sent with a sign-in, effective at once, because the sign-in has opened another.
 * Call it after the sign-in has succeeded. Does nothing without the token of an open session, and for clients that are no
 * browser.
 */
export async function endEarlierSession(deps: Deps, request: Request, origin: Origin): Promise<void> {
  const authorization = request.headers.get('authorization')
  if (authorization === null || !isBrowserSession(request)) return
  const identity = await deps.tokens.identifyRestricted(authorization).catch(notSignedIn)
  const sessionId = identity?.sessionId ?? null
  if (identity && sessionId !== null) await endSession(deps, sessionId, { ...identity, origin })
}

/**
 * Refresh token with which a browser continues. `end` ends the browser's earlier session; to be called once the refresh has
 * succeeded.
 */
type Continued = { token: string; end: () => Promise<void> }

/**
 * Chooses between the refresh tokens of a browser: that of its session, and that of a sign-in by a provider, if it was later. The
 * sign-in itself could not end the session, because the browser did not send the session's token then.
 */
export async function continueLatest(
  deps: Deps,
  [token, signInToken]: readonly [string, ...string[]],
  origin: Origin,
): Promise<Continued> {
  const nothing = async () => {}
  if (signInToken === undefined) return { token, end: nothing }
  const find = (one: string) => findRefreshToken(deps.db.read, hashOpaqueToken(one))
  const [session, signIn] = [await find(token), await find(signInToken)]
  if (!session) return { token: signInToken, end: nothing }
  const isLater = signIn && signIn.session_created_at >= session.session_created_at
  if (!isLater || signIn.session_id === session.session_id) return { token, end: nothing }
  return { token: signInToken, end: () => endSession(deps, session.session_id, actorOf(session, origin)) }
}

async function endSession(
  { db, clock, tokens }: Deps,
  sessionId: number,
  actor: Parameters<typeof recordAudit>[1],
): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    if (!(await deleteSession(trx, sessionId))) return
    const details = { id: sessionId, reason: 'its browser has signed in again' }
    await recordAudit(trx, actor, { event: 'session_ended', details }, clock.now())
  })
  tokens.invalidate((one) => one.sessionId === sessionId)
}

function notSignedIn(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error
}
