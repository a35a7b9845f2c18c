import { Elysia } from 'elysia'
import { AppError } from '../errors.ts'
import { queryValues } from '../http/checks/query.ts'
import type { Metrics } from '../metrics.ts'
import { type Hub, maxConnections } from './hub.ts'
import { reference } from './messages.ts'
import type { LiveTokens, TokenWatch } from './token-watch.ts'
import type { Client, Transport } from './topics.ts'

/** Close code, defined by nines, for a connection whose token is no longer valid. */
const signedOutCode = 4401

/**
 * WebSocket settings for the server with the route. It closes a connection that sends a message over 64 KiB (1009), leaves 1
 * MiB unread (without a code), or does not answer the pings.
 */
export const socketSettings = {
  idleTimeout: 60,
  sendPings: true,
  maxPayloadLength: 64 * 1024,
  backpressureLimit: 1 << 20,
  closeOnBackpressureLimit: true,
}

type Deps = {
  hub: Hub
  tokenWatch: TokenWatch
  tokens: LiveTokens
  metrics: Pick<Metrics, 'socketOpened' | 'socketClosed'>
  isClosing: () => boolean
  /** Origins whose pages may connect, in addition to the host itself; `*`: any. */
  origins: () => string[]
  /** Maximum of connections of all users together. */
  maxLive: number
}

const protocol = 'nines.v1'

/**
 * WebSocket route: a GET that is upgraded. The token is read from the `Authorization` header; without it from `bearer.<token>`
 * next to `nines.v1` in `Sec-WebSocket-Protocol`; without both from `?token=`.
 */
export const socketRoute = ({ hub, tokenWatch, tokens, metrics, isClosing, origins, maxLive }: Deps) => {
  const clientFactory = createClientFactory()
  return new Elysia({ tags: ['Live'] }).get(
    '/ws/subscribe',
    async ({ request, server, set }) => {
      const authorization = authorizationIn(request)
      const { identity } = await tokens.authenticate(authorization)
      if (!server || request.method !== 'GET' || request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
        throw upgradeRequired()
      }
      assertOrigin(request, origins())
      if (isClosing()) throw new AppError('unavailable', 'nines is shutting down')
      if (hub.connections() >= maxLive) throw tooManyOfAllUsers()
      const slot = hub.join(identity) // no await from here on: the slot must be counted before the next request
      if (!slot) throw tooManyOfUser()
      const stopWatching = tokenWatch.watch(authorization ?? '', identity, (reason) =>
        slot.close(signedOutCode, reason),
      )
      const leave = () => {
        stopWatching()
        slot.leave()
      }
      const data = {
        open(socket: TopicSocket) {
          metrics.socketOpened()
          slot.open(clientFactory.clientOf(socket, server))
        },
        message: (_: unknown, message: string | Uint8Array) => slot.receive(message),
        ping: slot.count,
        pong: slot.count,
        close() {
          metrics.socketClosed()
          leave()
        },
      }
      const headers = new Headers(Object.entries(set.headers).map(([name, value]) => [name, String(value)]))
      if (protocolsOf(request).includes(protocol)) headers.set('sec-websocket-protocol', protocol)
      if (!server.upgrade(request, { data, headers })) {
        leave()
        throw upgradeRequired()
      }
      set.status = 101
    },
    { detail: reference },
  )
}

function authorizationIn(request: Request): string | null {
  const header = request.headers.get('authorization')
  if (header !== null) return header
  const protocols = protocolsOf(request)
  const offeredToken = protocols.includes(protocol)
    ? protocols.find((one) => one.startsWith('bearer.'))?.slice(7)
    : undefined
  const token = offeredToken ?? queryValues(request.url, 'token')[0]
  return token === undefined ? null : `Bearer ${token}`
}

function protocolsOf(request: Request): string[] {
  return (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((one) => one.trim())
}

/** Throws `forbidden` for foreign pages: browsers let any page connect, and send its origin. Other clients need none. */
function assertOrigin({ headers }: Request, origins: string[]): void {
  const origin = headers.get('origin')
  if (origin === null || origins.includes('*') || origins.includes(origin)) return
  if (URL.parse(origin)?.host === headers.get('host')?.toLowerCase()) return
  throw new AppError('forbidden', 'Origin not allowed', {
    details: 'Origin: must be that of PUBLIC_URL, of this host, or one of CORS_ORIGINS',
  })
}

function upgradeRequired(): AppError {
  return new AppError('upgrade_required', 'Upgrade required', {
    details: 'must be a WebSocket handshake',
    headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
  })
}

function tooManyOfAllUsers(): AppError {
  return new AppError('unavailable', 'nines has as many live connections as it can', {
    headers: { 'Retry-After': '10' },
  })
}

function tooManyOfUser(): AppError {
  const message = `At most ${maxConnections} connections at once for one user; close one first`
  return new AppError('rate_limited', 'Too many connections', {
    body: { limit: maxConnections, window: 'at once', message },
    headers: { 'Retry-After': '10' },
  })
}

/** Socket of a transport. Messages sent inside `cork` leave in one write. */
type Socket = { send(text: string): void; close(code: number, reason: string): void; cork(send: () => void): void }
/** Socket with topics. Messages published to topics leave in one write as well, before messages that are then sent directly. */
type TopicSocket = Socket & { readyState: number; subscribe(topic: string): void; unsubscribe(topic: string): void }

/** Creates a client that sends the messages of one task, such as many evaluations, in few writes when it ends. */
export function createBatchingClient(socket: Socket, pendingFlushes: Set<() => void> = new Set()): Client {
  let waiting: string[] = []

  function flush(): void {
    const texts = waiting
    waiting = []
    pendingFlushes.delete(flush)
    if (texts.length === 0) return
    socket.cork(() => {
      for (const text of texts) socket.send(text)
    })
  }

  return {
    send(text) {
      if (waiting.push(text) > 1) return
      pendingFlushes.add(flush)
      queueMicrotask(flush)
    },
    close(code, reason) {
      flush()
      socket.close(code, reason)
    },
  }
}

/** Creates clients of a server; a group is a topic of the server. Messages sent to a client before a publication arrive before it. */
function createClientFactory() {
  const pendingFlushes = new Set<() => void>()
  const transports = new WeakMap<object, Transport>()

  function transportOf(server: { publish(topic: string, text: string): void }): Transport {
    const existing = transports.get(server)
    if (existing) return existing
    const transport: Transport = {
      publish(group, text) {
        for (const flush of pendingFlushes) flush()
        server.publish(group, text)
      },
    }
    transports.set(server, transport)
    return transport
  }

  return {
    clientOf(socket: TopicSocket, server: { publish(topic: string, text: string): void }): Client {
      const isOpen = () => socket.readyState === WebSocket.OPEN
      return {
        ...createBatchingClient(socket, pendingFlushes),
        transport: transportOf(server),
        follow: (group) => isOpen() && socket.subscribe(group),
        unfollow: (group) => isOpen() && socket.unsubscribe(group),
      }
    },
  }
}
