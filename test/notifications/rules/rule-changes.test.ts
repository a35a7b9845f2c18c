import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Alerting, alerting } from '../alerts/alerting.ts'
import { rulesOf } from '../../support/rules-of.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
  await world.rule('burn_rate_too_fast', { subject: 'mine', priority: 'medium' })
})
afterEach(() => world.close())

const call = (method: string, path: string, body?: unknown) =>
  world.nines.call(method, `/api/v1/notifications/rules${path}`, body)
const change = (body: unknown) => call('PUT', '/1', body)
const stored = () => world.nines.app.db.read.selectFrom('notification_rules').selectAll().execute()

test('a change is of the given fields only', async () => {
  world.nines.clock.advance(1000)
  const given = { priority: 'low', message: 'x {{factor}}', max_retries: 9, min_interval_seconds: 60, enabled: false }
  const { data: before } = (await call('GET', '/1')).body
  const later = { updated_at: '2026-11-21T10:00:01.000Z' }
  const { status, body } = await change({ ...given, slo_id: 7, channel_id: 7, cause: 'warning', id: 7 })
  expect([status, body]).toEqual([
    200,
    { success: true, message: 'Notification rule changed', data: { ...before, ...given, ...later } },
  ])
  expect((await call('GET', '/1')).body.data).toEqual(body.data)
  expect((await change({ subject: null, severity: 'ticket' })).body.data).toMatchObject({
    subject: null,
    severity: 'ticket',
  })
})

test('a change may spell the alert type otherwise, and not select another cause', async () => {
  await world.rule('violation')
  const put = (alert_type: string) => call('PUT', '/2', { alert_type })
  expect((await put('slo_below_target')).body.data.alert_type).toBe('slo_below_target')
  for (const other of ['warning', 'manual']) {
    const { status, body } = await put(other)
    expect([status, rulesOf(body)]).toEqual([400, 'alert_type: must be violation or slo_below_target, or another rule'])
  }
  expect((await put('violation')).body.data).toMatchObject({ id: 2, alert_type: 'violation' })
})

test.each([
  [{}, 'body: must have at least one known field of a notification rule'],
  [{ name: 'x' }, 'body: must have at least one known field of a notification rule'],
  [{ subject: '{{nobody}}' }, 'subject: unknown placeholder {{nobody}}'],
  [{ enabled: 'yes' }, 'enabled: must be true or false'],
])('a change to %j is refused', async (body, details) => {
  const before = await stored()
  const answer = await change(body)
  expect([answer.status, answer.body.details]).toEqual([400, expect.stringContaining(details)])
  expect(await stored()).toEqual(before)
})

test('a change gives a severity to burn rates only', async () => {
  await world.rule('violation')
  const { status, body } = await call('PUT', '/2', { severity: 'page' })
  expect([status, rulesOf(body)]).toEqual([400, 'severity: needs the alert type burn_rate_too_fast'])
})
