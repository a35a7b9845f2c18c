import { Elysia, t } from 'elysia'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type GuardDeps, openToAll, signedIn } from '../../http/signed-in.ts'
import { changePassword } from '../passwords/change.ts'
import { logout, refreshSession, type SessionDeps } from './sessions.ts'
import { NewPassword, TokenResponse } from '../accounts/model.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { Throttle } from './throttle.ts'
import { invalid } from '../../errors.ts'
import { type BrowserDeps, clearCookie, intoCookie, isBrowserSession, refreshTokenOf } from './browser-session.ts'

/** Two tabs may send one cookie at once; where a page is not in a secure context, it has no locks to keep them apart. */
const otherTabMs = 10_000

type Deps = SessionDeps &
  BrowserDeps & {
    guard: GuardDeps
    passwords: Passwords
    throttle: Throttle
  }

const Refresh = t.Object(
  {
    refresh_token: t.Optional(
      t.String({ minLength: 1, maxLength: 1000, description: 'the refresh token; of a browser it is in its cookie' }),
    ),
  },
  { title: 'Refresh', examples: [{ refresh_token: 'Qm4x…' }] },
)

const PasswordChange = t.Object(
  {
    current_password: t.String({ maxLength: 256, description: 'the current password' }),
    new_password: NewPassword,
    revoke_tokens: t.Optional(t.Boolean({ description: 'true, to revoke your API tokens too, or false' })),
  },
  { title: 'PasswordChange', examples: [{ current_password: 'correct horse', new_password: 'another horse' }] },
)

export const publicSessionRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'], detail: { security: [] } }).use(openToAll(deps.guard)).post(
    '/refresh',
    async ({ body, origin, request, set }) => {
      if (isBrowserSession(request)) {
        const token = refreshTokenOf(deps, request)
        return intoCookie(deps, set, await refreshSession(deps, token, origin, { graceMs: otherTabMs }))
      }
      if (body.refresh_token === undefined) throw invalid('refresh_token', 'is required')
      return refreshSession(deps, body.refresh_token, origin)
    },
    {
      body: Refresh,
      response: { 200: TokenResponse },
      detail: operation('refreshSession', 'Exchange a refresh token for new tokens', {
        404: 'The user was removed',
        401: 'The refresh token is not valid any more',
      }),
    },
  )

/** What a person who has signed in does with that; other kinds of token are refused before the body is assessed. */
export const sessionRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'] })
    .use(signedIn({ ...deps.guard, writes: 'viewer', bySession: true }))
    .post(
      '/logout',
      async ({ caller, request, set }) => {
        await logout(deps, caller)
        if (isBrowserSession(request)) clearCookie(deps, set)
        return { message: 'Signed out' }
      },
      {
        response: { 200: Message },
        detail: operation('logout', 'Sign out: end the session of the token', {
          403: 'Requires the access token of a session',
        }),
      },
    )
    .post(
      '/change-password',
      async ({ caller, body }) => {
        const {
          current_password: currentPassword,
          new_password: newPassword,
          revoke_tokens: revokeTokens = false,
        } = body
        await changePassword(deps, caller, { currentPassword, newPassword, revokeTokens })
        const tokens = revokeTokens ? 'are revoked' : 'stay: send revoke_tokens to revoke them too'
        return { message: `Password changed; all other sessions have ended. API tokens ${tokens}` }
      },
      {
        body: PasswordChange,
        response: { 200: Message },
        detail: operation('changePassword', 'Change the password, and end all other sessions', {
          400: 'A field is wrong, or the current password is',
          403: 'Requires the access token of a session',
        }),
      },
    )
