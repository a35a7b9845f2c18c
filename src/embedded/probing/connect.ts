import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import { type EndpointTls, tlsOptions } from '../../http/endpoint-tls.ts'
import { withShownCertificate } from '../../http/outbound/client-certificate.ts'
import { neverConnected, OutboundError, outboundError } from '../../http/outbound/error.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import { type Certificates, certificatesOf } from './certificates.ts'
import { AppError } from '../../errors.ts'

/**
 * Dependencies of a running probe. `clock`: measures durations. `signal` ends it and closes its connections. `allowSelf`: it may
 * connect to nines itself; `allowPrivate`: into a private network.
 */
export type ProbeDeps = {
  outbound: Pick<Outbound, 'resolve'>
  clock: Clock
  signal: AbortSignal
  allowSelf?: boolean
  allowPrivate?: boolean
}

/** Progress of a connection; null or 0: not reached. */
export type Progress = {
  resolveSeconds: number
  connectSeconds: number
  tlsSeconds: number
  address: string | null
  certificates: Certificates | null
}

export const noProgress: Progress = {
  resolveSeconds: 0,
  connectSeconds: 0,
  tlsSeconds: 0,
  address: null,
  certificates: null,
}

/** `certificates`: authorities to trust and client certificate to show; undefined: the default authorities, and no client certificate. */
export type Peer = {
  host: string
  port: number
  tls: { verify: boolean; certificates?: EndpointTls | undefined } | null
}

const maxAddresses = 3

/**
 * Connects to an address of the peer that outbound rules allow. Fills `progress`, also if it throws. No request is sent to a server
 * whose certificate is not valid, unless `verify` is false.
 */
export async function connect(peer: Peer, deps: ProbeDeps, progress: Progress): Promise<Socket> {
  const { outbound, clock, signal, allowSelf = false, allowPrivate = false } = deps
  const beganMs = clock.now()
  const addresses = await outbound.resolve(peer.host, peer.port, { signal, allowSelf, allowPrivate }).finally(() => {
    progress.resolveSeconds = secondsSince(beganMs, clock)
  })
  const tried = addresses.slice(0, maxAddresses)
  for (const [index, address] of tried.entries()) {
    progress.address = address
    try {
      return await connectTo(address, peer, deps, progress)
    } catch (error) {
      if (index === tried.length - 1 || !neverConnected(error)) throw error
    }
  }
  throw new OutboundError('unreachable', 'host name not found')
}

async function connectTo(host: string, peer: Peer, { clock, signal }: ProbeDeps, progress: Progress): Promise<Socket> {
  signal.throwIfAborted()
  const beganMs = clock.now()
  const { port } = peer
  const name = isIP(peer.host) === 0 ? { servername: peer.host.replace(/\.$/, '') } : {}
  // with `rejectUnauthorized: false`, the certificates of a refused server can be reported; `authorized` is checked below
  const socket = peer.tls
    ? connectTls({
        host,
        port,
        ...name,
        ...tlsOptions(peer.tls.certificates),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      })
    : connectPlain({ host, port })
  closeWith(signal, socket)
  try {
    await waitForEvent(socket, 'connect')
    const connectedMs = clock.now()
    progress.connectSeconds = secondsSince(beganMs, clock)
    if (!(socket instanceof TLSSocket)) return socket
    await waitForEvent(socket, 'secureConnect').catch((error: unknown) => {
      throw withShownCertificate(error, peer.tls?.certificates)
    })
    progress.tlsSeconds = secondsSince(connectedMs, clock)
    progress.certificates = certificatesOf(socket)
    if (peer.tls?.verify && !socket.authorized) throw refusal(socket)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Waits until a server has read the certificate that nines showed, for at most `maxMs`: with TLS 1.3 it does so after the handshake,
 * and then sends a ticket or an alert, or closes the connection. Throws if it refused.
 */
export async function assertAccepted(socket: Socket, certificates: EndpointTls, maxMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const lost = () => reject(new OutboundError('lost', 'connection lost'))
  if (socket.destroyed) lost()
  const timer = setTimeout(resolve, maxMs)
  for (const event of ['session', 'data']) socket.once(event, () => resolve())
  socket.once('error', reject).once('end', lost).once('close', lost)
  try {
    await promise
  } catch (error) {
    throw withShownCertificate(error, certificates)
  } finally {
    clearTimeout(timer)
  }
}

/** Seconds since `beganMs`, to the microsecond. */
export function secondsSince(beganMs: number, clock: Clock): number {
  return Math.round((clock.now() - beganMs) * 1000) / 1e6
}

function closeWith(signal: AbortSignal, socket: Socket) {
  const close = () => void socket.destroy()
  signal.addEventListener('abort', close, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', close))
  socket.on('error', () => {}) // an error without a listener would end the process; callers get it as well
}

async function waitForEvent(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const lost = () => reject(new OutboundError('lost', 'connection lost'))
  socket.once(event, resolve).once('error', reject).once('close', lost)
  try {
    await promise
  } finally {
    socket.off(event, resolve).off('error', reject).off('close', lost)
  }
}

/** Error for a certificate that is not trusted. `authorizationError` may be only a code, although Node's type is `Error`. */
function refusal({ authorizationError }: TLSSocket): OutboundError {
  const reason: unknown = authorizationError
  return outboundError(typeof reason === 'string' ? Object.assign(new Error(), { code: reason }) : reason)
}

/** Failed expectation of a probe. The message is for people. */
export class ProbeFailure extends Error {
  override name = 'ProbeFailure'
}

/** Message for an error that ended a probe. Rethrows unexpected errors, and `unavailable`: nines lacks what a run needs. */
export function probeErrorMessage(error: unknown): string {
  if (error instanceof ProbeFailure || error instanceof OutboundError) return error.message
  if (error instanceof AppError && error.kind !== 'unavailable') return error.details ?? error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '') throw error
  return sentences.find(([known]) => known.test(code))?.[1] ?? outboundError(error).message
}

const sentences: [RegExp, string][] = [
  [/^HPE_HEADER_OVERFLOW$/, 'the answer has too large headers'],
  [/^HPE_/, 'the answer is not HTTP'],
  [/^(Z|ERR_BROTLI)_/, 'the body is not compressed as it claims'],
  [/^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|UNESCAPED_CHARACTERS)$/, 'the request has a header that HTTP does not allow'],
]

/** Parses `host:port`, `[IPv6]:port` and, with `defaultPort`, also a host or address alone; null for anything else. */
export function readHostPort(text: string, defaultPort?: number): { host: string; port: number } | null {
  if (defaultPort !== undefined && isIP(text) === 6) return { host: text, port: defaultPort }
  const [, address, name = address, digits] = hostPortPattern.exec(text) ?? []
  const port = Number(digits ?? defaultPort ?? 0)
  if (name === undefined || port < 1 || port > 65_535) return null
  return address === undefined || isIP(address) === 6 ? { host: name, port } : null
}

const hostPortPattern = /^(?:\[(.+)\]|([^\s:/\\?#@[\]]+))(?::(\d{1,5}))?$/
