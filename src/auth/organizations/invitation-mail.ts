import { isoTime } from '../../clock.ts'
import { type Mail, withoutLinks } from '../../mail.ts'
import type { Role } from '../../role.ts'

type Invitation = {
  to: string
  organizationId: number
  inviter: { name: string; email: string }
  organization: string
  role: Role
  link: string
  expiresAtMs: number
}

/** To somebody who has not asked for it, and in which names are chosen by whoever registers. */
export function invitationMail({ to, organizationId, inviter, role, link, expiresAtMs, ...named }: Invitation): Mail {
  const organization = withoutLinks(named.organization)
  const until = isoTime(expiresAtMs).slice(0, 16).replace('T', ' ')
  return {
    to,
    organizationId,
    isUnasked: true,
    subject: `Invitation to ${organization} on nines`,
    text: `${withoutLinks(inviter.name)} (${inviter.email}) invites you to the organization "${organization}" on nines, as ${role}.

To accept, open this link before ${until} UTC and choose a password:

${link}

It works once, and only for the address ${to}. If you did not expect this mail, do nothing.
`,
  }
}
