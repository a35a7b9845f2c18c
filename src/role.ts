/** What a user may do: read; read and write; also manage the organization. Each includes the one before it. */
export const roles = ['viewer', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

export function isAtLeast(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted)
}
