import type { UserRow } from '../../db/tables/tables.ts'
import type { Mailer } from '../../mail.ts'

export type ReplayMailDeps = { mailer: Mailer; publicUrl: () => string }

/**
 * Mails a user that a refresh token came a second time, which has ended its session. Mails nothing to an address that is not
 * confirmed: it could be a stranger's.
 */
export function mailReplay({ mailer, publicUrl }: ReplayMailDeps, user: UserRow): void {
  if (!mailer.isSetUp || user.email_confirmed_at === null) return
  const text = `A refresh token of a session of ${user.email} at ${publicUrl()} was used a second time. nines has ended that
session, since nobody can tell which of the two uses was a thief's.

A script or page that refreshes twice does the same. If you know of none, change your password:

${publicUrl()}/forgotten-password
`
  const subject = 'A session of yours at nines has ended'
  mailer.post({ to: user.email, organizationId: user.organization_id, isUnsolicited: false, subject, text })
}
