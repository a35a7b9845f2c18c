import { Elysia } from 'elysia'
import type { Mailer } from '../../mail.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { deferBody } from '../../http/bodies/body.ts'
import { assertOwnForm, readForm } from '../../http/bodies/form.ts'
import type { OpenDeps } from '../../http/signed-in.ts'
import { readAuthorizationRequest } from './authorize.ts'
import { decide } from './consent/consent.ts'
import { createFormTokens, type FormTokens } from './consent/form-tokens.ts'
import { exchange, introspect, revoke } from './grants.ts'
import css from './consent/page.css' with { type: 'text' }
import { metadataOf, reference } from './reference.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { PasswordSettings, SessionSettings } from '../sessions/sessions.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { AppError } from '../../errors.ts'
import { type ResponseHead, setError } from '../../http/errors.ts'
import { policyWithFormTargets } from '../../http/headers/headers.ts'
import { html } from '../../http/page.ts'
import { OAuthError } from './error.ts'
import { consentPage, problemPage } from './consent/page.ts'
import { formTargetsOf } from './clients/redirect-uri.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  mailer: Mailer
  passwords: Passwords
  throttle: Throttle
  tokens: Tokens
  publicUrl: () => string
  config: PasswordSettings & Pick<SessionSettings, 'newDeviceMail'>
  guard: OpenDeps
}

/** nines as an authorization server. All routes are public: users and applications authenticate in the request itself. */
export const oauthRoutes = ({ guard: { originOf, body }, publicUrl: issuer, ...others }: Deps) => {
  const deps = { ...others, publicUrl: issuer, issuer, formTokens: createFormTokens(others.clock) }
  const readFormOf = (request: Request) => readForm(request, body)
  const readCall = async (request: Request) => ({
    form: await readFormOf(request),
    authorization: request.headers.get('authorization'),
  })

  return new Elysia({ tags: ['OAuth'], detail: { security: [] } })
    .onParse({ as: 'local' }, deferBody)
    .get('/.well-known/oauth-authorization-server', () => metadataOf(issuer()), { detail: reference.metadata })
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
      { detail: reference.show },
    )
    .post(
      '/oauth/authorize',
      ({ request, server, set }) =>
        answerPage(set, deps.formTokens, async () => {
          assertOwnForm(request, issuer())
          return decide(deps, await readFormOf(request), originOf(request, server))
        }),
      { detail: reference.decide },
    )
    .post(
      '/oauth/token',
      ({ request, server, set }) =>
        answerCall(set, async () => exchange(deps, await readCall(request), originOf(request, server))),
      { detail: reference.exchange },
    )
    .post(
      '/oauth/revoke',
      ({ request, server, set }) =>
        answerCall(set, async () => revoke(deps, await readCall(request), originOf(request, server))),
      { detail: reference.revoke },
    )
    .post(
      '/oauth/introspect',
      ({ request, set }) => answerCall(set, async () => introspect(deps, await readCall(request))),
      { detail: reference.introspect },
    )
}

type PageData = { redirectTo: string } | Omit<Parameters<typeof consentPage>[0], 'formToken'>

/** Answers a person: a redirect, the consent page, or an error page. */
async function answerPage(set: ResponseHead, formTokens: FormTokens, work: () => Promise<PageData>): Promise<string> {
  try {
    const data = await work()
    if ('redirectTo' in data) {
      set.status = 303 // a browser follows with GET, which does not repeat the password
      set.headers['location'] = data.redirectTo
      return ''
    }
    set.headers['Content-Security-Policy'] = policyWithFormTargets(formTargetsOf(data.authRequest.redirectUri))
    set.headers['Referrer-Policy'] = 'same-origin' // with `no-referrer` the form would come from the origin `null`
    if (data.problem) setError(set, data.problem)
    return html(set, consentPage({ ...data, formToken: formTokens.issue(data.authRequest) }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    setError(set, error)
    return html(set, problemPage(error))
  }
}

/** Answers an application: JSON, and errors in the shape of RFC 6749, 5.2. */
async function answerCall<T>(set: ResponseHead, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) {
      setError(set, error)
      return { error: 'invalid_request', error_description: error.details ?? error.message }
    }
    if (!(error instanceof OAuthError)) throw error
    const isUnauthenticated = error.kind === 'invalid_client'
    set.status = isUnauthenticated ? 401 : 400
    if (isUnauthenticated) set.headers['www-authenticate'] = 'Basic realm="nines"'
    return { error: error.kind, error_description: error.message }
  }
}
