import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { requestRule } from '../../../src/notifications/rules/rule-request.ts'
import { type Alerting, alerting, critical, healthy, tiers, warning } from '../alerts/alerting.ts'
import { rulesOf } from '../../support/rules-of.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

/** Expected event: without an open alert a rule sends a plain message. */
const eventWith = (alertType: string, alert: string | undefined) =>
  alert === undefined ? 'message' : alertType === 'recovery' ? 'recovery' : 'alert'

const manual = { alert_type: 'manual', subject: 'Look at {{slo_name}}', message: '{{current_value}} of {{target}}' }
const ask = (change: object = manual) =>
  world.nines.call('POST', '/api/v1/notifications/rules', { slo_id: 1, channel_id: 1, ...change })
const rules = () => world.nines.app.db.read.selectFrom('notification_rules').selectAll().execute()
const last = async () => (await world.outbox()).at(-1)
const metadata = async () => JSON.parse((await last())?.metadata ?? 'null')

test('a manual notification is queued with its texts, and stores no rule', async () => {
  await world.minute(healthy)
  const { status, body } = await ask({ ...manual, priority: 'low', max_retries: 7 })
  const data = {
    id: 1,
    slo_id: 1,
    rule_id: null,
    channel_id: 1,
    status: 'pending',
    event: 'message',
    alert_type: 'manual',
    priority: 'low',
    subject: 'Look at Checkout',
    message: '99.95 of 99.9',
    max_retries: 7,
    created_at: '2026-11-21T10:01:00.000Z',
    evaluated_at: '2026-11-21T10:01:00.000Z',
  }
  expect([status, body]).toEqual([201, { success: true, message: 'Notification queued', data }])
  expect(await world.outbox()).toMatchObject([{ id: 1, organization_id: 1, channel_type: 'webhook', alert_id: null }])
  expect(await metadata()).toMatchObject({ slo_name: 'Checkout', current_value: 99.95, alert: null })
  expect(await rules()).toEqual([])
})

test('of an SLO that was not evaluated yet, and of one measured otherwise since, nothing is known', async () => {
  await ask()
  expect(await last()).toMatchObject({ message: 'unknown of 99.9' })
  await world.minute(healthy)
  await world.put('/slos/1', { metric_query: 'up' })
  await ask({ ...manual, subject: 'another' })
  expect(await last()).toMatchObject({ message: 'unknown of 99.9' })
  expect(await metadata()).toMatchObject({ status: 'unknown', measured_at: null, error_budget_used: null })
})

test('a request for a rule stores it and says so once, how the SLO stands, and raises nothing', async () => {
  await world.minute(healthy)
  const { body } = await ask({ alert_type: 'slo_below_target', priority: 'critical' })
  expect(body.data).toMatchObject({ id: 1, rule_id: 1, status: 'pending', event: 'message', max_retries: 12 })
  expect(await rules()).toMatchObject([{ id: 1, cause: 'violation', subject: null }])
  expect(await last()).toMatchObject({
    alert_id: null,
    priority: 'critical',
    subject: 'Rule: this channel is notified when Checkout is down or critical',
    message: `A notification rule was made or changed. This channel is notified when Checkout is down or critical.

Now: healthy.
SLI: 99.95 % over the last 1 h, target 99.9 %.
Error budget of 30 d: 90 % left.
Measured 2026-11-21 10:01 UTC.

Buying works
http://127.0.0.1:8080/slos/1`,
  })
  expect(await world.minutes(2, healthy)).toEqual([])
})

test('a request for a rule while its alert is open informs, and the next evaluation raises the alert', async () => {
  await world.minute(critical)
  const { body } = await ask({ alert_type: 'violation', min_interval_seconds: 900 })
  expect(body.data).toMatchObject({ event: 'message', message: expect.stringContaining('Now: critical.') })
  expect(await metadata()).toMatchObject({ alert: null })
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
})

test('the texts of a rule are a sample in its first notification, and do not pass for an alert', async () => {
  await world.minute(healthy)
  const own = { subject: '{{slo_name}} is down', message: 'only {{current_value}}' }
  await ask({ alert_type: 'burn_rate_too_fast', severity: 'page', enabled: false, ...own })
  const { subject = '', message = '' } = (await last()) ?? {}
  expect(subject).toBe('Rule: this channel is notified when Checkout burns its error budget too fast (page)')
  expect(message).toContain('The rule is disabled: nothing is sent until it is enabled.')
  expect(message).toEndWith('The texts of the rule, with the current values:\nCheckout is down\nonly 99.95')
})

