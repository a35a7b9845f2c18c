import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AlertRow, NotificationRow } from '../../../src/db/tables/tables.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'

const path = '/api/v1/notifications/alerts'
const now = testStartMs / 1000
const at = (seconds: number) => new Date((now + seconds) * 1000).toISOString()

let nines: TestApp
let stranger: string
beforeEach(async () => {
  nines = await joinedApp()
  stranger = await nines.join('eve')
  for (const name of ['Checkout', 'Search']) {
    await nines.call('POST', '/api/v1/slos', { ...checkout, name, labels: { team: name } })
  }
})
afterEach(() => nines.close())

async function alert(name: string, severity: AlertRow['severity'], more: Partial<AlertRow> = {}): Promise<void> {
  const values = { organization_id: 1, slo_id: 1, name, severity, began_at: now - 600, ended_at: null, ...more }
  await nines.app.db.write.insertInto('alerts').values(values).execute()
}

async function notify(alert_id: number, status: NotificationRow['status'], event: NotificationRow['event'] = 'alert') {
  const values = {
    organization_id: 1,
    slo_id: 1,
    rule_id: 3,
    channel_id: 4,
    alert_id,
    channel_type: 'webhook',
    event,
    alert_type: 'violation',
    status,
    priority: 'high',
    subject: 's',
    message: 'm',
    metadata: '{}',
    content_hash: 'x',
    idempotency_key: crypto.randomUUID(),
    retry_count: 0,
    max_retries: 3,
    error_message: '',
    next_attempt_at: 0,
    leased_until: null,
    sealed_configuration: null,
    sent_at: null,
    delivered_at: null,
    created_at: testStartMs,
    updated_at: testStartMs,
  } as const
  await nines.app.db.write.insertInto('notifications').values(values).execute()
}

const get = (more = '', token?: string) =>
  nines.call('GET', `${path}${more}`, undefined, token === undefined ? {} : { token })
const list = async (query = '') => (await get(query)).body.alerts
const ids = async (query = '') => (await list(query)).map(({ id }: { id: number }) => id)

