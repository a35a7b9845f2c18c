import type { App } from '../app.ts'
import { ConfigError, readConfig } from '../config.ts'
import { probeKey } from '../embedded/collection/collection.ts'
import { socketPathOf } from '../listen-settings.ts'
import { listChannels } from '../notifications/channel-store.ts'
import { openConfiguration } from '../notifications/configurations.ts'
import { createDemo } from './demo/new-demo.ts'
import { demoEmail, demoPassword, ownProbes, pastMs } from './demo/seed.ts'
import { createShop, shopName } from './demo/shop.ts'
import { type Listening, serveWith } from './serve.ts'
import type { Settings } from './settings/settings.ts'
import { isStopRequested } from './stop-signal.ts'
import type { Db } from '../db/open.ts'

/**
 * Serves with a demo. In a data folder without accounts, makes an organization with SLOs over a sample service and over nines
 * itself; in one that holds a demo, continues it; in any other, changes nothing.
 */
export async function demo(settings: Settings): Promise<never> {
  const config = readConfig(settings.env, { isTerminal: process.stderr.isTTY })
  if (socketPathOf(config.host) !== null)
    throw new ConfigError('HOST: the demo must have an address, and no unix socket')
  const embedded = { ...config, sourceUrl: 'embedded', tlsCert: null, tlsKey: null, httpRedirectPort: 0 } // the demo probes itself
  const receiver = openReceiver()
  process.umask(0o077) // for the files created here
  await createDemo(embedded, { receiverUrl: receiver, isStopping: isStopRequested })
  return serveWith(embedded, (app, listening) => openDemo(app, listening, receiver), settings)
}

async function openDemo(app: App, { url }: Listening, receiverUrl: string): Promise<void> {
  const { log, clock, config } = app
  const existing = await findDemo(app.db.read, demoEmail)
  if (!existing) {
    log.info('the data folder has organizations of its own: no demo is added', { data_dir: config.dataDir })
    return
  }
  const { userId, organizationId, openedMs } = existing
  for (const probe of ownProbes(url)) app.listener.ownProbes.add(probeKey({ organizationId, ...probe }))
  const shop = createShop({ openedMs, liveMs: openedMs + pastMs })
  app.internalTargets.set(shopName, async () => Buffer.from(shop.expositionAt(clock.now())))
  await pointProbes(app.db.write, organizationId, ownProbes(url)) // nines may listen at another address than before
  await app.collector.reload(organizationId)
  await pointReceiver(app, organizationId, receiverUrl)
  await readIncidents(app, organizationId)
  const link = signInLink(app, url, app.demo.start(userId))
  process.stderr.write(`
  The demo is at ${url}; what can be asked of it, at ${url}/docs
    e-mail    ${demoEmail}
    password  ${await passwordText(app, existing.passwordHash)}
${link}
`)
}

/** Fills the cache of the incidents that used the demo's budgets, so that the first request for them is fast. */
export async function readIncidents(
  { db, budgetIncidents, isClosing }: Pick<App, 'db' | 'budgetIncidents' | 'isClosing'>,
  organizationId: number,
) {
  const slos = db.read.selectFrom('slos').select('id').where('organization_id', '=', organizationId)
  for (const { id } of await slos.where('active', '=', 1).execute()) {
    if (!isClosing()) await budgetIncidents(organizationId, id)
  }
}

/**
 * Text with the link that signs in once. Its token is in the fragment, which a browser does not send. Empty if the link would
 * not lead to this machine, or not to the page.
 */
export function signInLink({ publicUrl }: Pick<App, 'publicUrl'>, listeningUrl: string, token: string): string {
  const url = new URL(listeningUrl)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  const isLoopback = /^(?:127\..*|\[::1\]|localhost)$/.test(url.hostname)
  if (!isLoopback || new URL(publicUrl()).pathname !== '/') return ''
  return `
  Sign in on this machine with one click, within ten minutes:
    ${url.origin}/demo-login#${token}
`
}

/** The demo's password, as its start prints it; a phrase in its place once the account has another one. */
export async function passwordText({ passwords, config }: Pick<App, 'passwords' | 'config'>, hash: string | null) {
  const password = demoPassword(config.dataDir)
  return (await passwords.matches(password, hash)) ? password : 'the one that you have set'
}

type ExistingDemo = { userId: number; organizationId: number; openedMs: number; passwordHash: string }

/** Finds the demo: a data folder holds one if its first account has this e-mail. `openedMs`: begin of its past. */
async function findDemo(db: Db, email: string): Promise<ExistingDemo | undefined> {
  const first = await db
    .selectFrom('users')
    .select(['id', 'email', 'organization_id', 'created_at', 'password_hash'])
    .orderBy('id')
    .executeTakeFirst()
  if (first?.email !== email) return undefined
  const { id, organization_id, created_at, password_hash } = first
  return { userId: id, organizationId: organization_id, openedMs: created_at, passwordHash: password_hash }
}

/** Changes the targets of the demo's probes, by their names. */
async function pointProbes(
  db: Db,
  organizationId: number,
  probes: readonly { name: string; target: string }[],
): Promise<void> {
  for (const { name, target } of probes) {
    await db
      .updateTable('probes')
      .set({ target })
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .execute()
  }
}

const receiverPath = '/inbox-of-the-demo'

/** Opens the receiver of the demo's messages on this machine, which accepts each and keeps none. Returns its URL. */
function openReceiver(): string {
  const accept = async (request: Request) => {
    await request.arrayBuffer()
    return new Response('accepted')
  }
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: accept, development: false })
  server.unref() // must not keep the process alive if the start fails
  return `http://127.0.0.1:${server.port}${receiverPath}`
}

/** Changes channels to the receiver of an earlier start so that they lead to the one of this start. */
async function pointReceiver({ db, seal }: App, organizationId: number, receiverUrl: string): Promise<void> {
  for (const channel of await listChannels(db.read, organizationId)) {
    const { configuration } = openConfiguration(seal, channel)
    const { hostname, pathname } = URL.parse(String(configuration['webhook_url'])) ?? {}
    if (hostname !== '127.0.0.1' || pathname !== receiverPath) continue
    const text = JSON.stringify({ ...configuration, webhook_url: receiverUrl })
    await db.write
      .updateTable('channels')
      .set({ sealed_configuration: seal.seal(text, 'channels.sealed_configuration', channel) })
      .where('id', '=', channel.id)
      .execute()
  }
}
