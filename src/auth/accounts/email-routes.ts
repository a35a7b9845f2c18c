import { Elysia, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { type EmailChangeDeps, requestEmailChange, withdrawChange } from './email-change.ts'
import { findEmailChange } from './email-change-store.ts'
import { Email } from './model.ts'
import { getUser } from './store.ts'

const EmailChange = t.Object(
  { email: Email, password: t.String({ maxLength: 256, description: 'the current password' }) },
  { title: 'EmailChange', examples: [{ email: 'ada@lovelace.example', password: 'correct horse' }] },
)

const OwnEmail = t.Object(
  {
    email: t.String({ description: 'the address that holds' }),
    email_confirmed: t.Boolean(),
    pending: t.Nullable(
      t.Object({
        email: t.String({ description: 'the address that waits for its confirmation' }),
        expires_at: t.String({ description: 'until when it can be confirmed' }),
      }),
      { description: 'null: no change waits' },
    ),
  },
  { title: 'OwnEmail' },
)

const onlySessions = 'Requires the access token of a session'

/** The caller's e-mail address and its change. */
export const emailRoutes = ({ guard, ...deps }: EmailChangeDeps & { guard: GuardDeps }) => {
  const present = async (userId: number) => {
    const { email, email_confirmed_at } = await getUser(deps.db.read, userId)
    const waiting = await findEmailChange(deps.db.read, userId, deps.clock.now())
    const pending = waiting ? { email: waiting.email, expires_at: isoTime(waiting.expires_at) } : null
    return { email, email_confirmed: email_confirmed_at !== null, pending }
  }
  return new Elysia({ prefix: '/auth/me/email', tags: ['Accounts'] })
    .use(signedIn({ ...guard, writes: 'viewer', bySession: true }))
    .get(
      '/',
      async ({ caller }) => present(caller.userId),
      operation('getOwnEmail', 'The e-mail address of the caller, and the change that waits', {
        description: 'Of an API token and of an application it is that of the user who made it or allowed it.',
        200: OwnEmail,
      }),
    )
    .put(
      '/',
      async ({ caller, body }) => {
        await requestEmailChange(deps, caller, { email: body.email.trim(), password: body.password })
        return present(caller.userId)
      },
      operation('changeOwnEmail', 'Change the e-mail address of the caller', {
        description:
          'Mails a link to the new address, good once and for a day, and informs the present one, which holds until the link is ' +
          'followed (`/auth/confirm-email`). A later request replaces an earlier one; three an hour at most. Where mail is not ' +
          'set up, the address changes at once. Takes the access token of a session only; an account with a second factor ' +
          'within 15 minutes of its sign-in, else `code` of the 403 is `sign_in_again`.',
        body: EmailChange,
        200: OwnEmail,
        401: 'No valid token, or the password is wrong',
        403: `${onlySessions}, and with a second factor a sign-in within 15 minutes`,
        409: 'The address has an account, or the account has no password',
        429: 'Too many attempts, changes or requests',
      }),
    )
    .delete(
      '/',
      async ({ caller }) => {
        await withdrawChange(deps, caller)
        return { message: 'No change of the address waits any more' }
      },
      operation('withdrawOwnEmailChange', 'Withdraw the change of the address that waits', {
        description: 'The link that was mailed is refused from then on. Takes the access token of a session only.',
        200: Message,
        403: onlySessions,
      }),
    )
}
