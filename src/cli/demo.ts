import type { App } from '../app.ts'
import { readConfig } from '../config.ts'
import { probeKey } from '../embedded/collection/collection.ts'
import { frontDoor } from './demo/front-door.ts'
import { demoEmail, demoPassword, ownProbes, pastMs, seedDemo } from './demo/seed.ts'
import { createShop, shopName } from './demo/shop.ts'
import { findDemo, pointProbes } from './demo/demo-store.ts'
import { type Listening, serveWith } from './serve.ts'

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
  process.stderr.write(`
  The demo is at ${url}; what can be asked of it, at ${url}/docs
    e-mail    ${email}
    password  ${password}

`)
}
