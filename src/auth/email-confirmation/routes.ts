import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type OpenDeps, openToAll } from '../../http/signed-in.ts'
import type { Mailer } from '../../mail.ts'
import { confirmEmail, requestConfirmation } from './email-confirmation.ts'

type Deps = { db: Database; clock: Clock; guard: OpenDeps; mailer: Mailer; publicUrl: () => string }

const EmailConfirmation = t.Object(
  { token: t.String({ maxLength: 100, description: 'the token that was mailed' }) },
  { title: 'EmailConfirmation', examples: [{ token: 'k3Yw…' }] },
)

const ConfirmationRequest = t.Object(
  { email: t.String({ maxLength: 254, description: 'an e-mail address' }) },
  { title: 'ConfirmationRequest', examples: [{ email: 'ada@example.com' }] },
)

/** Public: the token proves who reads the mailbox, and that is all it is about. */
export const emailConfirmationRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth/confirm-email', tags: ['Accounts'], detail: { security: [] } })
    .use(openToAll(deps.guard))
    .post(
      '/',
      async ({ body, origin }) => {
        await confirmEmail(deps, body.token.trim(), origin)
        return { message: 'E-mail address confirmed' }
      },
      {
        body: EmailConfirmation,
        response: { 200: Message },
        detail: operation('confirmEmail', 'Confirm an e-mail address with the token that was mailed to it', {
          401: 'The token is unknown, expired or already used',
        }),
      },
    )
    .post(
      '/resend',
      async ({ body }) => {
        await requestConfirmation(deps, body.email.trim())
        return { message: 'If this e-mail has an account that is not confirmed, a mail is on its way to it' }
      },
      {
        body: ConfirmationRequest,
        response: { 200: Message },
        detail: operation('resendEmailConfirmation', 'Have the confirmation mailed again', {
          description: 'The answer is the same whether there is such an account or not.',
        }),
      },
    )
