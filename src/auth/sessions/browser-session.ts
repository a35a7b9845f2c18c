import { AppError } from '../../errors.ts'
import { isOwnOrigin } from '../../http/headers/cross-origin.ts'
import { cookieOf } from '../../http/headers/request-headers.ts'

/** Parts of the app that a browser session needs. `publicUrl`: URL under which browsers reach nines. */
export type BrowserDeps = { instanceId: string; publicUrl: () => string }

type Answer = { headers: Record<string, string | number> }
type Tokens = { refresh_token?: string | undefined }

/**
 * If this header has the value `cookie`, a request for tokens gets its refresh token as a cookie. Pages of other origins cannot
 * send the header: CORS does not allow it.
 */
const sessionHeader = 'x-nines-session'
const maxAgeSeconds = 30 * 86_400
/** Lifetime of the cookie of a sign-in by a provider, until the page that it leads to has loaded and refreshed the session. */
const signInSeconds = 600

export function isBrowserSession({ headers }: Request): boolean {
  return headers.get(sessionHeader) === 'cookie'
}

/**
 * Token response for a browser: moves the refresh token from the body to a cookie that scripts cannot read and that is sent to
 * the refresh path only. Without a refresh token, the cookie stays as it is.
 */
export function tokenToCookie<T extends Tokens>(deps: BrowserDeps, set: Answer, { refresh_token: token, ...rest }: T) {
  if (token !== undefined) setCookie(deps, set, token, maxAgeSeconds)
  return rest
}

/**
 * Sets the refresh token of a sign-in by a provider as a second cookie. Coming from another site, the browser does not send the
 * cookie of an earlier session (`SameSite=Strict`); the page's next refresh ends that session.
 */
export function signInToCookie(deps: BrowserDeps, set: Answer, { refresh_token: token }: Tokens): void {
  if (token !== undefined) setCookie(deps, set, token, signInSeconds, signInCookieName(deps))
}

export function clearCookie(deps: BrowserDeps, set: Answer): void {
  setCookie(deps, set, '', 0)
}

/**
 * Reads the refresh tokens from the cookies: that of the session, and that of a sign-in by a provider; at least one. Throws
 * `forbidden` for a page of another origin, `unauthenticated` without a token.
 */
export function refreshTokensOf(deps: BrowserDeps, request: Request): [string, ...string[]] {
  if (!isOwnOrigin(request.headers, deps.publicUrl())) {
    throw new AppError('forbidden', 'A session is refreshed by pages of nines alone')
  }
  const sent = [cookieName(deps), signInCookieName(deps)].map((name) => cookieOf(request, name) ?? '')
  const [token, ...others] = sent.filter((one) => one !== '')
  if (token === undefined) throw new AppError('unauthenticated', 'There is no session')
  return [token, ...others]
}

function setCookie(deps: BrowserDeps, set: Answer, value: string, seconds: number, name = cookieName(deps)): void {
  const { pathname, protocol } = new URL(deps.publicUrl())
  const path = `${pathname.replace(/\/$/, '')}/api/v1/auth/refresh`
  const secure = protocol === 'https:' ? '; Secure' : ''
  set.headers['set-cookie'] = `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** Browsers share the cookies of a host between all ports, so each instance uses a different name. */
export function cookieName({ instanceId }: BrowserDeps): string {
  return `nines_${instanceId.replaceAll(/[^0-9a-z]/gi, '').slice(0, 12)}`
}

function signInCookieName(deps: BrowserDeps): string {
  return `${cookieName(deps)}_sign_in`
}
