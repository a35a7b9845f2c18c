import { isAtLeast, type Role } from '../../role.ts'

/** What an application may be allowed: to act as a viewer, or with its user's role, though never as an administrator. */
export const scopes = ['read', 'write'] as const
export type Scope = (typeof scopes)[number]

/** A list separated by spaces (RFC 6749, 3.3), each once and in a fixed order; `undefined` where one is unknown. */
export function readScopes(text: string): Scope[] | undefined {
  const asked = new Set(text.split(' '))
  const known = scopes.filter((scope) => asked.has(scope))
  return known.length === asked.size ? known : undefined
}

/** The role in which an application acts for a user of the given role. */
export function roleWithin(granted: Scope[], role: Role): Role {
  if (!granted.includes('write')) return 'viewer'
  return isAtLeast(role, 'member') ? 'member' : role
}
