import { type Static, t } from 'elysia'
import type { UserRow } from '../../db/tables/tables.ts'
import { Name, OneOf, Trimmed } from '../../http/schemas.ts'
import { isMailAddress } from '../../mail.ts'
import { roles } from '../../role.ts'

export const Email = Trimmed('e-mail', 'an e-mail address', (value) => isMailAddress(value.trim()))

export const NewPassword = t.String({ minLength: 8, maxLength: 256, description: 'a password of 8 to 256 characters' })

export const Registration = t.Object(
  {
    email: Email,
    name: Name({ max: 200 }),
    password: NewPassword,
    organization_name: t.Optional(Name({ max: 200 })),
    invitation_token: t.Optional(t.String({ maxLength: 200, description: 'the token of an invitation' })),
    setup_token: t.Optional(
      t.String({ maxLength: 200, description: 'the setup token: for the first account, from another machine' }),
    ),
  },
  {
    title: 'Registration',
    examples: [
      { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse', organization_name: 'Example Ltd' },
    ],
  },
)

export type Registration = Static<typeof Registration>

export const Credentials = t.Object(
  {
    email: t.String({ maxLength: 254, description: 'an e-mail address' }),
    password: t.String({ maxLength: 256, description: 'the password' }),
  },
  { title: 'Credentials', examples: [{ email: 'ada@example.com', password: 'correct horse' }] },
)

export const User = t.Object(
  {
    id: t.Number(),
    email: t.String(),
    name: t.String(),
    organization_id: t.Number(),
    role: OneOf(roles),
    email_confirmed: t.Boolean(),
  },
  { title: 'User' },
)

export const TokenResponse = t.Object(
  {
    access_token: t.String(),
    refresh_token: t.Optional(t.String({ description: 'absent where a browser keeps it in a cookie' })),
    token_type: t.String(),
    expires_at: t.String(),
    user: User,
  },
  { title: 'TokenResponse' },
)

export function presentUser(row: UserRow) {
  const { id, email, name, organization_id, role } = row
  return { id, email, name, organization_id, role, email_confirmed: row.email_confirmed_at !== null }
}
