import { Elysia } from 'elysia'
import type { ResponseHead } from '../errors.ts'

const reading = new Set(['GET', 'HEAD'])

/** JSON that was answered to a GET, and what it is known by. */
export type Tagged = { text: string; tag: string }

/**
 * `ETag` and `Cache-Control` for the JSON that a GET of the routes below answers with 200, and 304 to a client that has it
 * already (RFC 9110, section 13.1.2). Files, streams and errors are left as they are. A browser keeps the response, and
 * revalidates it each time: what another user of that browser may not see is refused before it comes to that. `onAnswer` is
 * called with each; `route` is the template.
 */
export const validators = (onAnswer: (request: Request, route: string, answer: Tagged) => void) =>
  new Elysia().mapResponse({ as: 'scoped' }, ({ request, route, responseValue, set }) => {
    if (!reading.has(request.method) || (set.status ?? 200) !== 200 || !isPlain(responseValue)) return undefined
    const text = JSON.stringify(responseValue)
    const answer = { text, tag: entityTag(text) }
    onAnswer(request, route, answer)
    return sendTagged(request, set, answer)
  })

/** What to give to Elysia as the response, whose head is `set`: it takes a text too, whatever its types say. */
export function sendTagged({ headers }: Request, set: ResponseHead, { text, tag }: Tagged): Response {
  set.headers['etag'] = tag
  set.headers['cache-control'] = 'private, no-cache'
  const known = headers.get('if-none-match')
  if (known !== null && namesTag(known, tag)) {
    set.status = 304
    return new Response(null, { status: 304 })
  }
  set.headers['content-type'] = 'application/json;charset=utf-8'
  return text as unknown as Response // which itself would be sent in chunks
}

/** A strong one: what differs in a byte has another. */
export function entityTag(content: string | Uint8Array): string {
  return `"${Bun.CryptoHasher.hash('sha256', content, 'base64url').slice(0, 22)}"`
}

/** Weak comparison, which is what `If-None-Match` is assessed by; `*` stands for whatever there is. */
export function namesTag(header: string, tag: string): boolean {
  return header.trim() === '*' || (header.match(/"[^"]*"/g)?.includes(tag) ?? false)
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
