import type { UserRow } from '../../db/tables/tables.ts'
import type { Mailer } from '../../mail.ts'

export type FactorMailDeps = { mailer: Mailer; publicUrl: () => string }

const sentences = {
  'set up':
    'was given a second factor. Signing in with a password asks for a code of the authenticator app from now on',
  disabled: 'has no second factor any more. Signing in takes the password alone',
  'disabled by the operator': 'has no second factor any more: the operator of nines has removed it',
  'removed by a reset':
    'has no second factor any more: it was set up before the address was confirmed, and the new password removed it',
  'new recovery codes': 'has new recovery codes. The earlier ones are not accepted any more',
  'recovery code used': 'was signed in to with a recovery code, which is not accepted again',
}

/** Change of the second factor that its owner is mailed. */
type Change = keyof typeof sentences

/** Mails users that their second factor changed. Mails nothing to an address that is not confirmed: it could be a stranger's. */
export function mailChange({ mailer, publicUrl }: FactorMailDeps, user: UserRow, change: Change): void {
  if (!mailer.isSetUp || user.email_confirmed_at === null) return
  const text = `The account ${user.email} at ${publicUrl()} ${sentences[change]}.

If it was not you, change your password at once, and ask your administrator:

${publicUrl()}/forgotten-password
`
  const subject = 'The second factor of your account at nines'
  mailer.post({ to: user.email, organizationId: user.organization_id, isUnsolicited: false, subject, text })
}
