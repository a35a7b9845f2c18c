import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pastMs, seedDemo } from '../../../src/cli/demo/seed.ts'
import { measureLedger } from '../../../src/ledger/measure/measure-ledger.ts'
import { listBuckets } from '../../../src/ledger/ledger-store.ts'
import { findDefaultSource, openOrFailing } from '../../../src/sources/store.ts'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'
import { newOrganizationUser, type Person } from '../../support/people.ts'

const liveMs = testStartMs
const received: { subject: string; idempotency_key: string }[] = []
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    received.push(JSON.parse(await request.text()))
    return new Response()
  },
})
let nines: TestApp
let ada: Person
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, startMs: liveMs - pastMs })
  ada = await newOrganizationUser(nines, 'ada')
  const ask = async (method: string, path: string, sent?: object) => {
    const { status, text, body } = await nines.call(method, `/api/v1${path}`, sent, ada)
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
    return body
  }
  const setTime = (timeMs: number) => {
    const byMs = timeMs - nines.clock.now()
    if (byMs > 0) nines.clock.advance(byMs)
    else nines.clock.jump(byMs)
  }
  const addresses = { ownUrl: 'http://127.0.0.1:8080', receiverUrl: receiver.url.href }
  await seedDemo(nines.app, ask, { liveMs, ...addresses, setTime })
  const { body } = await nines.call('POST', '/api/v1/auth/login', { email: ada.email, password: 'correct horse' })
  ada = { ...ada, token: body.access_token }
}, 120_000)
afterAll(async () => {
  await nines.close()
  await receiver.stop(true)
})

describe('the demo, when it has been made', () => {
  test('has figures and 30 days of each SLO, and none is unknown or measuring', async () => {
    const { body } = await nines.call('GET', '/api/v1/slos/overview', undefined, ada)
    expect(body.slos).toHaveLength(7)
    for (const slo of body.slos) {
      expect([slo.name, slo.status, slo.state, slo.status_message]).not.toContain('unknown')
      expect([slo.sli, slo.window_percent_used, slo.burn_rate_now, ...slo.days]).not.toContain(null)
      expect(slo.days).toHaveLength(30)
    }
  })

  test('has past incidents, and one that is open: the checkout that fails now', async () => {
    const { body } = await nines.call('GET', '/api/v1/slos/overview', undefined, ada)
    const states = body.slos.filter(({ state }: { state: string }) => state === 'burning_fast')
    expect(states.map(({ name }: { name: string }) => name)).toEqual(['Checkout answers'])
    const incidents = await nines.app.db.read.selectFrom('incidents').selectAll().execute()
    const open = incidents.filter(({ closed_at }) => closed_at === null)
    expect(open).toMatchObject([{ slo_id: states[0].id, severity: 'critical', state: 'burning_fast' }])
    expect(incidents.length).toBeGreaterThan(8)
    for (const { began_at, opened_at, recovered_at, closed_at } of incidents) {
      if (closed_at === null) continue
      expect([began_at, opened_at, recovered_at ?? 0, closed_at]).toEqual(
        [began_at, opened_at, recovered_at ?? 0, closed_at].toSorted((a, b) => a - b),
      )
    }
  })

  test('has one incident for each alert of a tier', async () => {
    const alerts = await nines.app.db.read.selectFrom('alerts').selectAll().execute()
    const tiers = alerts.filter(({ name }) => name.startsWith('burn_rate:'))
    expect(tiers.filter(({ incident_id }) => incident_id === null)).toEqual([])
  })

  test('has delivered each message to its receiver, at the time of its alert', async () => {
    const notifications = await nines.app.db.read.selectFrom('notifications').selectAll().execute()
    const incidents = await nines.app.db.read.selectFrom('incidents').selectAll().execute()
    expect(notifications.length).toBe(2 * incidents.length - 1)
    expect(received.map((one) => one.idempotency_key).toSorted()).toEqual(
      notifications.map((one) => one.idempotency_key).toSorted(),
    )
    for (const { status, created_at, delivered_at } of notifications) {
      expect(status).toBe('delivered')
      expect((delivered_at ?? 0) - created_at).toBe(0)
    }
  })

  test('has the minutes in its ledger that the source gives', async () => {
    const { app } = nines
    const slos = await app.db.read.selectFrom('slos').selectAll().execute()
    const row = await findDefaultSource(app.db.read, slos[0]?.organization_id ?? 0)
    if (!row) throw new Error('no source')
    const endSeconds = Math.floor(liveMs / 3_600_000) * 3600 - 23 * 3600
    const span = { resolution: 60, startSeconds: endSeconds - 4 * 3600, endSeconds } as const
    const planned = slos.map((slo) => app.planner.plan(slo))
    const measured = await measureLedger(openOrFailing(app, row), planned, span)
    for (const { id, revision } of slos) {
      const found = measured.get(id)
      const stored = await listBuckets(app.db.read, { ...span, sloId: id, revision })
      expect(stored).toHaveLength(240)
      expect(found && 'buckets' in found ? found.buckets : found).toEqual(stored)
    }
  })
})
