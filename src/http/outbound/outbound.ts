import { lookup as systemLookup } from 'node:dns/promises'
import { type Abort, createAbort, onAbort } from '../../concurrency/abort.ts'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { type EndpointTls, tlsOptions } from '../endpoint-tls.ts'
import type { Authorities } from './authorities.ts'
import { createLargeBodies } from './large-bodies.ts'
import { type BoundedBody, readBounded, readSmall } from './body.ts'
import { assertCertificateTaken, withShownCertificate } from './client-certificate.ts'
import { neverConnected, OutboundError, outboundError } from './error.ts'
import { hostOf, hostOptions, withAddress, portOf, readUrl } from './pin.ts'
import { createReach, isSameHost, type ReachExceptions, type ReachOptions } from './reach.ts'

/**
 * `body` is text or bytes, so that it can be sent again if the first address of a host does not respond. `maxBytes`: bytes to read
 * of the response body, by status; 0: none. `organizationId`: organization on whose behalf the request is sent, for a fair share
 * of memory. `tls`: certificates for this server only.
 */
type OutboundRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Headers | Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  maxBytes: number | ((status: number) => number)
  organizationId?: number
  tls?: EndpointTls | undefined
  signal?: AbortSignal
} & ReachExceptions

/** `body` is unpacked. `isCut`: the body exceeds the limit, and the connection is closed. */
export type OutboundAnswer = { status: number; headers: Headers } & BoundedBody

/** Sends requests to hosts that users configure. Nothing else in nines connects to them. */
export type Outbound = {
  fetch(url: string, request: OutboundRequest): Promise<OutboundAnswer>
  /**
   * Resolves a host (a name or an address) to at least one address, in the order to try them. All of them may be connected to
   * at this port. For protocols other than HTTP, which must connect to these addresses only. Throws as `fetch` does.
   */
  resolve(host: string, port: number, options?: { signal?: AbortSignal } & ReachExceptions): Promise<string[]>
  /**
   * True if a host that the operator configured has one of these addresses, even a forbidden one. All addresses of this machine
   * count as the same host. Throws an `unreachable` `OutboundError` for a host without addresses.
   */
  isAt(host: string, addresses: string[], signal?: AbortSignal): Promise<boolean>
}

/** Resolves a host name to all its addresses, in the order to try them. */
export type Lookup = (host: string) => Promise<string[]>

type Options = ReachOptions & { lookup?: Lookup; authorities?: Pick<Authorities, 'pem'> }

const megabyte = 1024 * 1024
/** Limits for concurrent bodies above a megabyte, counted with their maximum size: room for three source responses. */
const largeLimits = { maxBytes: 48 * megabyte, maxBytesOfOrganization: 32 * megabyte, timeoutMs: 10_000 }

/**
 * Sends requests to http and https URLs if all addresses of the host may be reached. Connects to the address that was checked,
 * so that a name server cannot return another one in between. Returns redirects instead of following them. Verifies
 * certificates against the host of the URL. Accepts and unpacks gzip only. Throws `OutboundError`, or `signal.reason` if the
 * signal is aborted.
 */
