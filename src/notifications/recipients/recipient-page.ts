import type { RecipientStatus } from '../../db/tables/tables.ts'
import { htmlPage, htmlText } from '../../http/page.ts'

type Shown = { organization: string; address: string; status: RecipientStatus; token: string }

/** Relative to /notifications/confirm, wherever that is. */
const style = '../oauth/consent.css'

const standing: Record<RecipientStatus, string> = {
  pending: 'It is not mailed yet.',
  confirmed: 'It is mailed.',
  declined: 'It is not mailed.',
}

/** The page on which the owner of an address says whether an organization may mail it. Complete HTML. */
export function recipientPage({ organization, address, status, token }: Shown): string {
  const form = (
    decision: string,
    words: string,
  ) => `<form method="post" action="confirm?token=${htmlText(token)}&amp;decision=${decision}">
<div class="buttons"><button>${words}</button></div>
</form>`
  return htmlPage(
    'Alerts by mail',
    `<h1>Alerts of <bdi>${htmlText(organization)}</bdi></h1>
<p>This organization wants to send alerts about its services to <b><bdi>${htmlText(address)}</bdi></b>. ${standing[status]}</p>
${status === 'confirmed' ? '' : form('confirm', 'Send me alerts')}
${status === 'declined' ? '' : form('decline', 'Send me nothing')}
<p class="note">The link that led here is in every mail, so that you can change your mind.</p>`,
    style,
  )
}

export function unknownLinkPage(): string {
  return htmlPage('Unknown link', '<h1>Unknown link</h1><p>Open the link as it is in the mail.</p>', style)
}
