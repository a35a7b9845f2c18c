import { Elysia } from 'elysia'

const reading = new Set(['GET', 'HEAD'])

/**
 * `ETag` and `Cache-Control` for the JSON that a GET of the routes below answers with 200, and 304 to a client that has it
 * already (RFC 9110, section 13.1.2). Files, streams and errors are left as they are. A browser keeps the response, and
 * revalidates it each time: what another user of that browser may not see is refused before it comes to that.
 */
export const validators = () =>
  new Elysia().mapResponse({ as: 'scoped' }, ({ request, responseValue, set }) => {
    if (!reading.has(request.method) || (set.status ?? 200) !== 200 || !isPlain(responseValue)) return undefined
    const tag = entityTag(JSON.stringify(responseValue))
    set.headers['etag'] = tag
    set.headers['cache-control'] = 'private, no-cache'
    const known = request.headers.get('if-none-match')
    if (known === null || !namesTag(known, tag)) return undefined // to be written once more: a Response would be sent in chunks
    set.status = 304
    return new Response(null, { status: 304 })
  })

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
