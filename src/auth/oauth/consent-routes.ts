import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, sessionOf, signedIn } from '../../http/signed-in.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { invalidateAccessTokens, type Scope } from './credential.ts'
import { type Consent, endGrantsOfClient, listConsents } from './store.ts'

const AllowedApplication = t.Object(
  {
    client_id: t.String(),
    name: t.String(),
    scope: t.String({
      description: 'read: it acts as a viewer; write: with the role of the caller, as a member at most',
    }),
    allowed_at: t.String({ description: 'when the caller allowed it: the earliest consent that still counts' }),
    renewed_at: t.String({ description: 'when it last got new tokens; an access token is good for an hour' }),
    expires_at: t.String({ description: 'when the access ends; a refresh of the tokens before then extends it' }),
  },
  { title: 'AllowedApplication' },
)

const AllowedApplicationList = t.Object(
  { applications: t.Array(AllowedApplication), total: t.Number() },
  { title: 'AllowedApplicationList' },
)

type Deps = { db: Database; clock: Clock; tokens: Pick<Tokens, 'invalidate'> }

const params = t.Object({ id: t.String({ description: 'the client_id of an application' }) })

/** Routes to list and to revoke the applications that the caller has allowed to act for them. */
export const consentRoutes = ({ guard, ...deps }: Deps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/auth/applications', tags: ['Accounts'] })
    .use(signedIn({ ...guard, writes: 'viewer', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        sessionOf(caller) // throws for applications, which need not know of each other
        const applications = (await listConsents(deps.db.read, caller.userId, deps.clock.now())).map(presentConsent)
        return { applications, total: applications.length }
      },
      operation('listAllowedApplications', 'List the applications that act for the caller', {
        description:
          'Each that the caller has allowed, with the widest of its scopes, the last renewed first. Takes the access token of a ' +
          'session only. All are in one answer.',
        200: AllowedApplicationList,
        403: 'Requires the access token of a session',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, endConsents, { message: 'Application no longer allowed' }),
      operation('revokeAllowedApplication', 'End what an application may do for the caller', {
        description:
          'Ends every consent of the caller to it: its tokens are refused from the next request on, and its sockets end. It may ask ' +
          'again. Takes the access token of a session only.',
        params,
        200: Message,
        403: 'Requires the access token of a session',
      }),
    )

function presentConsent({ client_id, name, scopes, granted_at, created_at, refresh_expires_at }: Consent) {
  const scope: Scope = scopes.split(' ').includes('write') ? 'write' : 'read'
  return {
    client_id,
    name,
    scope,
    allowed_at: isoTime(granted_at),
    renewed_at: isoTime(created_at),
    expires_at: isoTime(refresh_expires_at),
  }
}

/** Ends all that the caller has allowed an application, effective at once. Throws `not_found` if that is nothing. */
async function endConsents({ db, clock, tokens }: Deps, caller: Caller, clientId: string): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const client = await endGrantsOfClient(trx, caller.userId, clientId)
    if (!client) throw new AppError('not_found', 'Application not found')
    const details = { client_id: clientId, name: client.name, reason: 'revoked by the user' }
    await recordAudit(trx, caller, { event: 'oauth_token_revoked', details }, clock.now())
  })
  invalidateAccessTokens(tokens, caller.organizationId)
}