export function createOutbound({ lookup = lookupAll, authorities, ...options }: Options): Outbound {
  const assertReachable = createReach(options)
  const largeBodies = createLargeBodies(largeLimits)

  async function lookUp(host: string, signal?: AbortSignal): Promise<string[]> {
    const addresses = isIP(host) ? [host] : await abortable(lookup(host).catch(noAddress), signal)
    return addresses.length === 0 ? noAddress() : addresses
  }

  async function addressesOf(url: URL, signal?: AbortSignal, exceptions?: ReachExceptions): Promise<URL[]> {
    const host = hostOf(url)
    const addresses = await lookUp(host, signal)
    const pinned = addresses.map((address) => (address === host ? url : withAddress(url, address)))
    const isResolved = isIP(host) === 0
    for (const one of pinned) {
      assertReachable(one === url ? host : hostOf(one), portOf(url), { ...exceptions, isResolved })
    }
    return pinned
  }

  async function connect(candidates: URL[], init: BunFetchRequestInit, signal: AbortSignal): Promise<Response> {
    for (const [index, candidate] of candidates.entries()) {
      try {
        // without `decompress: false`, one packet may unpack in memory to a million times its size
        return await fetch(candidate, { ...init, redirect: 'manual', decompress: false, signal })
      } catch (error) {
        if (signal.aborted || index === candidates.length - 1 || !neverConnected(error)) throw error
      }
    }
    return noAddress()
  }

  async function read(
    response: Response,
    { maxBytes: limit, organizationId = 0 }: OutboundRequest,
    ending: Abort,
  ): Promise<BoundedBody> {
    const { ok, status, headers } = response
    const maxBytes = typeof limit === 'number' ? limit : limit(status)
    const encoding = headers.get('content-encoding')
    const small = isAnnouncedSmall(headers, maxBytes) ? await response.bytes() : null
    const smallBody = small && readSmall(small, { maxBytes, encoding })
    if (smallBody) return smallBody
    const body = small ? Readable.from([small]) : response.body // `response.body` is created when it is accessed
    if (!body || maxBytes === 0) return { body: Buffer.alloc(0), isCut: body !== null }
    const releases: (() => void)[] = []
    const onLarge = async () => {
      const revoke = (why: Error) => ending.abort(why)
      releases.push(await largeBodies.acquire(organizationId, maxBytes, ending.signal, revoke))
    }
    try {
      return await readBounded(body, { maxBytes, encoding, onLarge, ownsChunks: body === response.body })
    } catch (error) {
      // for an error response only the status matters
      if (!ok && error instanceof OutboundError && !ending.signal.aborted) return { body: Buffer.alloc(0), isCut: true }
      throw error
    } finally {
      for (const leave of releases) leave()
    }
  }

  return {
    async fetch(address, request) {
      const { method = 'GET', headers: sentHeaders, body: sent, signal, tls, allowPrivate, allowSelf } = request
      const url = readUrl(address)
      const trusted = authorities?.pem()
      const hostInit = hostOptions(url, sentHeaders, {
        ...(trusted !== undefined && { ca: trusted }),
        ...tlsOptions(tls),
      })
      const candidates = await addressesOf(url, signal, { allowPrivate, allowSelf })
      signal?.throwIfAborted()
      using ending = createAbort(signal)
      let isWhole = false
      try {
        const init = { method, ...hostInit, ...(sent !== undefined && { body: sent }) }
        const response = await connect(candidates, init, ending.signal).catch((error: unknown) => {
          throw withShownCertificate(error, tls)
        })
        const { body, isCut } = await read(response, request, ending)
        if (url.protocol === 'https:') assertCertificateTaken(response.status, body, tls)
        isWhole = !isCut
        return { status: response.status, headers: response.headers, body, isCut }
      } catch (error) {
        signal?.throwIfAborted()
        throw outboundError(ending.signal.aborted ? ending.signal.reason : error)
      } finally {
        if (!isWhole) ending.abort() // closes the connection
      }
    },
    async resolve(host, port, { signal, ...exceptions } = {}) {
      const url = readUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`)
      return (await addressesOf(url, signal, exceptions)).map(hostOf)
    },
    isAt: async (host, addresses, signal) => isSameHost(addresses, await lookUp(host, signal)),
  }
}

const smallBytes = 64 * 1024

/** True for a small body of announced length, which is read at once: a stream costs four times as much. */
function isAnnouncedSmall(headers: Headers, maxBytes: number): boolean {
  const length = headers.get('content-length')
  if (length === null || headers.has('transfer-encoding')) return false
  return Number(length) <= Math.min(smallBytes, maxBytes)
}

/**
 * Deletes the proxy variables from `process.env`. Bun's fetch uses them even for 127.0.0.1, so the proxy would get every query
 * and its credentials, and the address check would be bypassed. fetch reads them for each request and has no option to ignore
 * them. Call this once at the start.
 */
export function clearProxyEnvironment(environment: Record<string, string | undefined>) {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    delete environment[name]
    delete environment[name.toLowerCase()]
  }
}

async function lookupAll(host: string): Promise<string[]> {
  // IPv4 first: a host without working IPv6 routes would wait for the connection attempt to time out
  const addresses = await systemLookup(host, { all: true, order: 'ipv4first' })
  return addresses.map(({ address }) => address)
}

function noAddress(): never {
  throw new OutboundError('unreachable', 'host name not found')
}

async function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _ = onAbort(signal, () => reject(signal.reason))
  return await Promise.race([work, aborted])
}

/**
 * Makes the first `fetch`, to a socket that does not exist. The first one starts a thread, and without free file descriptors
 * Bun then ends the process; a later one only fails. Call this at the start.
 */
export async function startFetching(): Promise<void> {
  await fetch('http://localhost/', { unix: '/nobody/listens/here' }).catch(() => {})
}
