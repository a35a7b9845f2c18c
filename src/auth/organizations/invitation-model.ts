import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { PageFields } from '../../http/paging.ts'
import { OneOf } from '../../http/schemas.ts'
import { roles } from '../../role.ts'
import type { ListedInvitationRow } from './invitation-store.ts'
import type { SentInvitation } from './invitations.ts'
import { Email } from '../accounts/model.ts'

export const InvitationCreation = t.Object(
  { email: Email, role: t.Optional(OneOf(roles)) },
  { title: 'InvitationCreation', examples: [{ email: 'ada@example.com', role: 'member' }] },
)

const invitation = {
  id: t.Number(),
  email: t.String(),
  role: t.String(),
  expires_at: t.String(),
  created_at: t.String(),
}

/** `token` and `link` are shown this once; `mailed`: the link is also on its way to the address. */
export const CreatedInvitation = t.Object(
  {
    ...invitation,
    token: t.String(),
    link: t.String(),
    mailed: t.Boolean(),
  },
  { title: 'CreatedInvitation' },
)

export const InvitationList = t.Object(
  {
    invitations: t.Array(
      t.Object({ ...invitation, invited_by: t.Nullable(t.Number()), invited_by_name: t.Nullable(t.String()) }),
    ),
    ...PageFields,
  },
  { title: 'InvitationList' },
)

export function presentCreatedInvitation({ row, token, link, mailed }: SentInvitation) {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    token,
    link,
    mailed,
  }
}

export function presentInvitation(row: ListedInvitationRow) {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    invited_by: row.invited_by,
    invited_by_name: row.invited_by_name,
  }
}
