import { isIP } from 'node:net'
import { OutboundError } from './error.ts'

/** Parses an http or https URL without credentials; throws a `forbidden` `OutboundError` for anything else. */
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

/** Host of a URL as a resolver or `isIP` expects it: an IPv6 address without brackets. */
export function hostOf(url: URL): string {
  const { hostname } = url
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

export function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/**
 * Request options that keep the host of `url` when the request is sent to a bare IP address: Host header and TLS server name.
 * Requests gzip unless the given headers ask for `identity`. `tls`: authorities to trust and a certificate to show, as PEM.
 */
export function hostOptions(
  url: URL,
  sentHeaders?: Headers | Record<string, string>,
  tls: { ca?: string; cert?: string; key?: string } = {},
) {
  const headers = readHeaders(sentHeaders)
  headers.set('host', url.host)
  if (headers.get('accept-encoding') !== 'identity') headers.set('accept-encoding', 'gzip')
  if (url.protocol !== 'https:') return { headers }
  const isName = isIP(hostOf(url)) === 0
  const serverName = isName ? { serverName: url.hostname.replace(/\.$/, '') } : {}
  return { headers, tls: { ...serverName, ...tls } }
}

/** Replaces the host of `url` with an IP address. */
export function withAddress(url: URL, address: string): URL {
  if (hostOf(url) === address && isIP(address) !== 0) return url
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  // the setter ignores addresses it cannot parse (`fe80::1%eth0`); the host name would be looked up again
  if (isIP(hostOf(pinned)) === 0) {
    throw new OutboundError('unreachable', 'the host has an address that cannot be used')
  }
  return pinned
}

function readHeaders(sentHeaders?: Headers | Record<string, string>): Headers {
  try {
    return new Headers(sentHeaders)
  } catch {
    throw new OutboundError('forbidden', 'a header has a name or value that HTTP does not allow')
  }
}
