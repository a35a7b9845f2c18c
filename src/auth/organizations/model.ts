import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { OrganizationRow, UserRow } from '../../db/tables/tables.ts'
import { PageFields } from '../../http/paging.ts'
import { Name, OneOf } from '../../http/schemas.ts'
import { type Role, roles } from '../../role.ts'
import { presentUser, User } from '../accounts/model.ts'

export const OrganizationUpdate = t.Object(
  { name: Name({ most: 200 }) },
  { title: 'OrganizationUpdate', examples: [{ name: 'Example Ltd' }] },
)

/** `users`: how many there are; `role`: what the caller may do. */
export const Organization = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    created_at: t.String(),
    users: t.Number(),
    role: t.String(),
  },
  { title: 'Organization' },
)

export const RoleUpdate = t.Object({ role: OneOf(roles) }, { title: 'RoleUpdate', examples: [{ role: 'admin' }] })

export const ListedUser = t.Composite([User, t.Object({ created_at: t.String() })], { title: 'ListedUser' })

export const UserList = t.Object(
  {
    users: t.Array(ListedUser),
    ...PageFields,
  },
  { title: 'UserList' },
)

export function presentOrganization({ id, name, created_at }: OrganizationRow, users: number, role: Role) {
  return { id, name, created_at: isoTime(created_at), users, role }
}

export function presentListedUser(row: UserRow) {
  return { ...presentUser(row), created_at: isoTime(row.created_at) }
}
