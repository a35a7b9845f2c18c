import { Elysia, t } from 'elysia'
import type { Database } from '../../db/open.ts'
import { deferBody } from '../../http/bodies/body.ts'
import type { ResponseHead } from '../../http/errors.ts'
import { textResponse } from '../../http/openapi/by-hand.ts'
import { detailOf } from '../../http/openapi/operation.ts'
import { OneOf } from '../../http/schemas.ts'
import { findRecipientByToken, setRecipientStatus } from './recipient-store.ts'
import type { RecipientStatus } from '../../db/tables/tables.ts'
import { htmlPage, htmlText } from '../../http/page.ts'

type Deps = { db: Database }

const query = t.Object({
  token: t.String({ maxLength: 100, description: 'the token of the link' }),
  decision: t.Optional(OneOf(['confirm', 'decline'])),
})

/**
 * `/notifications/confirm`: lets the owner of an address that a channel names accept or decline its mails. Public: the link is
 * the authorization. A form on the page and a mail program's "unsubscribe" (RFC 8058) send the decision in the query string; no
 * body is read.
 */
export const recipientRoutes = ({ db }: Deps) => {
  const show = async (set: ResponseHead, token: string) => {
    set.headers['content-type'] = 'text/html; charset=utf-8'
    set.headers['cache-control'] = 'no-store'
    const recipient = await findRecipientByToken(db.write, token)
    if (!recipient) {
      set.status = 404
      return unknownLinkPage()
    }
    return recipientPage({ ...recipient, organization: recipient.organization_name, address: recipient.address_key })
  }
  return new Elysia({ prefix: '/notifications', tags: ['Channels'], detail: { security: [] } })
    .onParse({ as: 'local' }, deferBody)
    .get('/confirm', ({ query, set }) => show(set, query.token), {
      query,
      detail: detailOf('askRecipient', 'The page on which the recipient of a mail says whether they want it', {
        description:
          'Answers a person: HTML. The link with the `token` is in each mail to a recipient who has to be asked ' +
          'first, so that they can change their mind.',
        ...pages,
      }),
    })
    .post(
      '/confirm',
      async ({ query: { token, decision }, set }) => {
        if (decision) await setRecipientStatus(db.write, token, decision === 'confirm' ? 'confirmed' : 'declined')
        return show(set, token)
      },
      {
        query,
        detail: detailOf(
          'decideRecipient',
          'What the recipient has decided on that page, or by the unsubscribe button of a mail program',
          {
            description:
              'Answers a person: HTML. The `decision` is in the query string, and no body is read, so that the ' +
              'one-click unsubscribe of a mail program works (RFC 8058).',
            ...pages,
          },
        ),
      },
    )
}

const pages = {
  200: textResponse('The page', 'text/html'),
  404: textResponse('A page that says that the link is unknown', 'text/html'),
}

type PageData = { organization: string; address: string; status: RecipientStatus; token: string }

/** Style sheet, relative to /notifications/confirm, for any base path. */
const style = '../oauth/consent.css'

const statusTexts: Record<RecipientStatus, string> = {
  pending: 'It is not mailed yet.',
  confirmed: 'It is mailed.',
  declined: 'It is not mailed.',
}

/** Page on which the owner of an address decides whether an organization may mail it. Complete HTML. */
function recipientPage({ organization, address, status, token }: PageData): string {
  const form = (
    decision: string,
    label: string,
  ) => `<form method="post" action="confirm?token=${htmlText(token)}&amp;decision=${decision}">
<div class="buttons"><button>${label}</button></div>
</form>`
  return htmlPage(
    'Alerts by mail',
    `<h1>Alerts of <bdi>${htmlText(organization)}</bdi></h1>
<p>This organization wants to send alerts about its services to <b><bdi>${htmlText(address)}</bdi></b>. ${statusTexts[status]}</p>
${status === 'confirmed' ? '' : form('confirm', 'Send me alerts')}
${status === 'declined' ? '' : form('decline', 'Send me nothing')}
<p class="note">The link that led here is in every mail, so that you can change your mind.</p>`,
    style,
  )
}

function unknownLinkPage(): string {
  return htmlPage('Unknown link', '<h1>Unknown link</h1><p>Open the link as it is in the mail.</p>', style)
}
