import { isoTime } from '../../clock.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import type { Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import { deviceOf } from './device.ts'

export type SessionMailDeps = { mailer: Mailer; publicUrl: () => string }

/** Mails a user that a refresh token came a second time, which has ended its session. */
export function mailReplay(deps: SessionMailDeps, user: UserRow): void {
  const publicUrl = deps.publicUrl()
  const text = `A refresh token of a session of ${user.email} at ${publicUrl} was used a second time. nines has ended that
session, since nobody can tell which of the two uses was a thief's.

A script or page that refreshes twice does the same. If you know of none, change your password:

${publicUrl}/forgotten-password
`
  mail(deps, user, 'A session of yours at nines has ended', text)
}

/** Mails a user that somebody has signed in from a network or with a device that was not known. */
export function mailNewDevice(deps: SessionMailDeps, user: UserRow, { ip, userAgent }: Origin, nowMs: number): void {
  const publicUrl = deps.publicUrl()
  const text = `Somebody, probably you, has signed in as ${user.email} at ${publicUrl} from a device or address that was not
used for this account in the last 30 days:

Device:  ${deviceOf(userAgent)}
Address: ${ip}
Time:    ${isoTime(nowMs)}

If it was you, there is nothing to do. If not, end that session and change your password:

${publicUrl}/settings/security
`
  mail(deps, user, 'A new sign-in to your account at nines', text)
}

/** Mails nothing to an address that is not confirmed: it could be a stranger's. */
function mail({ mailer }: SessionMailDeps, user: UserRow, subject: string, text: string): void {
  if (!mailer.isSetUp || user.email_confirmed_at === null) return
  mailer.post({ to: user.email, organizationId: user.organization_id, isUnsolicited: false, subject, text })
}
