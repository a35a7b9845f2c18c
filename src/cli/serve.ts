import { collectGarbageAsItGrows } from '../concurrency/memory.ts'
import { version } from '../../package.json' with { type: 'json' }
import { type App, openApp } from '../app.ts'
import { setAllEmailsConfirmed } from '../auth/accounts/mailed-token-store.ts'
import { hasUser } from '../auth/accounts/store.ts'
import { systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { prepareDataDir } from '../db/data-folder/data-dir.ts'
import { lockDataDir } from '../db/data-folder/lock.ts'
import { renewSamples, setAside } from '../db/data-folder/lost-database.ts'
import { clearProxyEnvironment, startFetching } from '../http/outbound/outbound.ts'
import { startTimetable } from '../jobs/timetable.ts'
import { socketPathOf } from '../listen-settings.ts'
import { createServer } from '../server.ts'
import { reportAtSignal } from './diagnostics.ts'
import { startListening } from './listener.ts'
import { reloadAtSignal } from './settings/reload.ts'
import { isStopRequested, stopSignal } from './stop-signal.ts'
import type { Settings } from './settings/settings.ts'
import { UsageError } from './usage-error.ts'

/** Ways to send requests to nines: over the network (`url`), or inside the process (`handle`). */
export type Listening = { url: string; handle: (request: Request) => Promise<Response> }

/**
 * Serves until `stopSignal`, which may have come before, then finishes work under way and exits with code 0. `--new`: starts
 * again in a data folder that has lost its database. `--new-samples`: continues in one that has lost its `samples.db`.
 */
export async function serve(args: string[], settings: Settings): Promise<never> {
  const unknown = args.filter((arg) => !setAsideByArgument.has(arg))
  if (unknown.length > 0) throw new UsageError(`unknown argument "${unknown.join(' ')}"`)
  const config = readConfig(settings.env, { isTerminal: process.stderr.isTTY })
  for (const move of args.flatMap((arg) => setAsideByArgument.get(arg) ?? [])) startOver(config, move)
  return serveWith(config, undefined, settings)
}

/** Moves the remains of a lost database to another folder; returns its path if there were any. */
type SetAside = (dataDir: string, nowMs: number) => string | undefined

const setAsideByArgument = new Map<string, SetAside>([
  ['--new', setAside],
  ['--new-samples', renewSamples],
])

function startOver({ dataDir: path }: Config, move: SetAside): void {
  process.umask(0o077) // for the files created here
  const dataDir = prepareDataDir(path)
  const lock = lockDataDir(dataDir)
  try {
    const aside = move(dataDir, systemClock.now())
    if (aside !== undefined) process.stderr.write(`nines: what was left in ${dataDir} is in ${aside}\n`)
  } finally {
    lock.release()
  }
}

/**
 * Like `serve`. `alongside` starts once nines is listening, and should end soon after the app begins to close. `settings`: where
 * the config is from, to reload it at SIGHUP.
 */
export async function serveWith(
  config: Config,
  alongside: (app: App, listening: Listening) => Promise<void> = async () => {},
  settings?: Settings,
): Promise<never> {
  clearProxyEnvironment(process.env)
  await startFetching()
  if (isStopRequested()) process.exit(0) // nothing is open yet
  process.umask(0o077) // only the owner may read the database, no matter who created the data folder
  const app = openApp(config, settings && { settingOriginOf: settings.originOf })
  const { log } = app
  reportAtSignal(app)
  try {
    if (!app.mailer.isSetUp) await setAllEmailsConfirmed(app.db.write, app.clock.now())
    const server = createServer(app)
    const listening = await startListening(server, app)
    log.info(`nines ${version} is listening on ${listening.address}`, { data_dir: config.dataDir })
    if (socketPathOf(config.host) !== null && config.publicUrl === null) {
      log.warn('links lead to http://localhost: set PUBLIC_URL to the address of the proxy')
    }
    if (settings) reloadAtSignal(app, settings, listening.checkCertificate)
    const timetable = startTimetable(app)
    app.metrics.watchEventLoop()
    collectGarbageAsItGrows()
    void app.markCommits()
    void app.warmup.warmHottest()
    void app.disk.checkStart()
    void app.integrity.check()
    if (!config.sourceUrl) {
      log.info('new organizations get no metrics source: set SOURCE_URL to the base URL of a Prometheus')
    }
    const started = alongside(app, { url: listening.address, handle: async (request) => server.handle(request) })
    const startLogged = started
      .then(() => logSetupToken(app))
      .catch((error: unknown) => {
        if (!app.isClosing()) log.error('the start is not complete', { error })
      })
    const signal = await stopSignal
    log.info('stopping', { signal, within_seconds: config.shutdownTimeoutSeconds })
    app.startClosing() // /ready reports that nines is stopping while requests are still served
    if (config.shutdownGraceSeconds > 0) await Bun.sleep(config.shutdownGraceSeconds * 1000)
    timetable.stop()
    listening.stopGuard()
    app.hub.closeAll(1001, 'Shutting down')
    await listening.drain(config.shutdownTimeoutSeconds * 1000)
    await startLogged
  } finally {
    await app.close()
  }
  log.info('stopped')
  process.exit(0) // otherwise pending work of a request that was cut off would keep the process alive
}

/** Logs how to create the first account, as long as there is none. */
async function logSetupToken({ db, log, publicUrl, setupToken, isClosing }: App): Promise<void> {
  if (isClosing()) return
  if (await hasUser(db.read)) return setupToken.remove()
  if (isClosing()) return
  const secret = setupToken.secret()
  log.info(
    'no account yet: the page at this URL, or POST /api/v1/auth/register, makes the first one, from this machine as it is, from another with this setup_token',
    { url: `${publicUrl()}/register#setup_token=${secret}`, setup_token: secret },
  )
}
