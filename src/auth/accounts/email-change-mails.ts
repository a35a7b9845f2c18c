import type { UserRow } from '../../db/tables/tables.ts'
import type { Mail } from '../../mail.ts'

/** Mail to the new address. Contains nothing that the user chose except the addresses. */
export function confirmationOfChange(user: UserRow, to: string, token: string, publicUrl: string): Mail {
  const text = `The account ${user.email} at ${publicUrl} is to have the address ${to}.

Confirm it here within a day; the link works once:

${publicUrl}/confirm-email?token=${token}

Or give this token where you are asked for it: ${token}

If you do not know the account, do not follow the link: nothing changes without it.
`
  return {
    to,
    organizationId: user.organization_id,
    isUnsolicited: true,
    subject: 'Confirm your address for nines',
    text,
  }
}

/** Mail to the present address when another one is requested. */
export function mailOfRequest(user: UserRow, email: string, publicUrl: string): Mail {
  const text = `The account ${user.email} at ${publicUrl} is to have the address ${email}. Until that is confirmed from there,
this address stays.

If it was not you, somebody knows your password. Change it at once, and withdraw the change:

${publicUrl}/settings
`
  return noticeMail(user, 'Your account at nines is to have another address', text)
}

/** Mail to the earlier address after the change. */
export function mailOfChange(user: UserRow, email: string, publicUrl: string): Mail {
  const text = `The account ${user.email} at ${publicUrl} has the address ${email} from now on. It signs in with that one, and
this address gets no more mails about it.

If it was not you, ask your administrator at once.
`
  return noticeMail(user, 'Your account at nines has another address', text)
}

function noticeMail({ email: to, organization_id: organizationId }: UserRow, subject: string, text: string): Mail {
  return { to, organizationId, isUnsolicited: false, subject, text }
}