describe('the list of alerts', () => {
  test('lists what fires, and how many notifications were sent', async () => {
    await alert('status', 'critical')
    for (const status of ['delivered', 'failed', 'pending', 'throttled'] as const) await notify(1, status)
    const { status, body } = await get()
    const fires = {
      id: 1,
      slo_id: 1,
      slo_name: 'Checkout',
      incident_id: null,
      name: 'status',
      kind: 'status',
      long_window: null,
      short_window: null,
      threshold_percent: null,
      condition: null,
      alert_type: 'violation',
      reason: null,
      severity: 'critical',
      state: 'firing',
      began_at: at(-600),
      ended_at: null,
      duration_seconds: 600,
      acknowledged: null,
      silenced: false,
      silence: null,
      notified: 3,
      peak_burn_rate: null,
      burn_rate: null,
      budget_percent: null,
      budget_resolution_seconds: null,
    }
    expect([status, body]).toEqual([
      200,
      { success: true, alerts: [fires], total: 1, page: 1, page_size: 50, has_next: false },
    ])
    nines.clock.advance(59_999)
    expect(await list()).toMatchObject([{ duration_seconds: 659 }])
  })

  test('says what fires beside its name', async () => {
    await alert('budget:25', 'warning')
    await alert('burn_rate:3600:300', 'page')
    const [tier, threshold] = await list()
    expect(tier).toMatchObject({ kind: 'burn_rate', long_window: '1h', short_window: '5m', threshold_percent: null })
    expect(threshold).toMatchObject({ kind: 'budget', threshold_percent: 25, long_window: null, condition: null })
  })

  test('has the notifications of each where they are asked for', async () => {
    const configuration = { webhook_url: 'http://127.0.0.1:9/' }
    for (const name of ['a', 'b', 'c', 'on call']) {
      await nines.call('POST', '/api/v1/notifications/channels', { name, channel_type: 'webhook', configuration })
    }
    await alert('burn_rate:3600:300', 'page', { peak_burn_rate: 41 })
    await alert('budget:0', 'critical')
    await notify(1, 'failed')
    const sent = {
      id: 1,
      channel_id: 4,
      channel_name: 'on call',
      channel_type: 'webhook',
      status: 'failed',
      event: 'alert',
      error_message: '',
      created_at: at(0),
    }
    expect(await list('?include=notifications')).toMatchObject([
      { id: 2, notifications: [] },
      { id: 1, peak_burn_rate: 41, notifications: [sent] },
    ])
    await nines.call('DELETE', '/api/v1/notifications/channels/4')
    expect(await list('?include=notifications')).toMatchObject([{}, { notifications: [{ channel_name: null }] }])
  })

  test.each([
    ['status', 'warning', 'warning'],
    ['status', 'critical', 'violation'],
    ['budget:50', 'warning', 'error_budget_low'],
    ['budget:10', 'warning', 'error_budget_low'],
    ['budget:0', 'critical', 'error_budget_exhausted'],
    ['burn_rate:3600:300', 'page', 'burn_rate_too_fast'],
    ['burn_rate:259200:21600', 'ticket', 'burn_rate_too_fast'],
  ] as const)('calls %s with severity %s a %s', async (name, severity, alert_type) => {
    await alert(name, severity)
    expect(await list()).toMatchObject([{ name, severity, alert_type }])
  })

  test('is narrowed to a state and an SLO, newest first and in pages', async () => {
    await alert('status', 'warning', { ended_at: now - 300 })
    await alert('status', 'warning', { slo_id: 2 })
    await alert('budget:0', 'critical')
    await alert('status', 'warning')
    expect(await ids()).toEqual([4, 3, 2])
    expect(await ids('?state=firing')).toEqual([4, 3, 2])
    expect(await ids('?state=ended')).toEqual([1])
    expect(await ids('?state=all')).toEqual([4, 3, 2, 1])
    expect(await ids('?state=all&slo_id=1')).toEqual([4, 3, 1])
    expect(await ids('?slo_id=2')).toEqual([2])
    expect(await ids('?slo_id=99')).toEqual([])
    expect(await ids('?state=all&page=2&page_size=3')).toEqual([1])
    expect((await get('?page_size=2')).body).toMatchObject({ total: 3, page: 1, page_size: 2, has_next: true })
    expect((await get('?page_size=3')).body).toMatchObject({ total: 3, has_next: false })
    const ended = { id: 1, state: 'ended', ended_at: at(-300), duration_seconds: 300 }
    expect(await list('?state=ended')).toMatchObject([ended])
  })

  test('has those that fire before those that have ended, on every page', async () => {
    await alert('status', 'warning')
    await alert('budget:0', 'critical')
    for (const name of ['a', 'b', 'c']) await alert(name, 'warning', { ended_at: now - 300 })
    expect(await ids('?state=all')).toEqual([2, 1, 5, 4, 3])
    expect(await ids('?state=all&page_size=1&page=2')).toEqual([1])
    expect(await ids('?state=all&page_size=3')).toEqual([2, 1, 5])
    expect(await ids('?state=all&page_size=3&page=2')).toEqual([4, 3])
    expect(await ids('?state=all&page_size=3&page=3')).toEqual([])
    expect((await get('?state=all&page_size=3&page=2')).body).toMatchObject({ total: 5, has_next: false })
  })

  test.each(['?state=open', '?slo_id=x', '?slo_id=0', '?page=0', '?page_size=101'])('refuses %s', async (query) => {
    expect((await get(query)).status).toBe(400)
  })

  test('says which are silenced now', async () => {
    await alert('status', 'critical')
    await alert('status', 'critical', { slo_id: 2 })
    await nines.call('POST', '/api/v1/notifications/silences', {
      labels: { team: 'Search' },
      starts_at: at(60),
      until: at(120),
      comment: 'x',
    })
    const silenced = async () => (await list()).map(({ silenced: is }: { silenced: boolean }) => is)
    const seen = []
    for (const step of [0, 60_000, 59_999, 1]) {
      nines.clock.advance(step)
      seen.push(await silenced())
    }
    expect(seen).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [false, false],
    ])
  })

  test('shows alerts of a deleted SLO, too, and none of another organization', async () => {
    await alert('status', 'critical')
    await nines.call('DELETE', '/api/v1/slos/1')
    expect(await ids('?state=all')).toEqual([1])
    for (const query of ['', '?state=all', '?state=all&slo_id=1']) {
      expect((await get(query, stranger)).body).toMatchObject({ alerts: [], total: 0 })
    }
    const theirs = await get('/1', stranger)
    expect([theirs.status, theirs.body.error, theirs.text]).toEqual([404, 'Alert not found', (await get('/9')).text])
  })
})

test('an alert shows its own notifications, oldest first', async () => {
  await alert('status', 'critical')
  await alert('budget:0', 'critical')
  await notify(1, 'delivered')
  await notify(2, 'failed')
  await notify(1, 'throttled')
  await notify(1, 'sent', 'recovery')
  const { status, body } = await get('/1')
  const channel = { channel_id: 4, channel_name: null, channel_type: 'webhook' }
  const told = { ...channel, event: 'alert', error_message: '', created_at: at(0) }
  expect([status, body.success, body.data]).toMatchObject([200, true, { id: 1, notified: 2 }])
  expect(body.data.notifications).toEqual([
    { ...told, id: 1, status: 'delivered' },
    { ...told, id: 3, status: 'throttled' },
    { ...told, id: 4, status: 'sent', event: 'recovery' },
  ])
})
