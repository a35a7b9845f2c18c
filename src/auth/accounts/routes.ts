import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, openToAll, signedIn } from '../../http/signed-in.ts'
import { isFromThisMachine, networkOf } from '../../http/headers/origin.ts'
import { requestConfirmation } from '../email-confirmation/email-confirmation.ts'
import { login } from '../sessions/login.ts'
import { rememberNetwork } from '../sessions/login-attempt-store.ts'
import { Credentials, presentUser, Registration, TokenResponse, User } from './model.ts'
import type { Mailer } from '../../mail.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { type ProvisionOrganization, register } from './register.ts'
import type { SetupToken } from './setup-token.ts'
import { openSession } from '../sessions/sessions.ts'
import { getUser } from './store.ts'
import { type BrowserDeps, intoCookie, isBrowserSession } from '../sessions/browser-session.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Tokens } from '../sessions/tokens.ts'

export type RegistrationDeps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'registration' | 'sessionLifetimeDays'>
  passwords: Passwords
  tokens: Tokens
  throttle: Throttle
  setupToken: SetupToken
  mailer: Mailer
  publicUrl: () => string
  provisionOrganization: ProvisionOrganization
}

type Deps = RegistrationDeps & BrowserDeps & { guard: GuardDeps }

/** Makes an account, and has its address confirmed where that is wanted. Throws the errors of `register`. */
export async function registerAccount(
  deps: RegistrationDeps,
  wanted: typeof Registration.static,
  place: Parameters<typeof register>[2],
): Promise<UserRow> {
  const user = await register({ ...deps, registration: deps.config.registration }, wanted, place)
  if (user.email_confirmed_at === null) await requestConfirmation(deps, user.email)
  return user
}

/** Paths that need no token: how one comes to have one. */
export const publicAuthRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'], detail: { security: [] } })
    .use(openToAll(deps.guard))
    .post(
      '/register',
      async ({ body, origin, request, server, set }) => {
        const place = { ...origin, isLocal: isFromThisMachine(request, server) }
        const user = await registerAccount(deps, body, place)
        set.status = 201
        const tokens = await openSession(deps, user, (trx, nowMs) =>
          rememberNetwork(trx, user.id, networkOf(origin.ip), nowMs),
        )
        return isBrowserSession(request) ? intoCookie(deps, set, tokens) : tokens
      },
      {
        body: Registration,
        response: { 201: TokenResponse },
        detail: operation('register', 'Register an account', {
          403: 'Registration requires an invitation, the setup token for the first account, or is closed',
          409: 'The e-mail address has an account',
        }),
      },
    )
    .post(
      '/login',
      async ({ body, origin, request, set }) => {
        const tokens = await login(deps, body.email.trim(), body.password, origin)
        return isBrowserSession(request) ? intoCookie(deps, set, tokens) : tokens
      },
      {
        body: Credentials,
        response: { 200: TokenResponse },
        detail: operation('login', 'Sign in', {
          401: 'E-mail or password is wrong',
          429: 'Too many attempts or requests',
        }),
      },
    )

export const authRoutes = ({ db, guard, tokens }: Deps) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'] })
    .use(signedIn({ ...guard, tokens: { identify: tokens.identifyUser }, writes: 'viewer' }))
    .get('/me', async ({ caller }) => presentUser(await getUser(db.read, caller.userId)), {
      response: { 200: User },
      detail: operation('getOwnUser', 'Who the token speaks for', { 404: 'The user was removed' }),
    })
