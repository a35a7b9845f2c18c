import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { deferBody } from '../../http/bodies/body.ts'
import { assertOwnForm, readForm } from '../../http/bodies/form.ts'
import type { OpenDeps } from '../../http/signed-in.ts'
import { answerCall, answerPage } from './answer.ts'
import { readAuthorizationRequest } from './authorize.ts'
import { decide } from './consent/consent.ts'
import { createFormTokens } from './consent/form-tokens.ts'
import { exchange } from './grants.ts'
import { introspect } from './introspect.ts'
import { metadata } from './metadata.ts'
import css from './consent/page.css' with { type: 'text' }
import { reference } from './reference.ts'
import { revoke } from './revoke.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Tokens } from '../sessions/tokens.ts'

type Deps = {
  db: Database
  clock: Clock
  passwords: Passwords
  throttle: Throttle
  tokens: Tokens
  publicUrl: () => string
  guard: OpenDeps
}

/** nines as an authorization server. All of it is public: users and applications say who they are in the request. */
export const oauthRoutes = ({ guard: { originOf, body }, publicUrl: issuer, ...given }: Deps) => {
  const deps = { ...given, issuer, formTokens: createFormTokens(given.clock) }
  const formOf = (request: Request) => readForm(request, body)
  const callOf = async (request: Request) => ({
    form: await formOf(request),
    authorization: request.headers.get('authorization'),
  })

  return new Elysia({ tags: ['OAuth'], detail: { security: [] } })
    .onParse({ as: 'local' }, deferBody)
    .get('/.well-known/oauth-authorization-server', () => metadata(issuer()), { detail: reference.metadata })
    .get(
      '/oauth/consent.css',
      ({ set }) => {
        set.headers['content-type'] = 'text/css; charset=utf-8'
        set.headers['cache-control'] = 'max-age=3600'
        return css
      },
      { detail: reference.style },
    )
    .get(
      '/oauth/authorize',
      ({ request, set }) =>
        answerPage(set, deps.formTokens, () => {
          const [, query = ''] = request.url.split('?', 2)
          return readAuthorizationRequest(deps.db.read, new URLSearchParams(query), issuer())
        }),
      { detail: reference.ask },
    )
    .post(
      '/oauth/authorize',
      ({ request, server, set }) =>
        answerPage(set, deps.formTokens, async () => {
          assertOwnForm(request)
          return decide(deps, await formOf(request), originOf(request, server))
        }),
      { detail: reference.decide },
    )
    .post(
      '/oauth/token',
      ({ request, server, set }) =>
        answerCall(set, async () => exchange(deps, await callOf(request), originOf(request, server))),
      { detail: reference.exchange },
    )
    .post(
      '/oauth/revoke',
      ({ request, server, set }) =>
        answerCall(set, async () => revoke(deps, await callOf(request), originOf(request, server))),
      { detail: reference.revoke },
    )
    .post(
      '/oauth/introspect',
      ({ request, set }) => answerCall(set, async () => introspect(deps, await callOf(request))),
      { detail: reference.introspect },
    )
}
