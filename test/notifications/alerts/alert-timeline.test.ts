import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { aDraft } from '../../support/messages.ts'
import { checkout } from '../../support/slo-calls.ts'
import { queueNotifications } from '../../../src/notifications/outbox-store.ts'

const path = '/api/v1/notifications/alerts/timeline'
const now = testStartMs / 1000
const at = (seconds: number) => new Date((now + seconds) * 1000).toISOString()

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  for (const name of ['Checkout', 'Search']) {
    await nines.call('POST', '/api/v1/slos', { ...checkout, name, labels: { team: name } })
  }
})
afterEach(() => nines.close())

const read = async (query = '', token?: string) =>
  (await nines.call('GET', path + query, undefined, token === undefined ? {} : { token })).body
const insert = (alerts: { slo_id: number | null; name: string; began_at: number; ended_at: number | null }[]) =>
  nines.app.db.write
    .insertInto('alerts')
    .values(alerts.map((alert) => ({ organization_id: 1, severity: 'critical' as const, ...alert })))
    .execute()

test('the alerts of the last seven days, with what was sent of them and the silences of their SLOs', async () => {
  await insert([
    { slo_id: 1, name: 'status', began_at: now - 8 * 86_400, ended_at: now - 8 * 86_400 + 60 },
    { slo_id: 1, name: 'status', began_at: now - 8 * 86_400, ended_at: now - 6 * 86_400 },
    { slo_id: null, name: 'condition:disk_full', began_at: now - 600, ended_at: null },
  ])
  const draft = aDraft({ organization_id: 1, slo_id: 1, alert_id: 2, event: 'alert' })
  await nines.app.db.write.transaction().execute((trx) => queueNotifications(trx, [draft], testStartMs - 1000))
  for (const name of ['Checkout', 'Search']) {
    const silence = { labels: { team: name }, duration_seconds: 60, comment: name }
    await nines.call('POST', '/api/v1/notifications/silences', silence)
  }
  nines.clock.advance(1000)
  const parts = { long_window: null, short_window: null, threshold_percent: null, condition: null }
  expect(await read()).toEqual({
    start_time: at(1 - 7 * 86_400),
    end_time: at(1),
    total: 2,
    alerts: [
      {
        id: 3,
        slo_id: null,
        slo_name: null,
        name: 'condition:disk_full',
        ...parts,
        kind: 'condition',
        condition: 'disk_full',
        severity: 'critical',
        began_at: at(-600),
        ended_at: null,
        acknowledged_at: null,
        notifications: [],
      },
      {
        id: 2,
        slo_id: 1,
        slo_name: 'Checkout',
        name: 'status',
        ...parts,
        kind: 'status',
        severity: 'critical',
        began_at: at(-8 * 86_400),
        ended_at: at(-6 * 86_400),
        acknowledged_at: null,
        notifications: [{ event: 'alert', status: 'pending', created_at: at(-1) }],
      },
    ],
    silences: [{ id: 1, slo_ids: [1], starts_at: at(0), until: at(60), comment: 'Checkout' }],
  })
  const eve = await nines.join('eve')
  expect(await read('', eve)).toMatchObject({ alerts: [], silences: [] })
})

test('has the newest 500, and says that there are more', async () => {
  const many = Array.from({ length: 501 }, (_, n) => {
    return { slo_id: 1, name: 'status', began_at: now - 9000 + n, ended_at: now - 8999 + n }
  })
  await insert(many)
  const { alerts, total } = await read()
  expect([alerts.length, alerts[0].id, total]).toEqual([500, 501, 501])
  expect(await read(`?start=${at(-8999)}&end=${at(-8990)}`)).toMatchObject({ total: 9 })
})

test('refuses a range that ends before it begins', async () => {
  expect(await read(`?start=${at(60)}`)).toMatchObject({ details: `start: must be before the end, got "${at(60)}"` })
})