describe('the alert that a request naming a rule is about', () => {
  const byRule = async (change: { alert_type: string; severity?: string }) =>
    ask({ ...change, rule_id: await world.rule(change.alert_type, change) })

  const budget = (budgetUsed: number) => ({ ...critical, budgetUsed })
  test.each([
    ['violation', critical, 'status'],
    ['violation', warning, undefined],
    ['warning', warning, 'status'],
    ['recovery', critical, 'status'],
    ['error_budget_low', budget(80), 'budget:25'],
    ['error_budget_low', budget(120), 'budget:10'],
    ['error_budget_exhausted', budget(120), 'budget:0'],
    ['error_budget_exhausted', budget(80), undefined],
    ['burn_rate_too_fast', { ...critical, ...tiers({ 6: true, 72: true }) }, 'burn_rate:21600:1800'],
    ['burn_rate_too_fast', critical, undefined],
    ['violation', healthy, undefined],
  ])('for %s with %j is the open one of that cause: %p', async (alert_type, found, name) => {
    await world.minute(found)
    expect((await byRule({ alert_type })).body.data.event).toBe(eventWith(alert_type, name))
    const alerts = await world.alerts()
    expect((await last())?.alert_id ?? undefined).toBe(alerts.find((alert) => alert.name === name)?.id)
    expect((await metadata()).alert?.name).toBe(name)
  })

  test('is of the severity a rule selects', async () => {
    await world.minute({ ...critical, ...tiers({ 6: true, 72: true }) })
    await byRule({ alert_type: 'burn_rate_too_fast', severity: 'ticket' })
    expect((await metadata()).alert).toMatchObject({
      name: 'burn_rate:259200:21600',
      burn_rate: { factor: 1, long_window: '72h', short_window: '6h', long: 2, short: 2 },
    })
  })
})

describe('a request that names a rule', () => {
  const own = { subject: 'as {{alert_type}}', message: 'rule', priority: 'high', max_retries: 5 }
  beforeEach(() => world.rule('violation', own))

  test('leaves it alone, and takes from it what is not given', async () => {
    const before = await rules()
    const { body } = await ask({ alert_type: 'warning', rule_id: 1, message: 'mine', enabled: false })
    expect(body.data).toMatchObject({
      ...own,
      subject: 'as warning',
      message: 'mine',
      rule_id: 1,
      alert_type: 'warning',
    })
    expect(await rules()).toEqual(before)
  })

  test('has its own texts when it is manual, too', async () => {
    const { body } = await ask({ alert_type: 'manual', rule_id: 1 })
    expect(body.data).toMatchObject({ event: 'message', rule_id: 1, subject: 'as manual', message: 'rule' })
  })

  test.each([
    [{ channel_id: 2 }, 'rule_id: must be a rule of the same channel'],
    [{ slo_id: 2 }, 'rule_id: must be a rule of the same SLO'],
    [{ notify: false }, 'notify: must be true where no rule is stored'],
  ])('and %j is refused', async (change, details) => {
    const slo = { name: 'Search', target: 99, time_window: '30d', metric_type: 'latency', metric_query: 'up' }
    await world.post('/slos', slo)
    const { status, body } = await ask({ alert_type: 'violation', rule_id: 1, ...change })
    expect([status, rulesOf(body)]).toEqual([400, details])
    expect(await world.outbox()).toEqual([])
  })
})

describe('a duplicate', () => {
  test('inside the window is refused, and is none after it', async () => {
    expect((await ask()).status).toBe(201)
    world.nines.clock.advance(300_000)
    const { status, body } = await ask()
    expect([status, body]).toEqual([409, { success: false, error: 'Duplicate notification' }])
    world.nines.clock.advance(1)
    expect((await ask()).status).toBe(201)
  })

  test('leaves the rule as it was, or absent', async () => {
    const violation = { alert_type: 'violation', subject: 'a', message: 'b' }
    await ask(violation)
    const before = await rules()
    expect((await ask({ ...violation, priority: 'critical' })).status).toBe(409)
    expect(await rules()).toEqual(before)
    await world.nines.call('DELETE', '/api/v1/notifications/rules/1')
    expect((await ask(violation)).status).toBe(409)
    expect(await rules()).toEqual([])
  })

  test('of two at the same time is the one that comes second', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask({ alert_type: 'violation' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    expect([await rules(), await world.outbox()].map(({ length }) => length)).toEqual([1, 1])
  })

  test.each([{ subject: 'b' }, { message: 'c' }, { channel_id: 2 }, { alert_type: 'warning' }])(
    'is none with %j',
    async (change) => {
      await ask()
      expect((await ask({ ...manual, ...change })).status).toBe(201)
    },
  )
})

test('delivery is called when a notification is in the outbox, and only then', async () => {
  const calls: Promise<number>[] = []
  const onQueued = () => void calls.push(world.outbox().then(({ length }) => length))
  const { app } = world.nines
  const ada = {
    userId: 1,
    organizationId: 1,
    email: 'ada@example.com',
    name: 'ada',
    role: 'admin',
    sessionId: 1,
  } as const
  const origin = { ip: '::1', userAgent: 'curl' }
  const caller = { ...ada, credential: { type: 'session', id: 1 }, origin } as const
  const request = (notify: boolean) =>
    requestRule({ ...app, onQueued, isFirst: async () => true }, caller, {
      slo_id: 1,
      channel_id: 1,
      alert_type: 'violation',
      notify,
    })
  await request(false)
  expect(calls).toEqual([])
  await request(true)
  expect(await Promise.all(calls)).toEqual([1])
  await expect(request(true)).rejects.toThrow('Duplicate notification')
  expect(calls).toHaveLength(1)
})
