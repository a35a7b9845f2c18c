/** Names of roles. */
export const roleLabels: Readonly<Record<string, string>> = {
  admin: 'Administrator',
  member: 'Member',
  viewer: 'Viewer',
}

/** Options of a select for a role. */
export const roleOptions = ['admin', 'member', 'viewer'].map((role) => [role, roleLabels[role] ?? role] as const)
