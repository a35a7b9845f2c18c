import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { listRules } from '../../../src/notifications/rules/rule-store.ts'
import { queryPlansOf } from '../../support/query-plans.ts'
import { type Alerting, alerting } from '../alerts/alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const rules = '/api/v1/notifications/rules'
const call = (method: string, path: string, body?: unknown) => world.nines.call(method, `${rules}${path}`, body)
const store = (change: object = {}) =>
  call('POST', '', { slo_id: 1, channel_id: 1, alert_type: 'violation', notify: false, ...change })
const stored = () => world.nines.app.db.read.selectFrom('notification_rules').selectAll().execute()

const usual = {
  id: 1,
  slo_id: 1,
  selector: null,
  channel_id: 1,
  alert_type: 'violation',
  severity: null,
  priority: 'auto',
  subject: null,
  message: null,
  max_retries: 12,
  min_interval_seconds: 0,
  enabled: true,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}

test.each([[{}], [{ sloId: 1 }], [{ channelId: 1 }], [{ cause: 'warning' }]] as const)(
  'the rules of %j are counted without reading the rows of SLOs’ rules, which are long',
  async (filter) => {
    await store()
    const plans = await queryPlansOf(world.nines.app.db.read, (db) =>
      listRules(db, 1, { ...filter, page: 1, pageSize: 10 }),
    )
    const counting = plans.filter((plan) => / rule\b/.test(plan))
    expect(counting).toHaveLength('sloId' in filter ? 1 : 3)
    expect(counting[0]).toContain('COVERING INDEX')
    for (const [at, index] of ['COVERING INDEX one_selector_rule', 'INDEX one_appliance_rule'].entries()) {
      if (counting.length > 1) expect(counting[at + 1]).toContain(index)
    }
  },
)

test('a rule is stored without a notification if `notify` is false', async () => {
  const { status, body } = await store()
  expect(status).toBe(201)
  expect(body).toEqual({
    success: true,
    message: 'Notification rule stored',
    data: {
      id: 1,
      slo_id: 1,
      selector: null,
      rule_id: 1,
      channel_id: 1,
      status: 'stored',
      alert_type: 'violation',
      priority: 'auto',
      subject: null,
      message: null,
      max_retries: 12,
      created_at: '2026-11-21T10:00:00.000Z',
      evaluated_at: '2026-11-21T10:00:00.000Z',
    },
  })
  expect((await call('GET', '/1')).body).toEqual({ success: true, data: usual })
  expect(await world.outbox()).toEqual([])
})

test('every field is kept', async () => {
  const given = {
    alert_type: 'burn_rate_too_fast',
    severity: 'page',
    priority: 'high',
    subject: 'Look at {{slo_name}}',
    message: 'now:\n{{link}}',
    max_retries: 0,
    min_interval_seconds: 604_800,
    enabled: false,
  }
  await store(given)
  expect((await call('GET', '/1')).body.data).toEqual({ ...usual, ...given })
})

describe('a second rule for the same SLO, channel and cause', () => {
  test.each([
    ['violation', 'slo_below_target'],
    ['slo_recovery', 'recovery'],
    ['warning', 'warning'],
  ])('changes the first: %s, then %s', async (first, second) => {
    await store({ alert_type: first, subject: 'mine', priority: 'high' })
    world.nines.clock.advance(1000)
    const { body } = await store({ alert_type: second, message: 'too', enabled: false })
    expect(body.data).toMatchObject({ id: 1, alert_type: second, subject: 'mine', message: 'too' })
    expect((await call('GET', '')).body.data).toEqual([
      {
        ...usual,
        alert_type: second,
        subject: 'mine',
        message: 'too',
        priority: 'high',
        max_retries: 12,
        enabled: false,
        updated_at: '2026-11-21T10:00:01.000Z',
        channel: { name: 'first', channel_type: 'webhook', enabled: true, health: 'untested', last_error: null },
      },
    ])
  })

  test('is another where one of the three is another', async () => {
    await world.post('/slos', { ...slo, name: 'Search' })
    await store()
    for (const change of [{ slo_id: 2 }, { channel_id: 2 }, { alert_type: 'warning' }]) await store(change)
    expect((await stored()).map(({ id }) => id)).toEqual([1, 2, 3, 4])
  })
})

const slo = { target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }

test.each([
  [{}, 12],
  [{ priority: 'auto' }, 12],
  [{ priority: 'low' }, 3],
  [{ priority: 'medium' }, 3],
  [{ priority: 'high' }, 12],
  [{ priority: 'critical' }, 12],
  [{ priority: 'critical', max_retries: 1 }, 1],
  [{ max_retries: 100 }, 100],
])('%j is retried up to %p times', async (change, maxRetries) => {
  expect((await store(change)).body.data.max_retries).toBe(maxRetries)
})

