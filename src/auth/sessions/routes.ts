import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, sessionOf, signedIn } from '../../http/signed-in.ts'
import { assertRecentSignInOfAll } from '../second-factor/recent-sign-in.ts'
import { deviceOf } from './device.ts'
import { idleSinceMs, type IdleSettings } from './idle.ts'
import { deleteSession, deleteSessionsOf, getSession, listSessions } from './store.ts'
import type { Tokens } from './tokens.ts'

const Session = t.Object(
  {
    id: t.Number(),
    device: t.String({ description: 'browser and system in words, or the name of a program' }),
    ip: t.String({ description: 'address at the sign-in, or the last refresh' }),
    created_at: t.String({ description: 'when it was opened by a sign-in' }),
    last_used_at: t.String({ description: 'its last use, to five minutes' }),
    expires_at: t.String({ description: 'when it ends unless it is refreshed' }),
    is_current: t.Boolean({ description: 'true: the session of this request' }),
  },
  { title: 'Session' },
)

const SessionList = t.Object({ sessions: t.Array(Session), total: t.Number() }, { title: 'SessionList' })

export const EndedSessions = t.Object(
  { message: t.String(), ended: t.Number({ description: 'how many sessions have ended' }) },
  { title: 'EndedSessions' },
)

type Deps = { db: Database; clock: Clock; tokens: Tokens; config: IdleSettings }

const params = t.Object({ id: Id('session') })

/** Routes to list and to end the sessions of the caller. */
export const sessionRoutes = ({ guard, ...deps }: Deps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/auth/sessions', tags: ['Accounts'] })
    .use(signedIn({ ...guard, writes: 'viewer', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        const current = sessionOf(caller)
        const nowMs = deps.clock.now()
        const usedSinceMs = idleSinceMs(deps.config, nowMs)
        const rows = await listSessions(deps.db.read, caller.userId, { nowMs, usedSinceMs })
        return {
          sessions: rows.map(({ id, user_agent, ip, ...row }) => ({
            id,
            device: deviceOf(user_agent),
            ip,
            created_at: isoTime(row.created_at),
            last_used_at: isoTime(row.last_used_at),
            expires_at: isoTime(row.expires_at),
            is_current: id === current,
          })),
          total: rows.length,
        }
      },
      operation('listSessions', 'List the sessions of the caller', {
        description:
          'Each sign-in that has not ended, the last used first; at most 100. Takes the access token of a session only. All are ' +
          'in one answer.',
        200: SessionList,
        403: 'Requires the access token of a session',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, endSession, { message: 'Session ended' }),
      operation('endSession', 'End a session of the caller', {
        description:
          'Its tokens are refused from the next request on, and its sockets end. To end another session than that of the ' +
          'request, the caller must have signed in within the last 15 minutes; otherwise `code` of the 403 is `sign_in_again`. Takes ' +
          'the access token of a session only.',
        params,
        200: Message,
        403: 'Requires the access token of a session, and for another session a sign-in within 15 minutes',
      }),
    )
    .post(
      '/end-others',
      async ({ caller }) => {
        const ended = await endOtherSessions(deps, caller)
        return { message: 'All other sessions have ended', ended }
      },
      operation('endOtherSessions', 'End all sessions of the caller but that of the request', {
        description:
          'API tokens and the access of applications stay. Takes no body, and the access token of a session ' +
          'only. The caller must have signed in within the last 15 minutes; otherwise `code` of the 403 is `sign_in_again`.',
        200: EndedSessions,
        403: 'Requires the access token of a session, and a sign-in within 15 minutes',
      }),
    )

/** Ends a session of the caller, effective at once. Throws `not_found` for that of somebody else. */
async function endSession({ db, clock, tokens }: Deps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const { ip, user_agent } = await getSession(trx, caller.userId, id)
    const current = sessionOf(caller)
    if (id !== current) await assertRecentSignInOfAll(trx, current, clock.now())
    await deleteSession(trx, id)
    const details = { id, device: deviceOf(user_agent), address: ip }
    await recordAudit(trx, caller, { event: 'session_ended', details }, clock.now())
  })
  tokens.invalidate(({ sessionId }) => sessionId === id)
}

/** Ends all sessions of the caller but the current one, effective at once. Returns their number. */
async function endOtherSessions({ db, clock, tokens }: Deps, caller: Caller): Promise<number> {
  const current = sessionOf(caller)
  const endedCount = await db.write.transaction().execute(async (trx) => {
    await assertRecentSignInOfAll(trx, current, clock.now())
    const count = await deleteSessionsOf(trx, caller.userId, current)
    if (count > 0) await recordAudit(trx, caller, { event: 'session_ended', details: { others: count } }, clock.now())
    return count
  })
  tokens.invalidate(({ userId, sessionId }) => userId === caller.userId && sessionId !== null && sessionId !== current)
  return endedCount
}
