import { isoTime } from '../clock.ts'
import type { Mail } from '../mail.ts'
import type { Role } from '../role.ts'

type Invitation = {
  to: string
  inviter: { name: string; email: string }
  organization: string
  role: Role
  link: string
  expiresAtMs: number
}

export function invitationMail({ to, inviter, organization, role, link, expiresAtMs }: Invitation): Mail {
  const until = isoTime(expiresAtMs).slice(0, 16).replace('T', ' ')
  return {
    to,
    subject: `Invitation to ${organization} on nines`,
    text: `${inviter.name} (${inviter.email}) invites you to the organization "${organization}" on nines, as ${role}.

To accept, open this link before ${until} UTC and choose a password:

${link}

It works once, and only for the address ${to}. If you did not expect this mail, do nothing.
`,
  }
}
