import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type People, people, type Person } from '../../support/people.ts'
import { type WebhookReceiver, startWebhook } from '../../support/receivers/webhook.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
let world: People
let hook: WebhookReceiver
beforeEach(async () => {
  hook = startWebhook()
  nines = await testApp()
  world = await people(nines)
  for (const who of [world.admin, world.stranger]) {
    const channel = { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: hook.url } }
    expect((await call(who, 'POST', '/channels', channel)).status).toBe(201)
  }
})
afterEach(async () => {
  await nines.close()
  await hook.close()
})

const call = (who: Person, method: string, path: string, body?: object) =>
  nines.call(method, `/api/v1/notifications${path}`, body, who)
const rule = { channel_id: 1, alert_type: 'appliance_condition', notify: false }
const rules = () => nines.app.db.read.selectFrom('notification_rules').selectAll().execute()

async function pass() {
  nines.clock.advance(5000)
  await nines.app.selfMonitoring.watch()
  await nines.app.delivery.run()
}

test.each([
  ['an administrator of the first organization', 'admin', 1, 201],
  ['a member', 'member', 1, 403],
  ['a viewer', 'viewer', 1, 403],
  ['an administrator of another organization', 'stranger', 2, 201],
] as const)('%s asks for a rule of conditions', async (_, who, channel_id, status) => {
  const answer = await call(world[who], 'POST', '/rules', { ...rule, channel_id })
  expect(answer.status).toBe(status)
  expect(await rules()).toHaveLength(status === 201 ? 1 : 0)
})

test.each([
  [{ slo_id: 1 }, 'slo_id: cannot be sent with the alert type appliance_condition, got 1'],
  [{ rule_id: 1, notify: true }, 'rule_id: cannot be sent with the alert type appliance_condition, got 1'],
  [
    { subject: 'x' },
    'subject: cannot be sent with the alert type appliance_condition, which has texts of its own, got "x"',
  ],
  [{ severity: 'page' }, 'severity: needs the alert type burn_rate_too_fast, got "page"'],
  [{ alert_type: 'violation' }, 'slo_id: is required: the SLO id, a whole number from 1, or a selector in its place'],
  [
    { alert_type: 'violation', slo_id: null },
    'slo_id: is required: the SLO id, a whole number from 1, or a selector in its place, got null',
  ],
])('a rule with %j is refused', async (change, details) => {
  const answer = await call(world.admin, 'POST', '/rules', { ...rule, ...change })
  expect([answer.status, answer.body.details]).toEqual([400, details])
  expect(await rules()).toEqual([])
})

test('a second rule for a channel is the first one, changed', async () => {
  await call(world.admin, 'POST', '/rules', rule)
  const { body } = await call(world.admin, 'POST', '/rules', { ...rule, slo_id: null, priority: 'critical' })
  expect(body.data).toMatchObject({ id: 1, slo_id: null, priority: 'critical' })
  expect(await rules()).toHaveLength(1)
})

test('it is listed beside those of SLOs, and found by its type', async () => {
  await nines.call('POST', '/api/v1/slos', checkout, world.admin)
  await call(world.admin, 'POST', '/rules', { ...rule, alert_type: 'violation', slo_id: 1 })
  await call(world.admin, 'POST', '/rules', rule)
  const list = async (query: string) =>
    (await call(world.viewer, 'GET', `/rules${query}`)).body.data.map((one: { slo_id: unknown }) => one.slo_id)
  expect(await list('')).toEqual([1, null])
  expect(await list('?alert_type=appliance_condition')).toEqual([null])
  expect(await list('?alert_type=slo_below_target')).toEqual([1])
  expect(await list('?slo_id=1')).toEqual([1])
  expect(await list('?channel_id=1')).toEqual([1, null])
})

