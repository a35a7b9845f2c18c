import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressSet, readCidr } from '../cidr.ts'
import { neverConnected, OutboundError, outboundError } from './outbound-error.ts'
import { hostOf, namedIn, pinnedTo, readUrl } from './outbound-pin.ts'

/**
 * `body` is text, so that it can be sent again when the first address of a host does not answer. `decompress: false` leaves
 * the body of the answer as it came: else what one packet of it holds is in memory at once, a thousand times its size.
 */
export type OutboundRequest = {
  method?: 'GET' | 'POST'
  headers?: Headers | Record<string, string>
  body?: string
  decompress?: boolean
  signal?: AbortSignal
}

/** The only way out of nines to hosts that its users name. */
export type Outbound = {
  fetch(url: string, request?: OutboundRequest): Promise<Response>
  /**
   * The addresses of a host (a name, or an address itself) in the order to try them, at least one, none in `deny`: for
   * other protocols than HTTP, which have to connect to these and to nothing else. Throws as `fetch` does.
   */
  resolve(host: string, signal?: AbortSignal): Promise<string[]>
}

/** All addresses of a host name, in the order to try them. */
export type Lookup = (host: string) => Promise<string[]>

type Options = { deny: string[]; lookup?: Lookup }

/**
 * Sends requests to http and https URLs whose host has no address in `deny`. The connection goes to the very address
 * that was checked, so a name server cannot answer differently a moment later. Redirects are returned, not followed;
 * certificates are checked against the host of the URL. Throws `OutboundError`, or `signal.reason` once it is aborted.
 */
export function createOutbound({ deny, lookup = lookupAll }: Options): Outbound {
  const denied = addressSet(deny.flatMap(withNat64))
  const isDenied = (address: string) =>
    denied.has(address) || (unspecified.has(address) && (denied.has('127.0.0.1') || denied.has('::1')))

  async function addressesOf(url: URL, signal?: AbortSignal): Promise<URL[]> {
    const host = hostOf(url)
    const found = isIP(host) ? [host] : await abortable(lookup(host).catch(noAddress), signal)
    if (found.length === 0) noAddress()
    const pinned = found.map((address) => pinnedTo(url, address))
    const blocked = pinned.map(hostOf).find(isDenied)
    if (blocked) throw new OutboundError('forbidden', `the address ${blocked} is denied (OUTBOUND_DENY)`)
    return pinned
  }

  return {
    async fetch(address, { headers, signal, ...rest } = {}) {
      const url = readUrl(address)
      const named = namedIn(url, headers)
      const candidates = await addressesOf(url, signal)
      for (const [index, candidate] of candidates.entries()) {
        try {
          return await fetch(candidate, { ...rest, ...named, redirect: 'manual', ...(signal && { signal }) })
        } catch (error) {
          signal?.throwIfAborted()
          if (index === candidates.length - 1 || !neverConnected(error)) throw outboundError(error)
        }
      }
      return noAddress()
    },
    async resolve(host, signal) {
      const url = readUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}/`)
      return (await addressesOf(url, signal)).map(hostOf)
    },
  }
}

/**
 * Takes the proxy settings out of `process.env`: Bun's fetch follows them even to 127.0.0.1, which would hand every
 * query and its credentials to the proxy and undo the check of the address. It reads them anew for each request, and no
 * option of fetch turns them off, so call this once at the start.
 */
export function clearProxyEnvironment(environment: Record<string, string | undefined>) {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    delete environment[name]
    delete environment[name.toLowerCase()]
  }
}

/** Connecting to these reaches the machine itself. */
const unspecified = addressSet(['0.0.0.0', '::'])

/** A gateway that serves IPv6-only networks turns `64:ff9b::a.b.c.d` into `a.b.c.d` (RFC 6052). */
function withNat64(cidr: string): string[] {
  const { address, prefix, family } = readCidr(cidr)
  return family === 'ipv4' ? [cidr, `64:ff9b::${address}/${96 + prefix}`] : [cidr]
}

async function lookupAll(host: string): Promise<string[]> {
  // IPv4 first: a host without working IPv6 routes would wait for the connection attempt to time out
  const found = await systemLookup(host, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

function noAddress(): never {
  throw new OutboundError('unreachable', 'host name not found')
}

async function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
