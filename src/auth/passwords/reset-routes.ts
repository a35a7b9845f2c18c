import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type OpenDeps, openToAll } from '../../http/signed-in.ts'
import type { Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import { NewPassword } from '../accounts/model.ts'
import { confirmReset, requestReset } from './reset.ts'
import type { Passwords } from './passwords.ts'
import type { Tokens } from '../sessions/tokens.ts'

type Deps = {
  db: Database
  clock: Clock
  guard: OpenDeps
  mailer: Mailer
  passwords: Passwords
  publicUrl: () => string
  tokens: Tokens
}

const ResetRequest = t.Object(
  { email: t.String({ maxLength: 254, description: 'an e-mail address' }) },
  { title: 'ResetRequest', examples: [{ email: 'ada@example.com' }] },
)

export const ResetConfirmation = t.Object(
  {
    token: t.String({ maxLength: 100, description: 'the token that was mailed' }),
    new_password: NewPassword,
  },
  { title: 'ResetConfirmation', examples: [{ token: 'k3Yw…', new_password: 'another horse' }] },
)

/** Both spellings are served. Public: who has forgotten a password has no token. */
export const passwordResetRoutes = (deps: Deps) => {
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
  const requestSchema = (operationId: string, summary: string) => ({
    body: ResetRequest,
    response: { 200: Message },
    detail: operation(operationId, summary, {
      description: 'The answer is the same whether there is such an account or not.',
    }),
  })
  const confirmSchema = (operationId: string, summary: string) => ({
    body: ResetConfirmation,
    response: { 200: Message },
    detail: operation(operationId, summary, {
      description: 'Ends all sessions of the user, revokes their API tokens, and ends what applications hold.',
      401: 'The token is unknown, expired or already used',
    }),
  })
  return new Elysia({ prefix: '/auth', tags: ['Accounts'], detail: { security: [] } })
    .use(openToAll(deps.guard))
    .post('/password-reset-request', request, requestSchema('requestPasswordReset', 'Have a reset link mailed'))
    .post('/password-reset/request', request, requestSchema('requestReset', 'The same by its other name'))
    .post('/password-reset-confirm', confirm, confirmSchema('confirmPasswordReset', 'Set a new password'))
    .post('/password-reset/confirm', confirm, confirmSchema('confirmReset', 'The same by its other name'))
}
