import type { App } from '../app.ts'
import { readConfig } from '../config.ts'
import { probeKey } from '../embedded/collection/collection.ts'
import { frontDoor } from './demo/front-door.ts'
import { demoEmail, demoPassword, ownProbes, pastMs, seedDemo } from './demo/seed.ts'
import { createShop, shopName } from './demo/shop.ts'
import { type Listening, serveWith } from './serve.ts'
import type { Db } from '../db/open.ts'

/**
 * Serves with a demo: in an empty data folder an organization with SLOs over a sample service and over nines itself; in one
 * that holds a demo it goes on with that, and in any other changes nothing.
 */
export async function demo(): Promise<never> {
  const config = readConfig(process.env, { isTerminal: process.stderr.isTTY })
  return serveWith({ ...config, sourceUrl: 'embedded' }, openDemo)
}

async function openDemo(app: App, { url, handle }: Listening): Promise<void> {
  const { log, clock, config } = app
  const enter = frontDoor(handle, null)
  const account = () => ({ email: demoEmail, password: demoPassword(config.dataDir) })
  let found = await findDemo(app.db.read, demoEmail)
  if (found === 'nothing') {
    await enter('POST', '/auth/register', {
      ...account(),
      name: 'Demo',
      organization_name: 'Demo',
      setup_token: app.setupToken.secret(),
    })
    found = await findDemo(app.db.read, demoEmail)
  }
  if (found === 'others' || found === 'nothing') {
    log.info('the data folder has organizations of its own: no demo is added', { data_dir: config.dataDir })
    return
  }
  const liveMs = found.createdAtMs // the same at each start, or its counters would go back
  for (const probe of ownProbes(url)) app.listener.ownProbes.add(probeKey({ ...found, ...probe }))
  const shop = createShop({ openedMs: liveMs - pastMs, liveMs })
  app.inside.set(shopName, async () => Buffer.from(shop.expositionAt(clock.now())))
  if (found.isSeeded) {
    await pointProbes(app.db.write, found.organizationId, ownProbes(url)) // it may listen elsewhere than before
    await app.collector.reload(found.organizationId)
  } else {
    log.info('seeding the demo: 35 days of a sample service')
    const beganMs = clock.now()
    const { access_token } = await enter('POST', '/auth/login', account())
    await seedDemo(app, frontDoor(handle, String(access_token)), { shop, ownUrl: url })
    log.info('the demo is seeded', { seconds: (clock.now() - beganMs) / 1000 })
  }
  const { email, password } = account()
  const link = signInLink(app, url, app.demo.start(found.userId))
  process.stderr.write(`
  The demo is at ${url}; what can be asked of it, at ${url}/docs
    e-mail    ${email}
    password  ${password}
${link}
`)
}

/**
 * The line with the link that signs in once. Its token is in the fragment, which a browser sends nowhere. Empty where the link
 * would not lead to this machine, or not to the page.
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

/** What a data folder holds: nothing yet, a demo (`isSeeded`: to the end), or something of its own. */
type Found = 'nothing' | 'others' | { userId: number; organizationId: number; createdAtMs: number; isSeeded: boolean }

/** Looks for the demo, which is what an account with this e-mail has been made for before any other. */
async function findDemo(db: Db, email: string): Promise<Found> {
  const first = await db
    .selectFrom('users')
    .select(['id', 'email', 'organization_id', 'created_at'])
    .orderBy('id')
    .executeTakeFirst()
  if (!first) return 'nothing'
  if (first.email !== email) return 'others'
  const target = await db
    .selectFrom('scrape_targets')
    .select('id')
    .where('organization_id', '=', first.organization_id)
    .where('url', '=', `nines:${shopName}`)
    .executeTakeFirst()
  return {
    userId: first.id,
    organizationId: first.organization_id,
    createdAtMs: first.created_at,
    isSeeded: target !== undefined,
  }
}

/** Lets probes of the demo try something else than before, each by its name. */
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
