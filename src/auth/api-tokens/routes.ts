import { Elysia, t } from 'elysia'
import { type Clock, isoTime, isoTimeOrNull } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message, Name, OneOf } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { type ApiTokenRow, listApiTokens } from './store.ts'
import { createApiToken, revokeApiToken, visibleTo } from './api-tokens.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { zonedTimeText } from '../../http/zoned-time.ts'
import { roles } from '../../role.ts'

export const ApiTokenCreation = t.Object(
  {
    name: Name({ most: 200 }),
    role: OneOf(roles),
    expires_at: t.Optional(
      t.Union([t.String({ maxLength: 40 }), t.Null()], { description: `${zonedTimeText}, in the future` }),
    ),
  },
  {
    title: 'ApiTokenCreation',
    examples: [{ name: 'deploy pipeline', role: 'member', expires_at: '2027-01-01T00:00:00Z' }],
  },
)

const Time = t.Nullable(t.String())

export const ApiToken = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    role: t.String(),
    user_id: t.Number(),
    created_by_name: t.String(),
    expires_at: Time,
    last_used_at: Time,
    created_at: t.String(),
  },
  { title: 'ApiToken' },
)

/** The one answer that holds the token itself. */
export const CreatedApiToken = t.Composite([t.Object({ token: t.String() }), ApiToken], { title: 'CreatedApiToken' })

export const ApiTokenList = t.Object({ tokens: t.Array(ApiToken), total: t.Number() }, { title: 'ApiTokenList' })

export function presentApiToken(row: ApiTokenRow & { created_by_name: string }) {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    user_id: row.user_id,
    created_by_name: row.created_by_name,
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
    created_at: isoTime(row.created_at),
  }
}

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
