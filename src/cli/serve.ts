import { version } from '../../package.json' with { type: 'json' }
import { type App, openApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { clearProxyEnvironment } from '../http/outbound.ts'
import { startTimetable } from '../jobs/timetable.ts'
import { createServer } from '../server.ts'

/** Serves until SIGTERM or SIGINT, then finishes what is under way. A second signal ends it at once, with code 1. */
export async function serve(): Promise<number> {
  const config = readConfig(process.env, { isTerminal: process.stderr.isTTY })
  clearProxyEnvironment(process.env)
  process.umask(0o077) // the database too is for its owner only, whoever made the data folder
  const app = openApp(config)
  const { log } = app
  try {
    const stopping = nextSignal()
    const server = createServer(app)
    listen(server, config)
    const timetable = startTimetable(app)
    log.info(`nines ${version} is listening on ${addressOf(server.server)}`, { data_dir: config.dataDir })
    if (!config.sourceUrl) {
      log.info('new organizations get no metrics source: set SOURCE_URL to the base URL of a Prometheus')
    }
    const signal = await stopping
    void nextSignal().then(() => process.exit(1))
    log.info('stopping', { signal, within_seconds: config.shutdownTimeoutSeconds })
    app.startClosing()
    timetable.stop()
    await drain(server.server, config.shutdownTimeoutSeconds * 1000, app)
  } finally {
    await app.close()
  }
  log.info('stopped')
  return 0
}

function listen(server: ReturnType<typeof createServer>, { host, port }: Config): void {
  try {
    server.listen({ hostname: host, port, reusePort: false }) // Elysia lets a second process share the port
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`cannot listen on ${host}:${port}: ${problem}`, { cause })
  }
}

type Listener = { stop(force?: boolean): Promise<void>; pendingRequests: number; url: URL }

async function drain(listener: Listener | null, timeoutMs: number, { log }: App): Promise<void> {
  if (!listener) return
  const timeout = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => timeout.resolve('late'), timeoutMs)
  const outcome = await Promise.race([listener.stop(false), timeout.promise])
  clearTimeout(timer)
  if (outcome !== 'late') return
  log.warn('requests were still under way and have been cut off', { requests: listener.pendingRequests })
  await listener.stop(true)
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}

function addressOf(listener: Listener | null): string {
  return listener?.url.href.replace(/\/$/, '') ?? '(nothing)'
}
