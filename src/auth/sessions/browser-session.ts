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

export function clearCookie(deps: BrowserDeps, set: Answer): void {
  setCookie(deps, set, '', 0)
}

/** Reads the refresh token from the cookie. Throws `forbidden` for a page of another origin, `unauthenticated` without one. */
export function refreshTokenOf(deps: BrowserDeps, request: Request): string {
  if (!isOwnOrigin(request.headers, deps.publicUrl())) {
    throw new AppError('forbidden', 'A session is refreshed by pages of nines alone')
  }
  const token = cookieOf(request, cookieName(deps))
  if (token === undefined || token === '') throw new AppError('unauthenticated', 'There is no session')
  return token
}

function setCookie(deps: BrowserDeps, set: Answer, value: string, seconds: number): void {
  const { pathname, protocol } = new URL(deps.publicUrl())
  const path = `${pathname.replace(/\/$/, '')}/api/v1/auth/refresh`
  const secure = protocol === 'https:' ? '; Secure' : ''
  set.headers['set-cookie'] =
    `${cookieName(deps)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** Browsers share the cookies of a host between all ports, so each instance uses a different name. */
export function cookieName({ instanceId }: BrowserDeps): string {
  return `nines_${instanceId.replaceAll(/[^0-9a-z]/gi, '').slice(0, 12)}`
}
