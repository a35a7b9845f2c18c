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
    email: t.String({ description: 'the current address' }),
    email_confirmed: t.Boolean(),
    pending: t.Nullable(
      t.Object({
        email: t.String({ description: 'the new address, not confirmed yet' }),
        expires_at: t.String({ description: 'time until which it can be confirmed' }),
      }),
      { description: 'change that is not confirmed yet; null: there is no such change' },
    ),
  },
  { title: 'OwnEmail' },
)

const onlySessions = 'Requires the access token of a session'

/** Routes of `/auth/me/email`: the caller's e-mail address, and a change of it. */
export const emailRoutes = ({ guard, ...deps }: EmailChangeDeps & { guard: GuardDeps }) => {
  const present = async (userId: number) => {
    const { email, email_confirmed_at } = await getUser(deps.db.read, userId)
    const change = await findEmailChange(deps.db.read, userId, deps.clock.now())
    const pending = change ? { email: change.email, expires_at: isoTime(change.expires_at) } : null
    return { email, email_confirmed: email_confirmed_at !== null, pending }
  }
  return new Elysia({ prefix: '/auth/me/email', tags: ['Accounts'] })
    .use(signedIn({ ...guard, writes: 'viewer', bySession: true }))
    .get(
      '/',
      async ({ caller }) => present(caller.userId),
      operation('getOwnEmail', 'Get the e-mail address of the caller, and its pending change', {
        description: 'For an API token or an application: the address of the user who created or allowed it.',
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
          'Mails a link to the new address, valid once within a day, and informs the current address. The change takes effect ' +
          'when the link is opened (`/auth/confirm-email`). A later request replaces an earlier one; at most three an hour. If ' +
          'mail is not set up, the address changes at once. Requires the access token of a session. If the account has a second ' +
          'factor, its sign-in must be at most 15 minutes ago; otherwise `code` of the 403 is `sign_in_again`.',
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
      operation('withdrawOwnEmailChange', 'Withdraw the pending change of the address', {
        description: 'The link that was mailed is refused from then on. Takes the access token of a session only.',
        200: Message,
        403: onlySessions,
      }),
    )
}
