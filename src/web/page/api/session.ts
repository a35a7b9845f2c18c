import { now } from '../clock.ts'
import { signal } from '@preact/signals'
import { ApiError, credentials, errorOf, request, send } from './client.ts'
import { pause, rateLimitedUntilMs, recordResponse, retryUntil } from './connection.ts'
import type { Tokens, User } from './types.ts'

type Shared = { tokens: Tokens } | { user: User } | { signedOut: true }

/** User who is signed in; undefined until that is known, null for nobody. */
export const me = signal<User | null | undefined>(undefined)

/** Reason why the session ended, unless it ended in this tab. */
export const ending = signal<'expired' | 'elsewhere' | null>(null)

/** Makes the server keep the refresh token in a cookie, which scripts cannot read, and leave it out of its answer. */
const inCookie = { 'x-nines-session': 'cookie' }
const otherTabs = new BroadcastChannel('nines.session')
/** Local storage key, set while there may be a session. Without it no session is requested from the server. */
const sessionKey = 'nines.session'
let access: { token: string; expiresMs: number } | null = null
let renewal: Promise<boolean> | null = null
/** Changes with each token, so that the answer to a renewal of an earlier session is not used. */
let epoch = 0
let isSigningOut = false

credentials.token = () => access?.token ?? null
credentials.renew = renew

otherTabs.addEventListener('message', ({ data }: MessageEvent<Shared>) => {
  if ('tokens' in data) keep(data.tokens)
  else if ('user' in data) showUser(data.user)
  else forget('elsewhere')
})

/**
 * Resumes the session of the cookie, if there is one. Resolves once `me` is known. While the server does not answer or fails,
 * it keeps trying, because the session may still be valid.
 */
export async function restoreSession(): Promise<void> {
  if (localStorage.getItem(sessionKey) === null) me.value = null
  else await retryUntil(tryToResume)
}

/** Tries to resume the session of the cookie; true once it is known who is signed in, or that nobody is. */
async function tryToResume(): Promise<boolean> {
  if (access !== null) return true
  try {
    await renew(null)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, retryAfterSeconds = 0 } = error
    if (status !== 0 && status !== 429 && status < 500) me.value = null
    else if (status === 429) {
      rateLimitedUntilMs.value = now() + retryAfterSeconds * 1000
      await pause(retryAfterSeconds * 1000)
    } else recordResponse(false)
  }
  return me.peek() !== undefined
}

/**
 * Starts a session through a path of `/auth/…` that answers with tokens: login, registration, a one-time link. The server ends the
 * session that this tab still has. Throws `ApiError`.
 */
export async function signIn(path: string, body: unknown): Promise<void> {
  const response = await request('POST', path, { body, headers: inCookie }, credentials.token())
  if (!response.ok) throw await errorOf(response)
  const tokens = (await response.json()) as Tokens
  keep(tokens)
  otherTabs.postMessage({ tokens } satisfies Shared)
}

/** Takes over a change of the user who is signed in, in every tab. */
export function updateMe(user: User): void {
  showUser(user)
  otherTabs.postMessage({ user } satisfies Shared)
}

function showUser(user: User): void {
  if (me.peek()?.id === user.id) me.value = user
}

/**
 * Ends the session in every tab. Other tabs are informed first, before the server refuses their requests. A renewal under way is
 * awaited, because it changes the cookie that names the session.
 */
export async function signOut(): Promise<void> {
  otherTabs.postMessage({ signedOut: true } satisfies Shared)
  isSigningOut = true // the server ends the socket before it answers
  await renewal?.catch(() => {})
  const answer = await send<Record<string, string>>('POST', '/auth/logout', { headers: inCookie }).catch(() => {}) // if it fails, the session expires on the server
  forget(null)
  isSigningOut = false
  if (answer?.['provider_logout_url']) location.assign(answer['provider_logout_url'])
}

/**
 * Gets a new access token in place of `used`. One tab at a time does so, under a lock if the browser has locks (only in secure
 * contexts); the other tabs take over its token. False if the session has ended.
 */
function renew(used: string | null): Promise<boolean> {
  if (access !== null && access.token !== used) return Promise.resolve(true)
  renewal ??= exclusively(async () => {
    if (access !== null && access.token !== used) return true
    const started = epoch
    const response = await request('POST', '/auth/refresh', { body: {}, headers: inCookie }, null)
    const tokens = response.ok ? ((await response.json()) as Tokens) : null
    if (epoch !== started) return access !== null
    if (tokens) {
      keep(tokens)
      otherTabs.postMessage({ tokens } satisfies Shared)
      return true
    }
    if (response.status !== 401 && response.status !== 404) throw await errorOf(response)
    forget('expired')
    return false
  }).finally(() => (renewal = null))
  return renewal
}

async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  const locks: LockManager | undefined = navigator.locks
  return locks === undefined ? work() : locks.request('nines.session', work)
}

/** Uses these tokens, and shows their user, from now on. */
function keep({ access_token: token, expires_at, user }: Tokens): void {
  epoch++
  access = { token, expiresMs: Date.parse(expires_at) }
  localStorage.setItem(sessionKey, '1')
  ending.value = null
  if (JSON.stringify(me.peek()) !== JSON.stringify(user)) me.value = user
}

/** Drops the token, and shows that nobody is signed in, and why. */
function forget(why: 'expired' | 'elsewhere' | null): void {
  epoch++
  localStorage.removeItem(sessionKey)
  access = null
  ending.value = why
  me.value = null
}

/** Token for the socket, renewed if it is the refused one or expires within a minute; null if the session has ended. */
export async function freshToken(refused?: string): Promise<string | null> {
  if (isSigningOut || me.peek() === null) return null // the socket may end after the answer to the sign-out too
  if (access !== null && access.token !== refused && access.expiresMs - now() > 60_000) return access.token
  return (await renew(access?.token ?? null)) ? (access?.token ?? null) : null
}
