import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { ApiTokenCreation, ApiTokenList, CreatedApiToken, presentApiToken } from './model.ts'
import { listApiTokens } from './store.ts'
import { createApiToken, revokeApiToken, visibleTo } from './api-tokens.ts'
import type { Tokens } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps; tokens: Tokens }

/** Tokens for machines. Only people who have signed in make and revoke them; the token itself is shown once. */
export const apiTokenRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth/tokens', tags: ['API tokens'] })
    .use(signedIn({ ...deps.guard, writes: 'viewer', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listApiTokens(deps.db.read, visibleTo(caller))
        return { tokens: rows.map(presentApiToken), total: rows.length }
      },
      { response: { 200: ApiTokenList }, detail: operation('listApiTokens', 'List API tokens') },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const created = await createApiToken(deps, caller, body)
        set.status = 201
        return { ...presentApiToken(created), token: created.token }
      },
      {
        body: ApiTokenCreation,
        response: { 201: CreatedApiToken },
        detail: operation('createApiToken', 'Create an API token; the token is shown this once', {
          403: 'Requires the access token of a session, and a role no higher than its own',
        }),
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await revokeApiToken(deps, caller, params.id)
        return { message: 'API token revoked' }
      },
      {
        params: t.Object({ id: Id('API token') }),
        response: { 200: Message },
        detail: operation('revokeApiToken', 'Revoke an API token'),
      },
    )
