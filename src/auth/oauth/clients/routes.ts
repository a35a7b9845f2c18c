import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../../clock.ts'
import type { Database } from '../../../db/open.ts'
import { operation } from '../../../http/openapi/operation.ts'
import { deleteHandler } from '../../../http/delete-handler.ts'
import { Format, Message, Name } from '../../../http/schemas.ts'
import { type Caller, type GuardDeps, signedIn } from '../../../http/signed-in.ts'
import {
  deleteOAuthClient,
  getOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  type OAuthClientRow,
  redirectUrisOf,
} from './store.ts'
import { newOpaqueToken, type Tokens } from '../../sessions/tokens.ts'
import { invalidateAccessTokens } from '../credential.ts'
import { isRedirectUri } from './redirect-uri.ts'
import { recordAudit } from '../../../db/audit.ts'

const RedirectUri = Format(
  'redirect-uri',
  'an https URL, or http on localhost, 127.0.0.1 or [::1]; without fragment, wildcard and user name',
  isRedirectUri,
)

/** `confidential`: can keep a secret, as a web server can and a native or browser application cannot. */
const ClientCreation = t.Object(
  {
    name: Name({ max: 100 }),
    redirect_uris: t.Array(RedirectUri, {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: '1 to 10 different redirect URIs',
    }),
    confidential: t.Optional(t.Boolean({ description: 'true or false' })),
  },
  {
    title: 'OAuthClientCreation',
    examples: [{ name: 'Status page', redirect_uris: ['https://status.example/callback'], confidential: true }],
  },
)
type ClientCreation = typeof ClientCreation.static

const Client = t.Object(
  {
    client_id: t.String(),
    name: t.String(),
    redirect_uris: t.Array(t.String()),
    confidential: t.Boolean(),
    created_by: t.Nullable(t.Number()),
    created_at: t.String(),
  },
  { title: 'OAuthClient' },
)

/** The only response with the secret. */
const NewClient = t.Composite([Client, t.Object({ client_secret: t.Optional(t.String()) })], {
  title: 'NewOAuthClient',
})

function presentClient(row: OAuthClientRow) {
  return {
    client_id: row.id,
    name: row.name,
    redirect_uris: redirectUrisOf(row),
    confidential: row.secret_hash !== null,
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
  }
}

const ClientList = t.Object({ clients: t.Array(Client), total: t.Number() })
const params = t.Object({ id: t.String() })

type Deps = { db: Database; clock: Clock; tokens: Pick<Tokens, 'invalidate'> }

/** Routes of `/oauth/clients`: the applications of an organization, managed by its administrators. */
export const oauthClientRoutes = ({ guard, ...deps }: Deps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/oauth/clients', tags: ['OAuth'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listOAuthClients(deps.db.read, caller.organizationId)
        return { clients: rows.map(presentClient), total: rows.length }
      },
      operation('listOAuthClients', 'List OAuth clients', {
        description: 'For administrators. Secrets are not stored and not shown. All clients are in one answer.',
        200: ClientList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => presentClient(await getOAuthClient(deps.db.read, caller.organizationId, params.id)),
      operation('getOAuthClient', 'One OAuth client', {
        description: 'For administrators. The secret was shown when the client was registered, and is not stored.',
        params,
        200: Client,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const { client, secret } = await registerClient(deps, caller, body)
        set.status = 201
        return { ...presentClient(client), ...(secret === null ? {} : { client_secret: secret }) }
      },
      operation('createOAuthClient', 'Register an OAuth client; its secret is shown this once', {
        description:
          'For administrators, with the access token of a session. A `confidential` client gets a secret; a client ' +
          'that cannot keep one, such as an application in a browser, proves itself by PKCE alone. Only users of the ' +
          'organization can allow it.',
        body: ClientCreation,
        201: NewClient,
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, removeClient, { message: 'OAuth client deleted' }),
      operation('deleteOAuthClient', 'Delete an OAuth client, and all its tokens', {
        description:
          'For administrators, with the access token of a session. Whatever the application holds is refused from ' +
          'then on.',
        params,
        200: Message,
      }),
    )

/** Registers an application of the caller's organization. `secret` is not stored; `null`: the application has none. */
async function registerClient(
  { db, clock }: Deps,
  caller: Caller,
  creation: ClientCreation,
): Promise<{ client: OAuthClientRow; secret: string | null }> {
  const secret = creation.confidential ? newOpaqueToken() : null
  const nowMs = clock.now()
  const client = await db.write.transaction().execute(async (trx) => {
    const row = await insertOAuthClient(trx, {
      id: crypto.randomUUID(),
      organization_id: caller.organizationId,
      name: creation.name,
      secret_hash: secret?.hash ?? null,
      redirect_uris: JSON.stringify(creation.redirect_uris),
      created_by: caller.userId,
      created_at: nowMs,
    })
    const details = { client_id: row.id, name: row.name, redirect_uris: creation.redirect_uris }
    await recordAudit(trx, caller, { event: 'oauth_client_created', details }, nowMs)
    return row
  })
  return { client, secret: secret?.token ?? null }
}

/** Deletes an application; its codes and tokens are invalid at once. */
async function removeClient({ db, clock, tokens }: Deps, caller: Caller, id: string): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const { name } = await getOAuthClient(trx, caller.organizationId, id)
    await deleteOAuthClient(trx, caller.organizationId, id)
    const details = { client_id: id, name }
    await recordAudit(trx, caller, { event: 'oauth_client_deleted', details }, clock.now())
  })
  invalidateAccessTokens(tokens, caller.organizationId)
}