describe('refused, and without effect, is', () => {
  test.each([
    [{ alert_type: 'outage' }, 'alert_type: must be one of violation, slo_below_target, warning, '],
    [{ priority: 'urgent' }, 'priority: must be one of auto, low, medium, high, critical'],
    [{ max_retries: 101 }, 'max_retries: must be a whole number from 0 to 100'],
    [{ max_retries: -1 }, 'max_retries: must be a whole number from 0 to 100'],
    [{ min_interval_seconds: 604_801 }, 'min_interval_seconds: must be a whole number from 0 to 604800'],
    [{ severity: 'page' }, 'severity: needs the alert type burn_rate_too_fast'],
    [{ alert_type: 'burn_rate_too_fast', severity: 'critical' }, 'severity: must be page, ticket or null'],
    [{ subject: '' }, 'subject: must be 1 to 500 characters'],
    [{ subject: 'two\r\nlines' }, 'subject: must be 1 to 500 characters'],
    [{ subject: 'x'.repeat(501) }, 'subject: must be 1 to 500 characters'],
    [{ message: 'x'.repeat(20_001) }, 'message: must be 1 to 20000 characters'],
    [{ subject: '{{slo}}' }, 'subject: unknown placeholder {{slo}} (known: slo_id, slo_name, '],
    [{ message: 'a {{ nothing }}' }, 'message: unknown placeholder {{nothing}} (known: '],
    [{ rule_id: 1.5 }, 'rule_id: must be the notification rule id'],
    [{ alert_type: 'manual', subject: 'a', message: 'b' }, 'notify: must be true where no rule is stored'],
    [{ alert_type: 'manual', notify: true, message: 'b' }, 'subject: is required with the alert type manual'],
    [
      { alert_type: 'manual', notify: true, subject: 'a', message: null },
      'message: is required with the alert type manual',
    ],
    [{ slo_id: 'x' }, 'slo_id: must be the SLO id'],
  ])('%j', async (change, details) => {
    const { status, body } = await store(change)
    expect([status, body.details]).toEqual([400, expect.stringContaining(details)])
    expect([await stored(), await world.outbox()]).toEqual([[], []])
  })

  test.each([
    ['slo_id', { slo_id: 9 }, 'SLO not found'],
    ['channel_id', { channel_id: 9 }, 'Notification channel not found or disabled'],
    ['rule_id', { rule_id: 9, notify: true }, 'Notification rule not found'],
  ])('what names nothing in %s', async (_, change, error) => {
    const { status, body } = await store(change)
    expect([status, body]).toEqual([404, { success: false, error }])
    expect([await stored(), await world.outbox()]).toEqual([[], []])
  })

  test('a rule of a deleted SLO, or through a disabled channel', async () => {
    await world.put('/notifications/channels/2', { enabled: false })
    expect((await store({ channel_id: 2 })).status).toBe(404)
    await world.nines.call('DELETE', '/api/v1/slos/1')
    expect((await store()).body.error).toBe('SLO not found')
    expect(await stored()).toEqual([])
  })
})

describe('the list', () => {
  const ids = async (query = '') => (await call('GET', query)).body.data.map(({ id }: { id: number }) => id)

  test('is of all rules, of an SLO, or of a channel, a page at a time', async () => {
    await world.post('/slos', { ...slo, name: 'Search' })
    await store()
    await store({ channel_id: 2 })
    await store({ slo_id: 2 })
    expect(await ids()).toEqual([1, 2, 3])
    expect(await ids('?slo_id=1')).toEqual([1, 2])
    expect(await ids('?channel_id=2')).toEqual([2])
    expect(await ids('?slo_id=2&channel_id=2')).toEqual([])
    const { data: _, ...page } = (await call('GET', '?page=2&page_size=2')).body
    expect(page).toEqual({ success: true, count: 1, total: 3, page: 2, page_size: 2, has_next: false })
    expect(await ids('?page=2&page_size=2')).toEqual([3])
  })

  test('leaves out rules of deleted SLOs until they are back', async () => {
    await store()
    await world.nines.call('DELETE', '/api/v1/slos/1')
    expect(await ids()).toEqual([])
    await world.put('/slos/1', { active: true })
    expect(await ids()).toEqual([1])
  })
})

test('a deleted rule is not listed; what it has sent is', async () => {
  await store({ notify: true })
  const { status, body } = await call('DELETE', '/1')
  expect([status, body]).toEqual([200, { success: true, message: 'Notification rule deleted' }])
  expect((await call('GET', '/1')).status).toBe(404)
  expect((await call('DELETE', '/1')).status).toBe(404)
  expect(await world.outbox()).toMatchObject([{ rule_id: 1 }])
})

test('rules of another organization are as none', async () => {
  await store({ notify: true })
  const there = async () => [await stored(), (await world.outbox()).map(({ id }) => id)]
  const before = await there()
  const token = await world.nines.join('eve')
  const asEve = (method: string, path: string, body?: object) =>
    world.nines.call(method, `${rules}${path}`, body, { token })
  expect((await asEve('GET', '')).body).toMatchObject({ total: 0, data: [] })
  for (const [method, body] of [['GET'], ['PUT', { priority: 'low' }], ['DELETE']] as const) {
    expect((await asEve(method, '/1', body)).body).toEqual({ success: false, error: 'Notification rule not found' })
  }
  const message = { alert_type: 'manual', subject: 'a', message: 'b' }
  expect((await asEve('POST', '', { slo_id: 1, channel_id: 1, ...message })).status).toBe(404)
  expect(await there()).toEqual(before)
})
