import type { ApiCall } from '../../src/cli/demo/api-client.ts'
import { pastMs, seedDemo } from '../../src/cli/demo/seed.ts'
import { testApp } from '../../test/support/app.ts'
import { newOrganizationUser } from '../../test/support/people.ts'

/** Demo with its server; `sloIds`: ids by name. `ask` sends a request as `ada`, and throws if it is refused. */
export type DemoAt = { url: string; sloIds: Map<string, number>; ask: ApiCall; close: () => Promise<void> }

/**
 * Opens the demo as of a fixed time, at which its clock stands still. `ada` owns the demo, `eve` an organization without SLOs; both
 * have the password `correct horse`.
 */
export async function demoAt(nowMs: number): Promise<DemoAt> {
  const receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const nines = await testApp({ env: { SOURCE_URL: 'embedded', PORT: '0' }, startMs: nowMs - pastMs })
  const { app, clock } = nines
  const begin = await newOrganizationUser(nines, 'ada')
  await newOrganizationUser(nines, 'eve')
  const askAs = (user: { token: string | null }) => async (method: string, path: string, sent?: object) => {
    const { status, text, body } = await nines.call(method, `/api/v1${path}`, sent, user)
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
    return body
  }
  const setTime = (timeMs: number) => (timeMs > clock.now() ? clock.advance : clock.jump)(timeMs - clock.now())
  const [ownUrl, receiverUrl] = ['http://127.0.0.1:8080', receiver.url.href]
  await seedDemo(app, askAs(begin), { liveMs: nowMs, ownUrl, receiverUrl, setTime })
  const login = { email: 'ada@example.com', password: 'correct horse' }
  const { access_token } = await askAs({ token: null })('POST', '/auth/login', login)
  const ask = askAs({ token: access_token })
  const { slos } = await ask('GET', '/slos?page_size=100')
  const sloIds = new Map<string, number>(slos.map(({ id, name }: { id: number; name: string }) => [name, id]))
  await app.db.write.updateTable('evaluations').set({ duration_ms: 48 }).execute() // the only duration that is measured
  for (const id of sloIds.values()) {
    const { incidents } = await ask('GET', `/slos/${id}/incidents`) // incidents have a cause once their breakdown was requested
    for (const { key } of incidents) await ask('GET', `/slos/${id}/incidents/${key}/breakdown`)
  }
  return {
    url: nines.listen(),
    sloIds,
    ask,
    async close() {
      await nines.close()
      await receiver.stop(true)
    },
  }
}
