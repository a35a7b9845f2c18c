import { Elysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { clientAddress } from '../http/client-address.ts'
import { openToAll, signedIn } from '../http/signed-in.ts'
import { type EquipOrganization, login, register } from './accounts.ts'
import { Credentials, presentUser, Registration, TokenResponse, User } from './model.ts'
import type { Passwords } from './passwords.ts'
import { openSession } from './sessions.ts'
import { getUser } from './store.ts'
import type { Tokens } from './tokens.ts'

type Deps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'registration' | 'bodyLimitBytes'>
  passwords: Passwords
  tokens: Tokens
  equipOrganization: EquipOrganization
}

/** Paths that need no token: how one comes to have one. */
export const publicAuthRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth' })
    .use(openToAll(deps.config))
    .post(
      '/register',
      async ({ body, set }) => {
        const user = await register({ ...deps, registration: deps.config.registration }, body)
        set.status = 201
        return openSession(deps, user)
      },
      { body: Registration, response: { 201: TokenResponse } },
    )
    .post(
      '/login',
      async ({ body, request, server }) =>
        openSession(deps, await login(deps, body.email.trim(), body.password, clientAddress(request, server))),
      { body: Credentials, response: { 200: TokenResponse } },
    )

export const authRoutes = ({ db, tokens, config }: Deps) =>
  new Elysia({ prefix: '/auth' })
    .use(signedIn({ tokens, bodyLimitBytes: config.bodyLimitBytes, writes: 'viewer' }))
    .get('/me', async ({ caller }) => presentUser(await getUser(db.read, caller.userId)), { response: { 200: User } })
