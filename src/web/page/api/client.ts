import { base } from '../address/base.ts'
import { now } from '../clock.ts'
import { words } from '../words.ts'
import { recordResponse, rateLimitedUntilMs, pause } from './connection.ts'

/** Problem of a field of a request. One that the page finds itself has no code. `hint`: how to solve it; `fix`: new values of fields. */
export type ApiProblem = {
  field: string
  message: string
  hint?: string | null
  code?: string
  params?: Readonly<Record<string, string | number | string[]>>
  fix?: Readonly<Record<string, string | number | null>>
}

/** Error of a request: its HTTP status, or 0 without an answer. The other values are read off the response; `body`: its whole JSON. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details?: string,
    readonly problems: readonly ApiProblem[] = [],
    readonly retryAfterSeconds?: number,
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

/** Parts of a request. `body` is sent as JSON, or as a form if it is `URLSearchParams`. */
type RequestOptions = { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal; keepalive?: boolean }

/**
 * Access token that is sent with each request, and its renewal after a 401, which returns true if there is a new token. Set once
 * by `session.ts`.
 */
export const credentials = {
  token: () => null as string | null,
  renew: async (_usedToken: string | null) => false as boolean,
}

/** Sends a request to the API and reads its JSON. After a 401 it renews the token and tries once more. Throws `ApiError`. */
export async function send<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await sendAuthorized(method, path, options)
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** Reads JSON together with its entity tag; null if the server answers that `etag` still matches. Throws like `send`. */
export async function readTagged<T>(
  path: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<{ value: T; etag: string | null } | null> {
  const headers = etag === null ? {} : { 'if-none-match': etag }
  const response = await sendAuthorized('GET', path, { signal, headers })
  if (response.status === 304) return null
  return { value: (await response.json()) as T, etag: response.headers.get('etag') }
}

/** Sends a request with the access token; after a 401 once more with a renewed one. Throws `ApiError` for an error status. */
export async function sendAuthorized(method: string, path: string, options: RequestOptions): Promise<Response> {
  const usedToken = credentials.token()
  const first = await requestWithinRateLimit(method, path, options, usedToken)
  const isRenewed = first.status === 401 && (await credentials.renew(usedToken))
  const response = isRenewed ? await requestWithinRateLimit(method, path, options, credentials.token()) : first
  if (response.ok || response.status === 304) return response
  throw await errorOf(response)
}

/**
 * Sends a request. A GET that gets 429 is sent again after the time that the server requests; GETs that start before then wait
 * for the same time.
 */
async function requestWithinRateLimit(
  method: string,
  path: string,
  options: RequestOptions,
  token: string | null,
): Promise<Response> {
  for (;;) {
    const waitMs = method === 'GET' ? (rateLimitedUntilMs.peek() ?? 0) - now() : 0
    if (waitMs > 0) await pause(waitMs, options.signal)
    const response = await request(method, path, options, token)
    if (method !== 'GET') return response
    if (response.status !== 429) {
      if ((rateLimitedUntilMs.peek() ?? 0) <= now()) rateLimitedUntilMs.value = null
      return response
    }
    const { retryAfterSeconds = 1 } = await errorOf(response)
    rateLimitedUntilMs.value = Math.max(rateLimitedUntilMs.peek() ?? 0, now() + Math.max(1, retryAfterSeconds) * 1000)
  }
}

/**
 * Sends one request, without renewing the token or throwing for a status. Throws `ApiError` with status 0 if there is no
 * answer.
 */
export async function request(
  method: string,
  path: string,
  options: RequestOptions,
  token: string | null,
): Promise<Response> {
  const { body, headers, ...rest } = options
  const isForm = body instanceof URLSearchParams // the browser sets its content type
  const response = await fetchAnswer(`${base}/api/v1${path}`, {
    ...rest,
    method,
    cache: 'no-store', // entity tags are kept by `resource.ts`
    headers: {
      accept: 'application/json',
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  recordResponse(response !== undefined)
  if (!response) throw new ApiError(0, words.noAnswer)
  return response
}

/** Fetches; undefined if there is no answer, or only one of a proxy that cannot reach nines. Throws if aborted. */
async function fetchAnswer(url: string, options: RequestInit): Promise<Response | undefined> {
  try {
    const response = await fetch(url, options)
    const isFromNines = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return [502, 503, 504].includes(response.status) && !isFromNines ? undefined : response
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    return undefined
  }
}

/** The error as an `ApiError`; one that is no answer of the API has the status 0. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, String(error))
}

/** Reads the error off a response with an error status; tolerates a body that is not JSON. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => ({}))
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(
    response.status,
    typeof body.error === 'string' ? body.error : `The server answered ${response.status}`,
    body.details,
    body.problems,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
    body,
  )
}
