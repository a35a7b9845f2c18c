import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { deleteAccount, getAccount, writeAccount } from './incident-account.ts'
import {
  DeletedIncidentAccount,
  IncidentAccountAnswer,
  IncidentAccountUpdate,
  presentAccount,
} from './incident-account-model.ts'

const success = true as const
const params = t.Object({ id: Id('incident') })
const none = 'There is no such incident, or nobody wrote an account of it'

/** `/incidents/:id/account`: what people write about an incident. */
export const incidentAccountRoutes = ({ guard, ...deps }: { db: Database; clock: Clock; guard: GuardDeps }) =>
  new Elysia({ prefix: '/incidents/:id', tags: ['Incidents'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/account',
      async ({ caller, params }) => {
        return { success, data: presentAccount(await getAccount(deps.db.read, caller.organizationId, params.id)) }
      },
      operation('getIncidentAccount', 'The account of an incident', {
        description: 'Markdown, in which HTML is text. `GET /incidents/:id` has it as `account`, too.',
        params,
        200: IncidentAccountAnswer,
        404: none,
      }),
    )
    .put(
      '/account',
      async ({ caller, params, body }) => {
        return { success, data: presentAccount(await writeAccount(deps, caller, params.id, body)) }
      },
      operation('writeIncidentAccount', 'Write the account of an incident, or replace it', {
        description:
          'For members, of an open or a closed incident. Without `url` there is no link. With the `version` that was read (0: there was ' +
          'none), the account of somebody who wrote since is not replaced.',
        params,
        body: IncidentAccountUpdate,
        200: IncidentAccountAnswer,
        409: 'Somebody has changed it since that `version`',
      }),
    )
    .delete(
      '/account',
      deleteHandler(deps, deleteAccount, { success, message: 'Account deleted' }),
      operation('deleteIncidentAccount', 'Delete the account of an incident', {
        description: 'For members. The audit log keeps who wrote and deleted it, not the text.',
        params,
        200: DeletedIncidentAccount,
        404: none,
      }),
    )
