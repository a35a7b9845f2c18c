import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from './exchange.ts'
import { ProbeFailure } from './failure.ts'

/** Where an answer sends to; null where it does not. Throws for a place that cannot be read. */
export function destinationOf(answer: IncomingMessage, from: URL): URL | null {
  const { location } = answer.headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0)) return null
  const to = URL.parse(location, from.href)
  if (!to) throw new ProbeFailure('the redirect leads to what is no URL')
  return to
}

/**
 * The request that follows a redirect. A header that the user wrote for one origin may hold credentials under any name:
 * another origin is sent only those that say nothing, and its own host. Methods and bodies as browsers do it (RFC 9110, 15.4).
 */
export function following(asked: HttpRequest, url: URL, status: number): HttpRequest {
  const headers = Object.entries(asked.headers).filter(
    ([name]) => url.origin === asked.url.origin || harmless.has(name.toLowerCase()),
  )
  const keeps = status === 307 || status === 308 || asked.method === 'GET' || asked.method === 'HEAD'
  return {
    url,
    method: keeps ? asked.method : 'GET',
    headers: Object.fromEntries(headers),
    body: keeps ? asked.body : null,
  }
}

const harmless = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'user-agent',
])
