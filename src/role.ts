/** Roles of users: read; read and write; also manage the organization. Each includes the one before it. */
export const roles = ['viewer', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

/** The lower of two roles, for a caller bound by both. */
export function lowerRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one
}

export function isAtLeast(role: Role, min: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(min)
}
