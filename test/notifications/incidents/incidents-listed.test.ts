import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { IncidentRow } from '../../../src/db/tables/tables.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'

const startSeconds = testStartMs / 1000
const at = (seconds: number) => new Date((startSeconds + seconds) * 1000).toISOString()

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  for (const name of ['one', 'two', 'three']) await nines.call('POST', '/api/v1/slos', { ...checkout, name })
})
afterEach(() => nines.close())

/** Stores an incident; `closed`: seconds after the start of the test. */
async function incident(slo_id: number, { closed = null as number | null, ...change }: Change = {}): Promise<void> {
  const times = { began_at: startSeconds - 600, opened_at: startSeconds - 540, since: startSeconds - 600 }
  const closed_at = closed === null ? null : startSeconds + closed
  const end = closed_at === null ? {} : ({ state: 'closed', closed_at, close_reason: 'recovered' } as const)
  const row = {
    organization_id: 1,
    slo_id,
    severity: 'critical',
    state: 'down',
    ...times,
    relapses: 0,
    ...end,
  } as const
  await nines.app.db.write
    .insertInto('incidents')
    .values({ ...row, ...change })
    .execute()
}
type Change = Partial<Omit<IncidentRow, 'id'>> & { closed?: number | null }

const notification = {
  organization_id: 1,
  slo_id: 1,
  rule_id: null,
  channel_id: 4,
  channel_type: 'webhook',
  event: 'alert',
  alert_type: 'down',
  status: 'sent',
  priority: 'critical',
  subject: 's',
  message: 'm',
  metadata: '{}',
  content_hash: 'x',
  idempotency_key: 'k',
  retry_count: 0,
  max_retries: 3,
  error_message: '',
  next_attempt_at: 0,
  leased_until: null,
  sealed_configuration: null,
  sent_at: testStartMs + 2000,
  delivered_at: null,
  created_at: testStartMs,
  updated_at: testStartMs,
} as const

const get = async (query = '', token?: string) =>
  (await nines.call('GET', `/api/v1/incidents${query}`, undefined, token === undefined ? {} : { token })).body
const ids = async (query = '') => (await get(query)).incidents.map(({ id }: { id: number }) => id)

test('the list has the open incidents, with all that a row shows', async () => {
  await incident(1, { reason: 'HTTP 503', peak_burn_rate: 171, recovered_at: startSeconds - 60, relapses: 1 })
  expect(await get()).toEqual({
    success: true,
    incidents: [
      {
        id: 1,
        slo_id: 1,
        slo_name: 'one',
        severity: 'critical',
        state: 'down',
        began_at: at(-600),
        opened_at: at(-540),
        since: at(-600),
        recovered_at: at(-60),
        closed_at: null,
        close_reason: null,
        closed_by: null,
        duration_seconds: 540,
        relapses: 1,
        reason: 'HTTP 503',
        cause: null,
        deploy: null,
        peak_burn_rate: 171,
        burn_rate_now: null,
        acknowledged: null,
        silenced: false,
        silence: null,
        notified: 0,
        budget_percent: null,
        budget_resolution_seconds: null,
        excluded: null,
      },
    ],
    open_unacknowledged: 1,
    open_by_state: { down: 1, burning_fast: 0, burning: 0, recovering: 0, unknown: 0 },
    total: 1,
    page: 1,
    page_size: 50,
    has_next: false,
  })
})

test('the list is by state, SLO, team, severity and time, open ones first and each newest first', async () => {
  await incident(1, { closed: -300 })
  await incident(1, { closed: -200, severity: 'warning', began_at: startSeconds - 250 })
  await incident(1)
  const acknowledged = { acknowledged_at: startSeconds, acknowledged_by_name: 'ada', acknowledgement_note: '' }
  await incident(2, acknowledged)
  await incident(3, { closed: -100 })
  await nines.call('POST', '/api/v1/organization/teams', { name: 'shop' })
  const { teams } = (await nines.call('GET', '/api/v1/organization/teams')).body
  const team_id = teams.find(({ name }: { name: string }) => name === 'shop').id
  await nines.call('PUT', '/api/v1/slos/3', { team_id })
  expect(await ids()).toEqual([4, 3])
  expect(await ids('?state=closed')).toEqual([5, 2, 1])
  expect(await ids('?state=all')).toEqual([4, 3, 5, 2, 1])
  expect(await ids('?state=all&page_size=2&page=2')).toEqual([5, 2])
  expect(await ids('?state=all&slo_id=1')).toEqual([3, 2, 1])
  expect(await ids(`?state=all&team_id=${team_id}`)).toEqual([5])
  expect(await ids('?state=all&severity=warning')).toEqual([2])
  expect(await ids(`?state=closed&start=${at(-250)}&end=${at(-150)}`)).toEqual([5, 2])
  expect(await ids(`?state=all&end=${at(-400)}`)).toEqual([4, 3, 5, 1])
  expect(await get('?state=closed')).toMatchObject({
    total: 3,
    open_unacknowledged: 1,
    open_by_state: { down: 2 },
  })
  expect((await nines.call('GET', `/api/v1/incidents?start=${at(1)}&end=${at(1)}`)).status).toBe(400)
  const { body: refused } = await nines.call('GET', '/api/v1/incidents?start=9999')
  expect(refused.details).toBe('start: must be an ISO 8601 time with a zone, got "9999"')
  expect((await nines.call('GET', '/api/v1/incidents?state=firing')).status).toBe(400)
})