test('only administrators change or delete it', async () => {
  await call(world.admin, 'POST', '/rules', rule)
  for (const who of [world.member, world.viewer]) {
    expect((await call(who, 'PUT', '/rules/1', { enabled: false })).status).toBe(403)
    expect((await call(who, 'DELETE', '/rules/1')).status).toBe(403)
  }
  expect((await call(world.stranger, 'PUT', '/rules/1', { enabled: false })).status).toBe(404)
  const words = await call(world.admin, 'PUT', '/rules/1', { message: 'x' })
  expect([words.status, words.body.details]).toEqual([
    400,
    expect.stringContaining('message: cannot be sent with the alert type'),
  ])
  expect((await call(world.admin, 'PUT', '/rules/1', { enabled: false })).body.data).toMatchObject({ enabled: false })
  nines.app.conditions.set('disk_full', 'the disk is full')
  await pass()
  expect(hook.received).toEqual([])
  expect((await call(world.admin, 'DELETE', '/rules/1')).status).toBe(200)
})

test('its first message says what it will report to the organization, and opens nothing', async () => {
  const { body } = await call(world.admin, 'POST', '/rules', { ...rule, notify: true })
  expect(body.data).toMatchObject({ slo_id: null, event: 'message', alert_type: 'appliance_condition' })
  await call(world.stranger, 'POST', '/rules', { ...rule, channel_id: 2, notify: true })
  await nines.app.delivery.run()
  const reason = 'Rule: this channel is notified when'
  expect(hook.received.map(({ json }) => json).toSorted((a, b) => a.id - b.id)).toMatchObject([
    {
      event: 'message',
      subject: `${reason} nines itself is unwell or a certificate expires soon`,
      alert: null,
      slo: null,
    },
    {
      event: 'message',
      subject: `${reason} a certificate expires soon`,
      message: expect.not.stringContaining('/health'),
    },
  ])
})

describe('a condition that was notified of', () => {
  beforeEach(async () => {
    await call(world.admin, 'POST', '/rules', rule)
    nines.app.conditions.set('disk_full', 'the disk is full')
    await pass()
  })

  test('is an alert of the first organization, of no SLO', async () => {
    const { body } = await call(world.viewer, 'GET', '/alerts')
    expect(body.alerts).toMatchObject([
      {
        slo_id: null,
        slo_name: null,
        name: 'condition:disk_full',
        alert_type: 'appliance_condition',
        severity: 'critical',
        state: 'firing',
        silenced: false,
        notified: 1,
      },
    ])
    expect((await call(world.viewer, 'GET', '/alerts/1')).body.data.notifications).toHaveLength(1)
    expect((await call(world.stranger, 'GET', '/alerts')).body.alerts).toEqual([])
    expect((await call(world.stranger, 'GET', '/alerts/1')).status).toBe(404)
  })

  test('is in the history, and found there by its type', async () => {
    const list = async (query: string) => (await call(world.viewer, 'GET', `/history${query}`)).body.notifications
    const one = { slo_id: null, alert_type: 'appliance_condition', status: 'delivered', event: 'alert' }
    expect(await list('')).toMatchObject([
      { ...one, metadata: { condition: 'disk_full', message: 'the disk is full' } },
    ])
    expect(await list('?alert_type=appliance_condition')).toHaveLength(1)
    expect(await list('?alert_type=violation')).toEqual([])
    expect((await call(world.stranger, 'GET', '/history')).body.notifications).toEqual([])
  })

  test('and has ended is followed by its end again when it is sent again', async () => {
    nines.app.conditions.set('disk_full', null)
    await pass()
    expect((await call(world.admin, 'POST', '/1/resend')).status).toBe(201)
    await nines.app.delivery.run()
    expect(hook.received.map(({ json }) => json.event)).toEqual(['alert', 'recovery', 'alert', 'recovery'])
    expect(hook.open()).toEqual([])
  })

  test('is of no interest to who listens to an SLO', async () => {
    const { listNotificationsAfter } = await import('../../../src/notifications/outbox-store.ts')
    expect(await listNotificationsAfter(nines.app.db.read, 0, 10)).toEqual([])
  })
})

test('a rule with an interval notifies of the next condition when that has passed', async () => {
  await call(world.admin, 'POST', '/rules', { ...rule, min_interval_seconds: 60 })
  nines.app.conditions.set('disk_full', 'the disk is full')
  await pass()
  nines.app.conditions.set('database_damaged', 'a page is damaged')
  await pass()
  expect(hook.received).toHaveLength(1)
  nines.clock.advance(60_000)
  await pass()
  expect(hook.received.map(({ json }) => json.alert.name)).toEqual([
    'condition:disk_full',
    'condition:database_damaged',
  ])
})
