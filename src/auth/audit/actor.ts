import type { Actor } from '../../db/audit.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import type { Origin } from '../../origin.ts'

/** A user as the audit log names who acted, for requests that carry no access token. */
export function actorOf(user: Pick<UserRow, 'id' | 'organization_id' | 'email'>, origin: Origin): Actor {
  return { organizationId: user.organization_id, userId: user.id, email: user.email, origin }
}
