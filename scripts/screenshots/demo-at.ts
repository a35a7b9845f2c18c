import { pastMs, seedDemo } from '../../src/cli/demo/seed.ts'
import { createShop, shopName } from '../../src/cli/demo/shop.ts'
import { type TestApp, testApp } from '../../test/support/app.ts'
import { newOrganizationUser } from '../../test/support/people.ts'

/** Demo with its server; `sloIds`: ids by name. */
export type DemoAt = { nines: TestApp; url: string; sloIds: Map<string, number>; close: () => Promise<void> }

const minuteMs = 60_000
const evaluatedMinutes = 45

/**
 * Opens the demo as of a fixed time: its clock stands still after 45 minutes in which everything was evaluated each minute.
 * `ada` owns the demo, `eve` an organization without SLOs; both have the password `correct horse`.
 */
export async function demoAt(nowMs: number): Promise<DemoAt> {
  const receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const startMs = nowMs - evaluatedMinutes * minuteMs
  const nines = await testApp({ env: { SOURCE_URL: 'embedded', PORT: '0' }, startMs })
  const { app, clock } = nines
  const ada = await newOrganizationUser(nines, 'ada')
  await newOrganizationUser(nines, 'eve')
  const ask = async (method: string, path: string, sent?: object) => {
    const { status, text, body } = await nines.call(method, `/api/v1${path}`, sent, ada)
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
    return body
  }
  const shop = createShop({ openedMs: nowMs - pastMs, liveMs: nowMs })
  app.inside.set(shopName, async () => Buffer.from(shop.expositionAt(clock.now())))
  await seedDemo({ ...app, clock: { now: () => nowMs } }, ask, { shop, ownUrl: 'http://127.0.0.1:8080' })
  const { slos } = await ask('GET', '/slos?page_size=100')
  const sloIds = new Map<string, number>(slos.map(({ id, name }: { id: number; name: string }) => [name, id]))
  const channel = { name: 'On call', channel_type: 'webhook', configuration: { webhook_url: receiver.url.href } }
  const { data } = await ask('POST', '/notifications/channels', channel)
  for (const id of sloIds.values()) {
    const rule = { slo_id: id, channel_id: data.id, alert_type: 'burn_rate_too_fast' }
    await ask('POST', '/notifications/rules', rule)
  }
  await app.backfills.run()
  for (let minute = 0; minute < evaluatedMinutes; minute += 1) {
    clock.advance(minuteMs)
    await app.evaluator.evaluateAll()
    await app.delivery.run()
  }
  await app.backfills.run()
  await app.db.write.updateTable('evaluations').set({ duration_ms: 48 }).execute() // the only duration that is measured
  for (const id of sloIds.values()) {
    const { incidents } = await ask('GET', `/slos/${id}/incidents`) // incidents have a cause once their breakdown was requested
    for (const { key } of incidents) await ask('GET', `/slos/${id}/incidents/${key}/breakdown`)
  }
  return {
    nines,
    url: nines.listen(),
    sloIds,
    async close() {
      await nines.close()
      await receiver.stop(true)
    },
  }
}
