import { Elysia, type Static, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { changesOf, recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import { isFromThisMachine } from '../../http/headers/origin.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, openToAll, signedIn } from '../../http/signed-in.ts'
import type { Mailer } from '../../mail.ts'
import { requestConfirmation } from './email-confirmation.ts'
import { changePassword } from '../passwords/replace.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { rememberOrigin } from '../sessions/login-attempt-store.ts'
import { type DemoAccess, loginToDemo } from '../sessions/demo-access.ts'
import { continueLatest, endEarlierSession } from '../sessions/earlier-session.ts'
import {
  assertPasswordsAllowed,
  login,
  logout,
  openSession,
  refreshSession,
  type SessionSettings,
} from '../sessions/sessions.ts'
import {
  type BrowserDeps,
  clearCookie,
  tokenToCookie,
  isBrowserSession,
  refreshTokensOf,
} from '../sessions/browser-session.ts'
import type { Oidc } from '../external/oidc.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Tokens } from '../sessions/tokens.ts'
import {
  Credentials,
  NewPassword,
  OwnUser,
  presentOwnUser,
  ProfileUpdate,
  Registration,
  TokenResponse,
} from './model.ts'
import { type ProvisionOrganization, register } from './register.ts'
import type { SetupToken } from './setup-token.ts'
import { getOrganization, updateUser } from '../organizations/store.ts'
import { getUser } from './store.ts'

export type AccountDeps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'registration' | 'oidcOnly' | 'oidcName'> & SessionSettings
  passwords: Passwords
  tokens: Tokens
  throttle: Throttle
  setupToken: SetupToken
  mailer: Mailer
  publicUrl: () => string
  provisionOrganization: ProvisionOrganization
}

/** Registers an account, and mails a confirmation if its address is not confirmed yet. Throws the errors of `register`. */
export async function registerAccount(
  deps: AccountDeps,
  registration: Registration,
  origin: Parameters<typeof register>[2],
): Promise<UserRow> {
  assertPasswordsAllowed(deps.config)
  const user = await register({ ...deps, registration: deps.config.registration }, registration, origin)
  if (user.email_confirmed_at === null) await requestConfirmation(deps, user.email)
  return user
}

const Refresh = t.Object(
  {
    refresh_token: t.Optional(
      t.String({ minLength: 1, maxLength: 1000, description: 'the refresh token; of a browser it is in its cookie' }),
    ),
  },
  { title: 'Refresh', examples: [{ refresh_token: 'Qm4x…' }] },
)

const SignedOut = t.Object(
  {
    message: t.String(),
    provider_logout_url: t.Optional(t.String({ description: 'where a browser signs out at the OpenID provider' })),
  },
  { title: 'SignedOut' },
)

const DemoLogin = t.Object(
  { token: t.String({ minLength: 1, maxLength: 200, description: 'the token of the link that the demo printed' }) },
  { title: 'DemoLogin', examples: [{ token: 'Qm4x…' }] },
)

const PasswordChange = t.Object(
  {
    current_password: t.String({ maxLength: 256, description: 'the current password' }),
    new_password: NewPassword,
    revoke_tokens: t.Optional(t.Boolean({ description: 'true, to revoke your API tokens too, or false' })),
  },
  { title: 'PasswordChange', examples: [{ current_password: 'correct horse', new_password: 'another horse' }] },
)

type Deps = AccountDeps & BrowserDeps & { demo: DemoAccess; guard: GuardDeps; oidc: Pick<Oidc, 'logoutUrl'> | null }

/**
 * Time in which a browser may send a used refresh token again: two tabs may send the same cookie, because without HTTPS pages have
 * no Web Locks to take turns.
 */
const graceMs = 10_000

/** Routes below `/auth`: sign-in and sign-out, and the caller's own account. */
export const accountRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'] })
    .use(publicRoutes(deps))
    .use(ownUserRoutes(deps))
    .use(logoutRoutes(deps))
    .use(sessionRoutes(deps))

const publicRoutes = (deps: Deps) =>
  new Elysia({ detail: { security: [] } })
    .use(openToAll(deps.guard))
    .post(
      '/register',
      async ({ body, origin, request, server, set }) => {
        const requestOrigin = { ...origin, isLocal: isFromThisMachine(request, server) }
        const user = await registerAccount(deps, body, requestOrigin)
        set.status = 201
        const inTransaction = (trx: Db, nowMs: number) => rememberOrigin(trx, user.id, origin, nowMs)
        const tokens = await openSession(deps, user, { origin, inTransaction, isFirst: true })
        await endEarlierSession(deps, request, origin)
        return isBrowserSession(request) ? tokenToCookie(deps, set, tokens) : tokens
      },
      operation('register', 'Register an account', {
        description:
          'Creates an organization, which the user then administers, or joins the one of an `invitation_token`. ' +
          'REGISTRATION decides who may register. The first account of an instance administers it; if it comes from ' +
          'another machine, it needs the `setup_token`. Where mail is set up, a confirmation is mailed.',
        body: Registration,
        201: TokenResponse,
        403: 'Registration requires an invitation, the setup token for the first account, or is closed',
        409: 'The e-mail address has an account',
      }),
    )
    .post(
      '/login',
      async ({ body, origin, request, set }) => {
        const tokens = await login(deps, body.email.trim(), body.password, origin)
        await endEarlierSession(deps, request, origin)
        return isBrowserSession(request) ? tokenToCookie(deps, set, tokens) : tokens
      },
      operation('login', 'Sign in', {
        description:
          'Opens a session: an access token, which lives JWT_EXPIRATION seconds, and a refresh token. After 10 ' +
          'failures of an account, or 50 from a network, within 15 minutes it answers 429 with `Retry-After`. A ' +
          'page that sends `X-Nines-Session: cookie` gets its refresh token as a cookie, and the session whose access token it ' +
          'sends along ends; the other ways to sign in do the same. An account with a second ' +
          'factor gets 401 with `mfa_required`, an `mfa_token` and when it expires (`expires_at`): the code then goes to ' +
          '`/auth/login/mfa`.',
        body: Credentials,
        200: TokenResponse,
        401: 'E-mail or password is wrong, or the second step is to follow: `code` is `mfa_required`',
        429: 'Too many attempts or requests',
      }),
    )
    .post(
      '/demo-login',
      async ({ body, origin, request, server, set }) => {
        const requestOrigin = { ...origin, isLocal: isFromThisMachine(request, server) }
        const tokens = await loginToDemo(deps, body.token, requestOrigin)
        await endEarlierSession(deps, request, origin)
        return isBrowserSession(request) ? tokenToCookie(deps, set, tokens) : tokens
      },
      operation('loginToDemo', 'Sign in with the one-time link of a demo, on the machine that it runs on', {
        description:
          'Opens a session without a password. The token is in the link that `nines demo` prints; it works once ' +
          'and for ten minutes.',
        body: DemoLogin,
        200: TokenResponse,
        401: 'The link is unknown, used or expired, or no demo runs',
        403: 'The request comes from another machine, or through a proxy',
      }),
    )
    .post(
      '/refresh',
      async ({ body, origin, request, set }) => {
        if (isBrowserSession(request)) {
          const { token, end } = await continueLatest(deps, refreshTokensOf(deps, request), origin)
          const tokens = await refreshSession(deps, token, origin, { graceMs })
          await end()
          return tokenToCookie(deps, set, tokens)
        }
        if (body.refresh_token === undefined) throw invalid('refresh_token', 'is required')
        return refreshSession(deps, body.refresh_token, origin)
      },
      operation('refreshSession', 'Exchange a refresh token for new tokens', {
        description:
          'Gives the session another 30 days, up to SESSION_LIFETIME_DAYS after sign-in. A refresh token is good ' +
          'once: one that comes a second time ends its session, except that a browser may send it again within ten seconds. A ' +
          'browser sends its cookie in place of `refresh_token`.',
        body: Refresh,
        200: TokenResponse,
        401: 'The refresh token is not valid any more',
        403: 'A page of another origin sent the cookie',
        404: 'The user was removed',
      }),
    )

const ownUserRoutes = ({ db, guard, tokens }: Deps) =>
  new Elysia().use(signedIn({ ...guard, tokens: { identify: tokens.identifyUser }, writes: 'viewer' })).get(
    '/me',
    async ({ caller }) => {
      const organization = await getOrganization(db.read, caller.organizationId)
      return presentOwnUser(await getUser(db.read, caller.userId), organization, caller.mustSetUpSecondFactor)
    },
    operation('getOwnUser', 'Who the token speaks for', {
      description:
        'Works with every kind of token; of an API token and of an application it is the user who made it or ' +
        'allowed it. `role` is that of the user, and a token may have a lower one.',
      200: OwnUser,
      404: 'The user was removed',
    }),
  )

/** Also accepts sessions that have to set up a second factor before anything else. */
const logoutRoutes = (deps: Deps) =>
  new Elysia()
    .use(
      signedIn({
        ...deps.guard,
        tokens: { identify: deps.tokens.identifyRestricted },
        writes: 'viewer',
        bySession: true,
      }),
    )
    .post(
      '/logout',
      async ({ caller, request, set }) => {
        const idToken = await logout(deps, caller)
        if (isBrowserSession(request)) clearCookie(deps, set)
        const url = idToken === null ? null : await deps.oidc?.logoutUrl(idToken)
        return { message: 'Signed out', ...(url && { provider_logout_url: url }) }
      },
      operation('logout', 'Sign out: end the session of the token', {
        description:
          'All tokens of the session are refused from then on; other sessions, API tokens and applications stay. ' +
          'Takes the access token of a session only. `provider_logout_url` ends the session at the OpenID provider too, if ' +
          'that opened this one.',
        200: SignedOut,
        403: 'Requires the access token of a session',
      }),
    )

/** Accepts only access tokens of sessions; refuses others before the body is read. */
const sessionRoutes = (deps: Deps) =>
  new Elysia()
    .use(signedIn({ ...deps.guard, writes: 'viewer', bySession: true }))
    .put(
      '/me',
      async ({ caller, body }) => {
        const organization = await getOrganization(deps.db.read, caller.organizationId)
        return presentOwnUser(await updateProfile(deps, caller, body), organization)
      },
      operation('updateOwnUser', 'Change the name, time zone or clock of the caller', {
        description:
          'The name that others see, and the zone and clock in which the page shows times to this user. Absent fields stay. null takes ' +
          'the choice of a zone or clock back: then those of the organization ' +
          'count, else those of the browser. Takes the access token of a session only.',
        body: ProfileUpdate,
        200: OwnUser,
        403: 'Requires the access token of a session',
      }),
    )
    .post(
      '/change-password',
      async ({ caller, body }) => {
        const { current_password: currentPassword, new_password: newPassword, revoke_tokens = false } = body
        await changePassword(deps, caller, { currentPassword, newPassword, revokeTokens: revoke_tokens })
        const tokens = revoke_tokens ? 'are revoked' : 'stay: send revoke_tokens to revoke them too'
        return { message: `Password changed; all other sessions have ended. API tokens ${tokens}` }
      },
      operation('changePassword', 'Change the password, and end all other sessions', {
        description:
          'Also revokes the access of applications. API tokens stay, unless `revoke_tokens` is true. A password has 8 to ' +
          '256 characters, and is neither the e-mail address nor a common one. Takes the access token of a session ' +
          'only.',
        body: PasswordChange,
        200: Message,
        401: 'No valid token, or the current password is wrong',
        403: 'Requires the access token of a session',
      }),
    )

/** Changes what users set for themselves: their name, and the time zone and clock in which they read times. */
async function updateProfile(
  { db, clock, tokens }: Pick<Deps, 'db' | 'clock' | 'tokens'>,
  caller: Caller,
  { name, time_zone, clock: style }: Static<typeof ProfileUpdate>,
): Promise<UserRow> {
  const user = await db.write.transaction().execute(async (trx) => {
    const current = await getUser(trx, caller.userId)
    const changes = changesOf(current, { name, time_zone, clock: style })
    if (!changes) return current
    const updated = await updateUser(trx, caller.organizationId, current.id, {
      ...changes.values,
      updated_at: clock.now(),
    })
    await recordAudit(trx, caller, { event: 'profile_changed', details: changes.details }, clock.now())
    return updated
  })
  if (user.name !== caller.name) tokens.invalidate(({ userId }) => userId === user.id)
  return user
}
