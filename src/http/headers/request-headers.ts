import { invalid } from '../../errors.ts'

/** Value of a cookie of a request; undefined if it has none of that name. */
export function cookieOf({ headers }: Request, name: string): string | undefined {
  const cookies = (headers.get('cookie') ?? '').split(/;\s*/)
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
}

/**
 * Throws `invalid` for a host of one or two characters over TLS: Elysia looks for the path from the twelfth character of such a URL on,
 * and would leave out its first part.
 */
export function assertLongHost({ url }: Request): void {
  if (url.startsWith('https://') && url.indexOf('/', 8) < 11)
    throw invalid('Host', 'must have at least three characters')
}

/**
 * True for headers that users may not set on requests that nines sends for them; letter case does not matter. They name another
 * host than the checked one, claim where a request comes from, or concern the connection (RFC 9110, 7.6.1), which nines controls.
 */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return reserved.has(lower) || /^(?:proxy|x-forwarded)-/.test(lower)
}

const reserved = new Set([
  'host',
  'forwarded',
  'via',
  'expect',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Stored headers without reserved ones, which may have been stored before they were reserved. */
export function withoutReserved<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isReservedHeader(name)))
}
