import { deleteLabel } from '../../ui/named-words.ts'

/** Names of roles. */
export const roleLabels: Readonly<Record<string, string>> = {
  admin: 'Administrator',
  member: 'Member',
  viewer: 'Viewer',
}

/** Options of a select for a role. */
export const roleOptions = ['admin', 'member', 'viewer'].map((role) => [role, roleLabels[role] ?? role] as const)

/** Labels of buttons that remove the thing of a row, and of the dialogs that ask first. */
export const removalLabels = {
  Delete: deleteLabel,
  Remove: (name) => `Remove ${name}`,
  Leave: (name) => `Leave ${name}`,
  'Sign out': (name) => `Sign out ${name}`,
  Revoke: (name) => `Revoke ${name}`,
  End: (name) => `End ${name}`,
} as const satisfies Record<string, (name: string) => string>

export function revokedText(name: string): string {
  return `${name}: revoked.`
}

/** Title of a section in the browser. */
export function sectionTitle(section: string): string {
  return `${section} · Settings`
}

/** Label of the button that deletes the cached answer to a query. */
export function deleteAnswerLabel(query: string): string {
  return `Delete the answer to ${query}`
}
