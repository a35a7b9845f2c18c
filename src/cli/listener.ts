import type { App } from '../app.ts'
import { type Config, useSetting } from '../config.ts'
import { createAcceptGate } from '../http/connections/accept-gate.ts'
import { boundsOf, type ConnectionGuard, guardConnections } from '../http/connections/connection-guard.ts'
import { openSockets } from '../http/connections/native-sockets.ts'
import { serveRedirects } from '../http/connections/redirect.ts'
import { readTlsPair, tlsFilesOf, type TlsPair } from '../http/connections/tls-pair.ts'
import { createTlsRenewal } from '../http/connections/tls-renewal.ts'
import { clearSocketPath, setSocketMode } from '../http/connections/unix-socket.ts'
import { socketPathOf } from '../listen-settings.ts'
import { maxDescriptors } from '../metrics/process.ts'
import type { createServer } from '../server.ts'

/** Everything that takes connections: the listener of the API and the page, and that of redirects. */
export type Listening = {
  /** Address as it is in the log: `https://127.0.0.1:8443`, or `unix:///run/nines/nines.sock`. */
  address: string
  /** Takes over a certificate that has changed, and reports one that cannot be served. */
  checkCertificate(): void
  /** Stops watching connections and certificates. */
  stopGuard(): void
  /** Accepts no more connections, and waits for requests under way; those that are not done in time are cut off. */
  drain(timeoutMs: number): Promise<void>
}

const certificateIntervalMs = 10_000

/** Maximum time for a whole request with its body. The response may wait for a source in addition. */
const maxRequestSeconds = 60

type Server = ReturnType<typeof createServer>
type BunListener = NonNullable<Server['server']>

/** Listens as the settings say. Throws with the address and what is wrong, and then nothing listens. */
export async function startListening(server: Server, app: App): Promise<Listening> {
  const { config, clock, log, conditions } = app
  const files = tlsFilesOf(config)
  const pair = files && useSetting(() => readTlsPair(files))
  const socket = socketPathOf(config.host)
  if (socket !== null) await clearSocketPath(socket)
  listen(server, config, pair)
  if (socket !== null) setSocketMode(socket, config.socketMode)
  const replaced = new Set<BunListener>()
  let current = pair
  let guard = guardListener(server.server, app)
  const redirects = openRedirects(server, app)

  /** Listens again at once on the same port: Bun cannot change the certificate of a listener. */
  function serve(next: TlsPair): void {
    const former = server.server
    if (!former) return
    const port = former.port ?? config.port
    guard?.stop()
    replaced.add(former)
    void former.stop(false).then(() => replaced.delete(former)) // connections that are open go on
    try {
      listen(server, { ...config, port }, next)
      current = next
    } catch (error) {
      listen(server, { ...config, port }, current)
      throw error
    } finally {
      guard = guardListener(server.server, app)
    }
  }

  const report = (problem: string | null) => conditions.set('tls_certificate', problem)
  const renewal = files && pair && createTlsRenewal({ files, served: pair, serve, clock, log, report })
  renewal?.check()
  const timer = renewal && setInterval(() => renewal.check(), certificateIntervalMs)
  return {
    address: addressOf(server.server),
    checkCertificate: () => renewal?.check({ isAsked: true }),
    stopGuard() {
      clearInterval(timer ?? undefined)
      guard?.stop()
      redirects?.stop()
    },
    async drain(timeoutMs) {
      await Promise.all([server.server, ...replaced].map((one) => drain(one, timeoutMs, app)))
    },
  }
}

function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>, pair: TlsPair | null): void {
  const socket = socketPathOf(host)
  const options = socket === null ? { hostname: host, port } : { unix: socket, hostname: undefined, port: undefined }
  const tls = pair ? { tls: { cert: pair.cert, key: pair.key } } : {}
  const known = new Set(process.listeners('beforeExit'))
  try {
    // Elysia's defaults let a second process share the port, and show the source code of failures outside its hooks.
    server.listen({ ...options, ...tls, reusePort: false, development: false } as Parameters<Server['listen']>[0])
  } catch (cause) {
    const place = socket === null ? `${host}:${port}` : socket
    throw new Error(`cannot listen on ${place}: ${describe(cause, socket === null)}`, { cause })
  } finally {
    // Elysia adds a listener for this event each time; nines ends by itself
    for (const added of process.listeners('beforeExit')) if (!known.has(added)) process.off('beforeExit', added)
  }
}

/** Sentence about an address that cannot be listened on. Bun says ENOENT of a host name without an address. */
function describe(cause: unknown, isAddress: boolean): string {
  if (!(cause instanceof Error)) return String(cause)
  const isUnknownName = isAddress && 'code' in cause && cause.code === 'ENOENT'
  return isUnknownName ? 'HOST is a name without an address; set it to an address of this machine' : cause.message
}

/** Limits of open connections to the listener of redirects, which answers each immediately. */
const redirectBounds = { maxConnections: 64, maxPerNetwork: 16, maxLive: 0 }

function openRedirects(server: Server, app: App): { stop(): void } | undefined {
  const { host, httpRedirectPort: port, publicUrl } = app.config
  if (port === 0) return undefined
  try {
    const listener = serveRedirects({ hostname: host, port, publicUrl, securePort: Number(server.server?.port) })
    const guard = guardPort(port, redirectBounds, { ...app, acceptGate: createAcceptGate() })
    return {
      stop() {
        guard?.stop()
        void listener.stop(true)
      },
    }
  } catch (cause) {
    void server.server?.stop(true)
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`cannot listen on ${host}:${port} (HTTP_REDIRECT_PORT): ${problem}`, { cause })
  }
}

/** Bounds the connections of a port. Connections to a unix socket come from a proxy, and are not bounded. */
function guardListener(listener: BunListener | null, app: App): ConnectionGuard | undefined {
  const port = listener?.port
  return port === undefined ? undefined : guardPort(port, boundsOf(maxDescriptors() ?? Infinity), app)
}

type GuardDeps = Pick<App, 'config' | 'log' | 'acceptGate'>

function guardPort(
  port: number,
  bounds: ReturnType<typeof boundsOf>,
  { config, log, acceptGate: gate }: GuardDeps,
): ConnectionGuard | undefined {
  const max = maxDescriptors()
  const sockets = max === undefined ? undefined : openSockets(port)
  if (max === undefined || sockets === undefined) return undefined
  const maxSilentMs = (maxRequestSeconds + config.sourceTimeoutSeconds) * 1000
  return guardConnections({ ...config, sockets, gate, maxDescriptors: max, bounds, log, maxSilentMs })
}

async function drain(listener: BunListener | null, timeoutMs: number, { log }: Pick<App, 'log'>): Promise<void> {
  if (!listener) return
  const timeout = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => timeout.resolve('late'), timeoutMs)
  const outcome = await Promise.race([listener.stop(false), timeout.promise])
  clearTimeout(timer)
  if (outcome !== 'late') return
  log.warn('requests were still under way and have been cut off', { requests: listener.pendingRequests })
  void listener.stop(true) // not awaited: it waits for handlers, which wait for a source
}

function addressOf(listener: BunListener | null): string {
  return listener?.url.href.replace(/\/$/, '') ?? '(nothing)'
}
