import { isIP } from 'node:net'
import { addressSet } from '../../cidr.ts'
import type { Origin } from '../../origin.ts'

/** Listener that a request came by, null if there is none. The peer of a unix socket has no address. */
export type Server = { requestIP(request: Request): { address: string } | null; url?: URL } | null

const socketPeer = '127.0.0.1'

/** Determines the origin of a request; the IP is `unknown` if there is no socket. */
export type OriginReader = (request: Request, server: Server) => Origin

const maxUserAgent = 500

/**
 * Reads the origin of each request once. `X-Forwarded-For` is trusted only from a peer inside `trustProxy` (CIDRs). It is read
 * from the right: the first address that is not a trusted proxy is the client, since the client could have forged everything to
 * the left of it. An entry that is not an address ends the search at the proxy that forwarded it.
 */
export function createOriginReader({ trustProxy }: { trustProxy: string[] }): OriginReader {
  const trusted = addressSet(trustProxy)
  const trustsProxies = trustProxy.length > 0
  const originByRequest = new WeakMap<Request, Origin>()
  return (request, server) => {
    const known = originByRequest.get(request)
    if (known) return known
    const peer = peerOf(request, server)
    const forwarded = trustsProxies && trusted.has(peer) ? request.headers.get('x-forwarded-for') : null
    const origin = {
      ip: forwarded === null ? peer : clientBehind(peer, forwarded, trusted),
      userAgent: (request.headers.get('user-agent') ?? '').slice(0, maxUserAgent),
    }
    originByRequest.set(request, origin)
    return origin
  }
}

/**
 * Address of the socket that a request came by, whatever its headers say; `unknown` if there is no socket. A peer of a unix
 * socket counts as 127.0.0.1.
 */
export function peerOf(request: Request, server: Server): string {
  const address = server?.requestIP(request)?.address
  return normalizeAddress(address ?? (isUnixSocket(server) ? socketPeer : 'unknown'))
}

const isUnixSocket = (server: Server): boolean => server?.url?.protocol === 'unix:'

const loopback = addressSet(['127.0.0.0/8', '::1'])
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const forwardingHeader = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/**
 * True if a request was made on this machine: without a socket, or from a loopback address to a loopback host name, not by a
 * page of another origin, and without forwarding headers of a proxy. The host name is checked because a page of another site
 * can point its own name to loopback. False for a unix socket, because a proxy connects to it.
 */
export function isFromThisMachine(request: Request, server: Server): boolean {
  if (server === null) return true
  if (isUnixSocket(server)) return false
  const peer = peerOf(request, server)
  const host = request.headers.get('host') ?? ''
  const isToLoopback = loopback.has(peer) && loopbackHost.test(host)
  return isToLoopback && !isFromOtherPage(request.headers, host) && ![...request.headers.keys()].some(isForwarding)
}

/** True if browser headers show that a page of another origin sends the request; other clients do not send them. */
function isFromOtherPage(headers: Headers, host: string): boolean {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site') ?? 'none'
  const isOwn = origin === null || origin.replace(/^https?:\/\//, '') === host.toLowerCase()
  return !isOwn || !/^(?:none|same-origin)$/.test(site)
}

const isForwarding = (name: string): boolean => forwardingHeader.test(name)

/**
 * Network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, since a client can choose any address
 * inside its /64.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const [head = [], tail = []] = ip.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

/** First address from the right that is not a trusted proxy. `forwarded`: header lines joined; each proxy appends its peer. */
function clientBehind(peer: string, forwarded: string, trusted: { has(address: string): boolean }): string {
  let client = peer
  for (let end = forwarded.length; end >= 0;) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1)
    const entry = forwarded.slice(comma + 1, end).trim()
    end = comma
    if (entry === '') continue
    const address = readAddress(entry)
    if (address === undefined) return client
    client = address
    if (!trusted.has(address)) return client
  }
  return client
}

/** Normalizes `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`; undefined: not an address. */
function readAddress(entry: string): string | undefined {
  const bracketed = /^\[(.+)\](?::\d{1,5})?$/.exec(entry)?.[1]
  const address = bracketed ?? /^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? entry
  const version = isIP(address)
  if (version === 0 || (bracketed !== undefined && version !== 6)) return undefined
  return version === 4
    ? address
    : normalizeAddress(new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1))
}

/** Converts IPv4-mapped IPv6 (`::ffff:192.0.2.1`, also as two hexadecimal groups) to IPv4, and drops a zone (`%eth0`). */
function normalizeAddress(address: string): string {
  if (!address.includes(':')) return address
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address.replace(/^::ffff:(?=\d+\.)|%.*$/g, '')
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}
