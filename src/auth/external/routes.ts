import { Elysia, t } from 'elysia'
import { AppError } from '../../errors.ts'
import type { Config } from '../../config.ts'
import { cookieOf } from '../../http/headers/request-headers.ts'
import { type ResponseHead, setError } from '../../http/errors.ts'
import { inQuery, textResponse } from '../../http/openapi/by-hand.ts'
import { detailOf, operation } from '../../http/openapi/operation.ts'
import { html, htmlPage, htmlText } from '../../http/page.ts'
import { type GuardDeps, openToAll } from '../../http/signed-in.ts'
import type { Log } from '../../log.ts'
import { TokenResponse } from '../accounts/model.ts'
import { createFormTokens } from '../oauth/consent/form-tokens.ts'
import {
  type BrowserDeps,
  cookieName,
  isBrowserSession,
  signInToCookie,
  tokenToCookie,
} from '../sessions/browser-session.ts'
import { endEarlierSession } from '../sessions/earlier-session.ts'
import { emailOf, nameOf, textsOf } from './claims.ts'
import type { Authenticated, Flow, Oidc } from './oidc.ts'
import { problemOf } from './problem-of.ts'
import { type ExternalPerson, type ExternalSignInDeps, signInExternally } from './sign-in.ts'
import type { ProxyPersonReader } from './trusted-header.ts'

type Deps = ExternalSignInDeps &
  BrowserDeps & {
    config: Pick<Config, 'oidcName'>
    oidc: Oidc | null
    log: Log
    guard: GuardDeps
  }

const flowSeconds = 600

/**
 * Sign-in by the OpenID provider, for browsers: `/start` redirects to the provider, and the provider redirects to `/callback`. No
 * URL contains a token: the refresh token is set as a cookie, with which the page then requests its access token.
 */
export const oidcRoutes = (deps: Deps) => {
  const { oidc, publicUrl, guard, log } = deps
  const flowTokens = createFormTokens<Flow>(deps.clock)
  const flowCookie = `${cookieName(deps)}_flow`
  const setFlowCookie = (set: ResponseHead, value: string) => {
    const { pathname, protocol } = new URL(publicUrl())
    const path = `${pathname.replace(/\/$/, '')}/auth/oidc`
    const secure = protocol === 'https:' ? '; Secure' : ''
    // Lax: the provider sends the browser back from another site
    set.headers['set-cookie'] =
      `${flowCookie}=${value}; Path=${path}; Max-Age=${flowSeconds}; HttpOnly; SameSite=Lax${secure}`
  }

  return new Elysia({ prefix: '/auth/oidc', tags: ['Accounts'], detail: { security: [] } })
    .get(
      '/start',
      ({ request, set }) =>
        redirectOrExplain(deps, set, async () => {
          if (!oidc) throw notSetUp()
          const { url, flow } = await oidc.begin(pathOf(queryOf(request).get('next')))
          setFlowCookie(set, flowTokens.issue(flow))
          return url.href
        }),
      { detail: reference.start },
    )
    .get(
      '/callback',
      ({ request, server, set }) =>
        redirectOrExplain(deps, set, async () => {
          if (!oidc) throw notSetUp()
          const flow = flowTokens.redeem(cookieOf(request, flowCookie) ?? '')
          if (!flow) throw outdated()
          const authenticated = await oidc.finish(queryOf(request), flow)
          const way = { by: deps.config.oidcName, method: 'oidc', idToken: authenticated.idToken } as const
          const origin = guard.originOf(request, server)
          const tokens = await signInExternally(deps, personOf(deps, authenticated), origin, way)
          signInToCookie(deps, set, tokens)
          log.info('signed in by the provider', { user_id: tokens.user.id })
          return `${publicUrl()}/login?next=${encodeURIComponent(flow.next)}#signed-in`
        }),
      { detail: reference.callback },
    )
}

function personOf({ config }: Deps, { issuer, subject, claims }: Authenticated): ExternalPerson {
  const groups = textsOf(claims, config.oidcRoleClaim)
  return { issuer, subject, email: emailOf(claims), name: nameOf(claims), groups }
}

