import { type Mail, withoutLinks } from '../../mail.ts'

type Confirmation = { to: string; organizationId: number; organization: string; link: string; publicUrl: string }

/** Asks an address that a channel names whether it wants the mails. */
export function confirmationMail({ to, organizationId, organization, link, publicUrl }: Confirmation): Mail {
  const name = withoutLinks(organization)
  return {
    to,
    organizationId,
    isUnasked: true,
    subject: `Do you want alerts of ${name} by mail?`,
    text: `The organization "${name}" at ${publicUrl} wants to send alerts about its services to ${to}.

Say yes or no here:

${link}

Until you say yes, nothing is sent but this question. If you did not expect it, do nothing.
`,
  }
}
