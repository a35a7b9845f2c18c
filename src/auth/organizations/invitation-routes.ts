import { Elysia, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { pageFields, PageFields, PageQuery, readPage } from '../../http/paging.ts'
import type { InvitationRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { Id, Message, OneOf } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { type ListedInvitationRow, listInvitations } from './invitation-store.ts'
import { invite, type InvitationDeps, revokeInvitation } from './invitations.ts'
import { roles } from '../../role.ts'
import { Email } from '../accounts/model.ts'

const InvitationCreation = t.Object(
  { email: Email, role: t.Optional(OneOf(roles)) },
  { title: 'InvitationCreation', examples: [{ email: 'katherine@example.com', role: 'member' }] },
)

const invitation = {
  id: t.Number(),
  email: t.String(),
  role: t.String(),
  expires_at: t.String(),
  created_at: t.String(),
}

/** Only this response has `token` and `link`. `mailed`: a link is also mailed to the address. */
const CreatedInvitation = t.Object(
  {
    ...invitation,
    token: t.String(),
    link: t.String(),
    mailed: t.Boolean(),
  },
  { title: 'CreatedInvitation' },
)

const InvitationList = t.Object(
  {
    invitations: t.Array(
      t.Object({ ...invitation, invited_by: t.Nullable(t.Number()), invited_by_name: t.Nullable(t.String()) }),
    ),
    ...PageFields,
  },
  { title: 'InvitationList' },
)

const InvitationListQuery = t.Object(PageQuery)
const params = t.Object({ id: Id('invitation') })

function presentInvitation({ id, email, role, expires_at, created_at }: InvitationRow) {
  return { id, email, role, expires_at: isoTime(expires_at), created_at: isoTime(created_at) }
}

function presentListed(row: ListedInvitationRow) {
  return { ...presentInvitation(row), invited_by: row.invited_by, invited_by_name: row.invited_by_name }
}

type Deps = InvitationDeps & { guard: GuardDeps }

/** Routes of `/organization/invitations`: for administrators, also to read. */
export const invitationRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization/invitations', tags: ['Invitations'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', bySession: true }))
    .get(
      '/',
      async ({ caller, query }) => {
        const page = readPage(query)
        const nowMs = deps.clock.now()
        const { rows, total } = await listInvitations(deps.db.read, caller.organizationId, { ...page, nowMs })
        return { invitations: rows.map(presentListed), ...pageFields(page, total) }
      },
      operation('listInvitations', 'List invitations that are open', {
        description: 'For administrators. Those that are neither accepted nor expired, without their links.',
        query: InvitationListQuery,
        200: InvitationList,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const { email, role = 'member' } = body
        const { row, ...sent } = await invite(deps, caller, { email, role })
        set.status = 201
        return { ...presentInvitation(row), ...sent }
      },
      operation('createInvitation', 'Invite somebody; the link is shown this once', {
        description:
          'For administrators, with the access token of a session. The link is good once and for seven days, for ' +
          'this address alone; a new invitation to an address replaces the one before. If mail is set up, another link ' +
          'is mailed to the address (`mailed`). To invite an `admin`, a caller with a second factor must have signed in within ' +
          'the last 15 minutes; otherwise `code` of the 403 is `sign_in_again`. With REGISTRATION=closed nobody could accept, ' +
          'so it is refused.',
        body: InvitationCreation,
        201: CreatedInvitation,
        403: 'Requires the session of an administrator with a confirmed address; if their account has a second factor, inviting an `admin` also requires a sign-in within the last 15 minutes. Refused while registration is closed',
        409: 'The address is that of a user of the organization',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, revokeInvitation, { message: 'Invitation revoked' }),
      operation('revokeInvitation', 'Revoke an invitation', {
        description: 'For administrators, with the access token of a session. The link is refused from then on.',
        params,
        200: Message,
      }),
    )
