import { Elysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { type GuardDeps, openToAll, signedIn } from '../http/signed-in.ts'
import { login } from './login.ts'
import { Credentials, presentUser, Registration, TokenResponse, User } from './model.ts'
import type { Passwords } from './passwords.ts'
import { type EquipOrganization, register } from './register.ts'
import { openSession } from './sessions.ts'
import { getUser } from './store.ts'
import type { Throttle } from './throttle.ts'
import type { Tokens } from './tokens.ts'

type Deps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'registration'>
  guard: GuardDeps
  passwords: Passwords
  tokens: Tokens
  throttle: Throttle
  equipOrganization: EquipOrganization
}

/** Paths that need no token: how one comes to have one. */
export const publicAuthRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth' })
    .use(openToAll(deps.guard))
    .post(
      '/register',
      async ({ body, origin, set }) => {
        const user = await register({ ...deps, registration: deps.config.registration }, body, origin)
        set.status = 201
        return openSession(deps, user)
      },
      { body: Registration, response: { 201: TokenResponse } },
    )
    .post('/login', async ({ body, origin }) => login(deps, body.email.trim(), body.password, origin), {
      body: Credentials,
      response: { 200: TokenResponse },
    })

export const authRoutes = ({ db, guard }: Deps) =>
  new Elysia({ prefix: '/auth' })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get('/me', async ({ caller }) => presentUser(await getUser(db.read, caller.userId)), { response: { 200: User } })