/** Redirects a browser to the URL that `work` returns. If it throws, answers with an error page, and logs the cause. */
async function redirectOrExplain(
  { config, publicUrl, log }: Pick<Deps, 'config' | 'publicUrl' | 'log'>,
  set: ResponseHead,
  work: () => Promise<string>,
): Promise<string> {
  try {
    set.headers['location'] = await work()
    set.status = 303
    return ''
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.cause !== undefined) log.warn('sign-in by the provider failed', { problem: problemOf(error.cause) })
    setError(set, error)
    const { message, details } = error
    const login = htmlText(`${publicUrl()}/login`)
    const sentence = details === undefined ? '' : `<p>${htmlText(sentenceOf(details))}</p>`
    const back = `<p><a href="${login}">Back to the sign-in with ${htmlText(config.oidcName)}</a></p>`
    return html(
      set,
      htmlPage(htmlText(message), `<h1>${htmlText(message)}</h1>${sentence}${back}`, '../../oauth/consent.css'),
    )
  }
}

function sentenceOf(details: string): string {
  return `${details.charAt(0).toUpperCase()}${details.slice(1)}.`
}

function queryOf({ url }: Request): URLSearchParams {
  return new URLSearchParams(url.split('?', 2)[1] ?? '')
}

/** Path of the page to open after the sign-in; `/` if `next` could lead to another host. */
function pathOf(next: string | null): string {
  return next !== null && next.length <= 2000 && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/'
}

function notSetUp(): AppError {
  return new AppError('not_found', 'Sign-in by a provider is off', {
    details: 'OIDC_ISSUER is not set; sign in with e-mail and password',
  })
}

function outdated(): AppError {
  return new AppError('forbidden', 'This sign-in cannot be finished', {
    details: 'it is older than ten minutes, was finished already, or began in another browser; start again',
  })
}

const onward = (description: string) => ({
  description,
  headers: { Location: { schema: { type: 'string' as const } } },
})
const page = (description: string) => textResponse(description, 'text/html')

const reference = {
  start: {
    ...detailOf('startOidcSignIn', 'Sign in by the OpenID provider', {
      description:
        'Answers a person: sends the browser to the provider of OIDC_ISSUER, with PKCE, `state` and `nonce`. A short-lived ' +
        'cookie holds these until the browser comes back.',
      303: onward('Onward to the provider'),
      404: page('A page that says that no provider is set up'),
      503: page('A page that says that the provider does not answer'),
    }),
    ...inQuery({ next: 'path of the page to go on to after the sign-in' }),
  },
  callback: {
    ...detailOf('finishOidcSignIn', 'Where the OpenID provider sends the browser back', {
      description:
        'Answers a person: opens a session and goes on to the page. The refresh token is in a cookie, and no token in an ' +
        'address. The page exchanges it at `/auth/refresh`, which ends the session that the browser had before. ' +
        'PUBLIC_URL with this path is the redirect URI to register at the provider.',
      303: onward('Onward to the page'),
      403: page('A page that says why the sign-in was refused, and what to ask of whom'),
      404: page('A page that says that no provider is set up'),
      503: page('A page that says that the provider does not answer'),
    }),
    ...inQuery({
      code: 'of the provider',
      state: 'the `state` that nines sent to the provider',
      iss: 'issuer of the answer (RFC 9207)',
      error: 'word of the provider where it refuses',
    }),
  },
}

const ProxyLogin = t.Object({}, { title: 'ProxyLogin', examples: [{}] })

/** Sign-in of a person whom a proxy in front of nines has authenticated: the only route that reads the trusted headers. */
export const proxyLoginRoutes = (deps: Deps & { proxyPerson: ProxyPersonReader }) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'], detail: { security: [] } }).use(openToAll(deps.guard)).post(
    '/proxy-login',
    async ({ origin, request, server, set }) => {
      const person = deps.proxyPerson.read(request, server)
      const tokens = await signInExternally(deps, person, origin, { by: 'the proxy', method: 'proxy', idToken: null })
      await endEarlierSession(deps, request, origin)
      return isBrowserSession(request) ? tokenToCookie(deps, set, tokens) : tokens
    },
    operation('loginByProxy', 'Sign in as the person whom the proxy names', {
      description:
        'Opens a session of 12 hours for the user in the header TRUSTED_HEADER_USER, which is read only from addresses of ' +
        'TRUST_PROXY. Roles follow OIDC_ROLE_MAP.',
      body: ProxyLogin,
      200: TokenResponse,
      401: 'The proxy did not send the header',
      403: 'The header is off or not trusted, or the person may not use nines',
    }),
  )
