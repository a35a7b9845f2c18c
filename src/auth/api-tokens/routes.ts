import { Elysia, t } from 'elysia'
import { type Clock, isoTime, isoTimeOrNull } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { Id, Message, Name, OneOf } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, sessionOf, signedIn } from '../../http/signed-in.ts'
import {
  type ApiTokenRow,
  deleteApiToken,
  getApiToken,
  insertApiToken,
  listApiTokens,
  type TokenOwner,
} from './store.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { readZonedTime, zonedTimeText } from '../../http/zoned-time.ts'
import { tokenScopes } from '../../origin.ts'
import { isAtLeast, roles } from '../../role.ts'
import { recordAudit } from '../../db/audit.ts'
import { AppError, invalid, type Problem } from '../../errors.ts'
import { assertRecentSignIn } from '../second-factor/recent-sign-in.ts'
import { newApiToken } from './credential.ts'
import { findIdentity } from '../accounts/store.ts'

const ApiTokenCreation = t.Object(
  {
    name: Name({ max: 200 }),
    role: OneOf(roles),
    scope: t.Optional(
      t.Union([OneOf(tokenScopes), t.Null()], {
        description: 'all that the token may do; null: all that its role may',
      }),
    ),
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

const ApiToken = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    role: t.String(),
    scope: t.Nullable(t.String()),
    user_id: t.Number(),
    created_by_name: t.String(),
    expires_at: Time,
    last_used_at: Time,
    created_at: t.String(),
  },
  { title: 'ApiToken' },
)

/** The only response with the token itself. */
const CreatedApiToken = t.Composite([t.Object({ token: t.String() }), ApiToken], { title: 'CreatedApiToken' })

const ApiTokenList = t.Object({ tokens: t.Array(ApiToken), total: t.Number() }, { title: 'ApiTokenList' })

function presentApiToken(row: ApiTokenRow & { created_by_name: string }) {
  const { id, name, role, scope, user_id, created_by_name } = row
  return {
    id,
    name,
    role,
    scope,
    user_id,
    created_by_name,
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
    created_at: isoTime(row.created_at),
  }
}

type Deps = { db: Database; clock: Clock; tokens: Tokens }

const params = t.Object({ id: Id('API token') })

/** Tokens for machines. Only signed-in people create and revoke them; only the response to the creation has the token. */
export const apiTokenRoutes = ({ guard, ...deps }: Deps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/auth/tokens', tags: ['API tokens'] })
    .use(signedIn({ ...guard, writes: 'viewer', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listApiTokens(deps.db.read, visibleTo(caller))
        return { tokens: rows.map(presentApiToken), total: rows.length }
      },
      operation('listApiTokens', 'List API tokens', {
        description:
          'Administrators see those of the whole organization, others their own. The tokens themselves are not ' +
          'stored and not shown. All are in one answer.',
        200: ApiTokenList,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const created = await createApiToken(deps, caller, body)
        set.status = 201
        return { ...presentApiToken(created), token: created.token }
      },
      operation('createApiToken', 'Create an API token; the token is shown this once', {
        description:
          'The token acts for the user who creates it, with `role` at most theirs, until `expires_at`, its revocation or the ' +
          'removal of the user. With a `scope` it may do only that: `ingest` writes samples, `annotate` writes annotations. Every ' +
          'role may create a token, but only with the access token of a session. If the account has a second factor, its sign-in ' +
          'must be at most 15 minutes ago; otherwise `code` of the 403 is `sign_in_again`.',
        body: ApiTokenCreation,
        201: CreatedApiToken,
        403: 'Requires the access token of a session, a role no higher than its own, and with a second factor a sign-in within 15 minutes',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, revokeApiToken, { message: 'API token revoked' }),
      operation('revokeApiToken', 'Revoke an API token', {
        description:
          'It is refused from the next request on. Administrators revoke any of the organization, others their ' +
          'own; with the access token of a session only.',
        params,
        200: Message,
      }),
    )

type NewApiToken = typeof ApiTokenCreation.static

/** API tokens that a caller sees and may revoke. Administrators: those of the organization; others: their own. */
function visibleTo({ organizationId, userId, role }: Caller): TokenOwner {
  return { organizationId, userId: role === 'admin' ? null : userId }
}

/** Creates an API token that acts for the caller. Viewers may too: the token can do no more than they. */
async function createApiToken({ db, clock }: Omit<Deps, 'tokens'>, caller: Caller, creation: NewApiToken) {
  const sessionId = sessionOf(caller)
  if (!isAtLeast(caller.role, creation.role)) {
    const problems: Problem[] = [
      {
        field: 'role',
        message: `must be ${caller.role}, or less`,
        code: 'not_allowed',
        params: { max_role: caller.role },
      },
    ]
    throw new AppError('forbidden', 'Insufficient permissions', { problems })
  }
  const nowMs = clock.now()
  const { expires_at: until = null } = creation
  const expiresAtMs = until === null ? null : readZonedTime(until)
  if (expiresAtMs === undefined || (expiresAtMs !== null && expiresAtMs <= nowMs)) {
    throw invalid('expires_at', `must be ${zonedTimeText}, in the future`)
  }
  const { token, hash } = newApiToken()
  const row = await db.write.transaction().execute(async (trx) => {
    const current = await findIdentity(trx, caller.userId, sessionId, nowMs)
    if (!current) throw new AppError('unauthenticated', 'Not signed in', { details: 'the session has ended' })
    await assertRecentSignIn(trx, sessionId, nowMs)
    const row = await insertApiToken(trx, {
      organization_id: caller.organizationId,
      user_id: caller.userId,
      name: creation.name,
      role: creation.role,
      scope: creation.scope ?? null,
      hash,
      expires_at: expiresAtMs,
      last_used_at: null,
      created_at: nowMs,
    })
    const details = { id: row.id, name: row.name, role: row.role, ...(row.scope && { scope: row.scope }) }
    await recordAudit(trx, caller, { event: 'api_token_created', details }, nowMs)
    return row
  })
  return { ...row, created_by_name: caller.name, token }
}

/** Revokes an API token, effective at once. Throws `not_found` if the caller does not see it. */
async function revokeApiToken({ db, clock, tokens }: Deps, caller: Caller, id: number): Promise<void> {
  const row = await db.write.transaction().execute(async (trx) => {
    const row = await getApiToken(trx, visibleTo(caller), id)
    await deleteApiToken(trx, caller.organizationId, id)
    const details = { id, name: row.name, role: row.role }
    await recordAudit(trx, caller, { event: 'api_token_revoked', details }, clock.now())
    return row
  })
  tokens.invalidate(({ userId, sessionId }) => userId === row.user_id && sessionId === null)
}
