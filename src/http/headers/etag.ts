import type { ResponseHead } from '../errors.ts'

const taggedMethods = new Set(['GET', 'HEAD'])

/** JSON response to a GET, and its entity tag. */
export type Tagged = { text: string; tag: string }

/** Called with each tagged response; `route` is the template. */
export type OnTagged = (request: Request, route: string, answer: Tagged) => void

type Responded = { request: Request; route: string; responseValue: unknown; set: ResponseHead }

/**
 * Hook that sets `ETag` and `Cache-Control` on 200 JSON responses to GETs of its routes, and answers 304 to a client that already
 * has the response (RFC 9110, section 13.1.2). Files, streams and errors stay unchanged. A browser caches the response and
 * revalidates it each time, so a request of another user of that browser is refused before its cached response is used.
 */
export const tagResponses =
  (onTagged: OnTagged) =>
  ({ request, route, responseValue, set }: Responded): Response | undefined => {
    if (!taggedMethods.has(request.method) || (set.status ?? 200) !== 200 || !isPlain(responseValue)) return undefined
    const text = JSON.stringify(responseValue)
    const answer = { text, tag: entityTag(text) }
    onTagged(request, route, answer)
    return sendTagged(request, set, answer)
  }

/** Response to return to Elysia; sets its head in `set`. Elysia also accepts text, in spite of its types. */
export function sendTagged({ headers }: Request, set: ResponseHead, { text, tag }: Tagged): Response {
  set.headers['etag'] = tag
  set.headers['cache-control'] = 'private, no-cache'
  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== null && namesTag(ifNoneMatch, tag)) {
    set.status = 304
    return new Response(null, { status: 304 })
  }
  set.headers['content-type'] = 'application/json;charset=utf-8'
  return text as unknown as Response // a `Response` would be sent in chunks
}

/** Strong entity tag: contents that differ in a byte have different tags. */
export function entityTag(content: string | Uint8Array): string {
  return `"${Bun.CryptoHasher.hash('sha256', content, 'base64url').slice(0, 22)}"`
}

/** Weak comparison, as `If-None-Match` requires; `*` matches anything. */
export function namesTag(header: string, tag: string): boolean {
  return header.trim() === '*' || (header.match(/"[^"]*"/g)?.includes(tag) ?? false)
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
