import { Elysia, t } from 'elysia'
import type { Clock } from '../../../clock.ts'
import type { Database } from '../../../db/open.ts'
import { operation } from '../../../http/openapi/operation.ts'
import { Message } from '../../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../../http/signed-in.ts'
import { Client, ClientCreation, NewClient, presentClient } from './model.ts'
import { getOAuthClient, listOAuthClients } from './store.ts'
import { registerClient, removeClient } from './clients.ts'
import type { Tokens } from '../../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens; guard: GuardDeps }

const params = t.Object({ id: t.String() })

/** `/oauth/clients`: the applications of an organization, kept by its administrators. */
export const oauthClientRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/oauth/clients', tags: ['OAuth'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listOAuthClients(deps.db.read, caller.organizationId)
        return { clients: rows.map(presentClient), total: rows.length }
      },
      {
        response: { 200: t.Object({ clients: t.Array(Client), total: t.Number() }) },
        detail: operation('listOAuthClients', 'List OAuth clients'),
      },
    )
    .get(
      '/:id',
      async ({ caller, params }) => presentClient(await getOAuthClient(deps.db.read, caller.organizationId, params.id)),
      { params, response: { 200: Client }, detail: operation('getOAuthClient', 'One OAuth client') },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const { client, secret } = await registerClient(deps, caller, body)
        set.status = 201
        return { ...presentClient(client), ...(secret === null ? {} : { client_secret: secret }) }
      },
      {
        body: ClientCreation,
        response: { 201: NewClient },
        detail: operation('createOAuthClient', 'Register an OAuth client; its secret is shown this once'),
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await removeClient(deps, caller, params.id)
        return { message: 'OAuth client deleted' }
      },
      {
        params,
        response: { 200: Message },
        detail: operation('deleteOAuthClient', 'Delete an OAuth client, and all its tokens'),
      },
    )
