import { Elysia, t } from 'elysia'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type OpenDeps, openToAll } from '../../http/signed-in.ts'
import type { Origin } from '../../origin.ts'
import { confirmEmail, requestConfirmation } from './email-confirmation.ts'
import { confirmReset, requestReset } from '../passwords/replace.ts'
import { NewPassword } from './model.ts'
import type { AccountDeps } from './routes.ts'

type Deps = Pick<AccountDeps, 'db' | 'clock' | 'mailer' | 'passwords' | 'publicUrl' | 'tokens'> & {
  guard: OpenDeps
  config: Parameters<typeof requestReset>[0]['config']
}

const email = t.String({ maxLength: 254, description: 'an e-mail address' })
const token = t.String({ maxLength: 100, description: 'the token that was mailed' })

const ResetRequest = t.Object({ email }, { title: 'ResetRequest', examples: [{ email: 'ada@example.com' }] })

const ResetConfirmation = t.Object(
  { token, new_password: NewPassword },
  { title: 'ResetConfirmation', examples: [{ token: 'k3Yw…', new_password: 'another horse' }] },
)

const EmailConfirmation = t.Object({ token }, { title: 'EmailConfirmation', examples: [{ token: 'k3Yw…' }] })

const ConfirmationRequest = t.Object(
  { email },
  { title: 'ConfirmationRequest', examples: [{ email: 'ada@example.com' }] },
)

const sameAnswer = 'The answer is the same whether there is such an account or not.'
const badToken = 'The token is unknown, expired or already used'

/** Routes below `/auth`: password resets, under two paths, and confirmations of addresses. Public: the token is the proof. */
export const mailedTokenRoutes = (deps: Deps) => {
  const request = async ({ body, origin }: { body: typeof ResetRequest.static; origin: Origin }) => {
    await requestReset(deps, body.email.trim(), origin)
    return { message: 'If this e-mail has an account, a mail is on its way to it' }
  }
  const confirm = async ({ body, origin }: { body: typeof ResetConfirmation.static; origin: Origin }) => {
    await confirmReset(deps, body.token.trim(), body.new_password, origin)
    return {
      message:
        'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more',
    }
  }
  const requestSchema = (operationId: string, summary: string) =>
    operation(operationId, summary, {
      body: ResetRequest,
      200: Message,
      description: `Mails a link that is good once and for an hour; at most three an hour go to one address. ${sameAnswer}`,
    })
  const confirmSchema = (operationId: string, summary: string) =>
    operation(operationId, summary, {
      description:
        'Ends all sessions of the user, revokes their API tokens and the access of applications. Confirms the address; if it was ' +
        'not confirmed before, also removes the second factor.',
      body: ResetConfirmation,
      200: Message,
      401: badToken,
    })
  return new Elysia({ prefix: '/auth', tags: ['Accounts'], detail: { security: [] } })
    .use(openToAll(deps.guard))
    .post('/password-reset-request', request, requestSchema('requestPasswordReset', 'Have a reset link mailed'))
    .post(
      '/password-reset/request',
      request,
      requestSchema('requestReset', 'Have a reset link mailed: the same as requestPasswordReset'),
    )
    .post('/password-reset-confirm', confirm, confirmSchema('confirmPasswordReset', 'Set a new password'))
    .post(
      '/password-reset/confirm',
      confirm,
      confirmSchema('confirmReset', 'Set a new password: the same as confirmPasswordReset'),
    )
    .post(
      '/confirm-email',
      async ({ body, origin }) => {
        await confirmEmail(deps, body.token.trim(), origin)
        return { message: 'E-mail address confirmed' }
      },
      operation('confirmEmail', 'Confirm an e-mail address with the token that was mailed to it', {
        description:
          'Where mail is set up, an address counts once it is confirmed. The token is good once and for seven days; that for a ' +
          'change of the address (`/auth/me/email`) for a day, and it gives the account that address.',
        body: EmailConfirmation,
        200: Message,
        401: badToken,
        409: 'The address has an account by now',
      }),
    )
    .post(
      '/confirm-email/resend',
      async ({ body }) => {
        await requestConfirmation(deps, body.email.trim())
        return { message: 'If this e-mail has an account that is not confirmed, a mail is on its way to it' }
      },
      operation('resendEmailConfirmation', 'Have the confirmation mailed again', {
        description: `At most three an hour go to one address. ${sameAnswer}`,
        body: ConfirmationRequest,
        200: Message,
      }),
    )
}
