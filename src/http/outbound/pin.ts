import { isIP } from 'node:net'
import { OutboundError } from './error.ts'

/** An http or https URL without credentials in it; anything else is a `forbidden` `OutboundError`. */
export function readUrl(address: string): URL {
  const url = URL.parse(address)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new OutboundError('forbidden', 'the address is not an http or https URL')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('forbidden', 'the URL contains a user name or password')
  }
  return url
}

/** The host of a URL as a resolver or `isIP` wants it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  const { hostname } = url
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

export function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/**
 * What keeps a request to a bare IP address addressed to the host of `url`: its Host header and its TLS name. gzip is asked for,
 * unless the given headers ask for `identity`.
 */
export function namedIn(url: URL, given?: Headers | Record<string, string>) {
  const headers = readHeaders(given)
  headers.set('host', url.host)
  if (headers.get('accept-encoding') !== 'identity') headers.set('accept-encoding', 'gzip')
  const isName = isIP(hostOf(url)) === 0
  return url.protocol === 'https:' && isName
    ? { headers, tls: { serverName: url.hostname.replace(/\.$/, '') } }
    : { headers }
}

/** `url` with the IP address instead of its host. */
export function pinnedTo(url: URL, address: string): URL {
  if (hostOf(url) === address && isIP(address) !== 0) return url
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  // the setter ignores what it cannot read (`fe80::1%eth0`), and the name would be looked up a second time
  if (isIP(hostOf(pinned)) === 0) {
    throw new OutboundError('unreachable', 'the host has an address that cannot be used')
  }
  return pinned
}

function readHeaders(given?: Headers | Record<string, string>): Headers {
  try {
    return new Headers(given)
  } catch {
    throw new OutboundError('forbidden', 'a header has a name or value that HTTP does not allow')
  }
}