test('the list has the notifications of each incident where they are asked for', async () => {
  await incident(1)
  await incident(2)
  const alert = { organization_id: 1, slo_id: 1, name: 'down', severity: 'critical', began_at: startSeconds } as const
  await nines.app.db.write
    .insertInto('alerts')
    .values({ ...alert, ended_at: null, incident_id: 1 })
    .execute()
  await nines.app.db.write
    .insertInto('notifications')
    .values({ ...notification, alert_id: 1, incident_id: 1, incident_event: 'opened' })
    .execute()
  expect((await get('?include=notifications')).incidents).toMatchObject([
    { slo_id: 2, notifications: [] },
    { slo_id: 1, notifications: [{ channel_name: null, incident_event: 'opened', sent_at: at(2), status: 'sent' }] },
  ])
  expect((await get()).incidents[0].notifications).toBeUndefined()
  const configuration = { webhook_url: 'http://127.0.0.1:9/hook' }
  await nines.call('POST', '/api/v1/notifications/channels', { name: 'chat', channel_type: 'webhook', configuration })
  const others = [{ channel_name: 'chat', reason: 'no_rule' }]
  expect((await get('?include=not_notified&slo_id=2')).incidents).toMatchObject([
    { slo_id: 2, notifications: [], not_notified: others },
  ])
  expect((await get('?include=notifications')).incidents[0].not_notified).toBeUndefined()
})

test('silences in force and the open incidents of active SLOs are found', async () => {
  await incident(1)
  await incident(2)
  const silence = { slo_id: 1, duration_seconds: 3600, comment: 'known' }
  await nines.call('POST', '/api/v1/notifications/silences', silence)
  expect((await get()).incidents).toMatchObject([
    { slo_id: 2, silenced: false },
    { slo_id: 1, silenced: true, silence: { comment: 'known', created_by_name: 'ada' } },
  ])
})

test('an incident of another organization is one that does not exist', async () => {
  const eve = await nines.join('eve')
  await incident(1)
  expect(await get('', eve)).toMatchObject({ incidents: [], total: 0, open_unacknowledged: 0 })
  for (const [method, path, body] of [
    ['GET', '/1', undefined],
    ['POST', '/1/acknowledge', {}],
    ['DELETE', '/1/acknowledge', undefined],
    ['POST', '/1/note', { note: 'x' }],
    ['POST', '/1/close', undefined],
  ] as const) {
    const { status, body: answer } = await nines.call(method, `/api/v1/incidents${path}`, body, { token: eve })
    expect([status, answer.error]).toEqual([404, 'Incident not found'])
  }
  expect((await nines.call('GET', '/api/v1/incidents/9')).status).toBe(404)
  expect(await get()).toMatchObject({ incidents: [{ state: 'down', acknowledged: null }] })
})

test('an incident names the last deploy or change of its SLO in the 30 minutes before it began', async () => {
  await nines.app.db.write.updateTable('slos').set({ labels: '{"service":"checkout"}' }).where('id', '<', 3).execute()
  const add = (seconds: number, sent: object = {}) =>
    nines.call('POST', '/api/v1/annotations', { kind: 'deploy', service: 'checkout', at: at(seconds), ...sent })
  await add(-600 - 1800)
  await add(-600 - 1799, { version: 'v1' })
  await incident(1)
  const named = async () => (await get()).incidents.map(({ deploy }: { deploy: unknown }) => deploy)
  expect(await named()).toEqual([{ id: 2, title: 'deploy checkout v1', url: '', seconds_before: 1799 }])
  await add(-700, { kind: 'change', text: 'More memory' })
  await add(-650, { kind: 'note' })
  await add(-640, { service: 'cart' })
  await add(-590)
  await incident(3) // has no such label
  const change = { id: 3, title: 'change checkout: More memory', url: '', seconds_before: 100 }
  expect(await named()).toEqual([null, change])
  expect((await get('/1')).data.deploy).toEqual(change)
})
