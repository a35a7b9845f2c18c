import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { pageFields, PageQuery, readPage } from '../../http/paging.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Mailer } from '../../mail.ts'
import {
  CreatedInvitation,
  InvitationCreation,
  InvitationList,
  presentCreatedInvitation,
  presentInvitation,
} from './invitation-model.ts'
import { listInvitations } from './invitation-store.ts'
import { invite, revokeInvitation } from './invitations.ts'

type Deps = { db: Database; clock: Clock; mailer: Mailer; publicUrl: () => string; guard: GuardDeps }

/** `/organization/invitations`: for administrators, also to read. */
export const invitationRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization/invitations', tags: ['Invitations'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', bySession: true }))
    .get(
      '/',
      async ({ caller, query }) => {
        const page = readPage(query)
        const nowMs = deps.clock.now()
        const { rows, total } = await listInvitations(deps.db.read, caller.organizationId, { ...page, nowMs })
        return { invitations: rows.map(presentInvitation), ...pageFields(page, total) }
      },
      {
        query: t.Object(PageQuery),
        response: { 200: InvitationList },
        detail: operation('listInvitations', 'List invitations that are open'),
      },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const { email, role = 'member' } = body
        const sent = await invite(deps, caller, { email, role })
        set.status = 201
        return presentCreatedInvitation(sent)
      },
      {
        body: InvitationCreation,
        response: { 201: CreatedInvitation },
        detail: operation('createInvitation', 'Invite somebody; the link is shown this once', {
          403: 'Requires an administrator, signed in, whose own address is confirmed',
          409: 'The address is that of a user of the organization',
        }),
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await revokeInvitation(deps, caller, params.id)
        return { message: 'Invitation revoked' }
      },
      {
        params: t.Object({ id: Id('invitation') }),
        response: { 200: Message },
        detail: operation('revokeInvitation', 'Revoke an invitation'),
      },
    )
