import type { App } from '../app.ts'
import { readConfig } from '../config.ts'
import { probeKey } from '../embedded/collection/collection.ts'
import { createApiClient } from './demo/front-door.ts'
import { demoEmail, demoPassword, ownProbes, pastMs, seedDemo } from './demo/seed.ts'
import { createShop, shopName } from './demo/shop.ts'
import { type Listening, serveWith } from './serve.ts'
import type { Db } from '../db/open.ts'

/**
 * Serves with a demo. In an empty data folder, creates an organization with SLOs over a sample service and over nines itself;
 * in one that holds a demo, continues it; in any other, changes nothing.
 */
export async function demo(): Promise<never> {
  const config = readConfig(process.env, { isTerminal: process.stderr.isTTY })
  return serveWith({ ...config, sourceUrl: 'embedded' }, openDemo)
}

async function openDemo(app: App, { url, handle }: Listening): Promise<void> {
  const { log, clock, config } = app
  const enter = createApiClient(handle, null)
  const account = () => ({ email: demoEmail, password: demoPassword(config.dataDir) })
  let existing = await findDemo(app.db.read, demoEmail)
  if (existing === 'nothing') {
    await enter('POST', '/auth/register', {
      ...account(),
      name: 'Demo',
      organization_name: 'Demo',
      setup_token: app.setupToken.secret(),
    })
    existing = await findDemo(app.db.read, demoEmail)
  }
  if (existing === 'others' || existing === 'nothing') {
    log.info('the data folder has organizations of its own: no demo is added', { data_dir: config.dataDir })
    return
  }
  const liveMs = existing.createdAtMs // the same at each start, so that counters never decrease
  for (const probe of ownProbes(url)) app.listener.ownProbes.add(probeKey({ ...existing, ...probe }))
  const shop = createShop({ openedMs: liveMs - pastMs, liveMs })
  app.inside.set(shopName, async () => Buffer.from(shop.expositionAt(clock.now())))
  if (existing.isSeeded) {
    await pointProbes(app.db.write, existing.organizationId, ownProbes(url)) // nines may listen at another address than before
    await app.collector.reload(existing.organizationId)
  } else {
    log.info('seeding the demo: 35 days of a sample service')
    const beganMs = clock.now()
    const { access_token } = await enter('POST', '/auth/login', account())
    await seedDemo(app, createApiClient(handle, String(access_token)), { shop, ownUrl: url })
    log.info('the demo is seeded', { seconds: (clock.now() - beganMs) / 1000 })
  }
  const { email, password } = account()
  const link = signInLink(app, url, app.demo.start(existing.userId))
  process.stderr.write(`
  The demo is at ${url}; what can be asked of it, at ${url}/docs
    e-mail    ${email}
    password  ${password}
${link}
`)
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

/** Content of a data folder: nothing yet, a demo (`isSeeded`: completely seeded), or other organizations. */
type ExistingData =
  'nothing' | 'others' | { userId: number; organizationId: number; createdAtMs: number; isSeeded: boolean }

/** Finds the demo: a data folder holds one if its first account has this e-mail. */
async function findDemo(db: Db, email: string): Promise<ExistingData> {
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
