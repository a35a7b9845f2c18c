import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'

const hour = 3600
const now = testStartMs / 1000
const at = (seconds: number) => new Date((now + seconds) * 1000).toISOString()

let nines: TestApp
let sloId: number
beforeEach(async () => {
  nines = await joinedApp()
  const slo = { ...checkout, time_window: '24h', labels: { tier: '1' } }
  sloId = (await nines.call('POST', '/api/v1/slos', slo)).body.id
})
afterEach(() => nines.close())

const timeline = (query = '', token?: string) =>
  nines.call('GET', `/api/v1/slos/${sloId}/timeline${query}`, undefined, token === undefined ? {} : { token })

async function alert(name: string, from: number, to: number | null): Promise<void> {
  const values = { organization_id: 1, slo_id: sloId, name, severity: 'page', began_at: now + from } as const
  await nines.app.db.write
    .insertInto('alerts')
    .values({ ...values, ended_at: to === null ? null : now + to })
    .execute()
}

test('what happened to an SLO in its window is there, and what lies before it is not', async () => {
  await alert('burn_rate:3600:300', -26 * hour, -25 * hour)
  await alert('burn_rate:3600:300', -25 * hour, -23 * hour)
  await alert('burn_rate:21600:1800', -hour, null)
  const silence = (about: object) =>
    nines.call('POST', '/api/v1/notifications/silences', { ...about, duration_seconds: 600, comment: 'moving' })
  await silence({ slo_id: sloId })
  await silence({ labels: { tier: '1' } })
  await silence({ labels: { tier: '2' } })
  nines.clock.advance(60_000)
  await nines.call('PUT', `/api/v1/slos/${sloId}`, { target: 99.5 })
  nines.clock.advance(60_000)
  const { status, body } = await timeline()
  expect(status).toBe(200)
  expect(body).toMatchObject({ slo_id: sloId, start_time: at(-24 * hour + 120), end_time: at(120) })
  const rest = {
    acknowledged_at: null,
    acknowledged_by: null,
    kind: 'burn_rate',
    reason: null,
    threshold_percent: null,
    condition: null,
  }
  expect(body.alerts).toEqual([
    {
      id: 3,
      name: 'burn_rate:21600:1800',
      long_window: '6h',
      short_window: '30m',
      severity: 'page',
      began_at: at(-hour),
      ended_at: null,
      ...rest,
    },
    {
      id: 2,
      name: 'burn_rate:3600:300',
      long_window: '1h',
      short_window: '5m',
      severity: 'page',
      began_at: at(-25 * hour),
      ended_at: at(-23 * hour),
      ...rest,
    },
  ])
  expect(body.silences).toEqual([
    { id: 2, starts_at: at(0), until: at(600), comment: 'moving' },
    { id: 1, starts_at: at(0), until: at(600), comment: 'moving' },
  ])
  expect(body.changes).toMatchObject([
    { event: 'changed', changed_at: at(60), changed_by_name: 'ada', fields: ['target'] },
    { event: 'created', fields: [] },
  ])
})

test('a range of time bounds it on both sides', async () => {
  await alert('burn_rate:3600:300', -5 * hour, -4 * hour)
  await alert('burn_rate:3600:300', -2 * hour, -hour)
  const range = (from: number, to: number) => timeline(`?start=${at(from)}&end=${at(to)}`)
  const found = await range(-6 * hour, -3 * hour)
  expect(found.body.alerts.map(({ id }: { id: number }) => id)).toEqual([1])
  expect(found.body.changes).toEqual([])
  const { status, body } = await range(-3 * hour, -6 * hour)
  expect([status, body.problems]).toEqual([
    400,
    [{ field: 'start', message: 'must be before the end', code: 'invalid', params: {}, got: `"${at(-3 * hour)}"` }],
  ])
})

test('strangers are answered as for an SLO that does not exist', async () => {
  expect((await timeline('', await nines.join('eve'))).status).toBe(404)
})

test('annotations whose labels the SLO has are there in one line, and others are not', async () => {
  const add = (sent: object) => nines.call('POST', '/api/v1/annotations', sent)
  await add({ kind: 'deploy', service: 'checkout', labels: { tier: '1' }, version: 'v1', at: at(-60) })
  await add({ kind: 'deploy', labels: { tier: '1' }, version: 'v1.4.2', url: 'https://ci.example/812', at: at(-60) })
  await add({ kind: 'note', labels: { tier: '1' }, text: 'Sale begins\nat noon', at: at(-30) })
  await add({ kind: 'note', labels: { tier: '1' }, text: 'before the window', at: at(-25 * hour) })
  const { body } = await timeline()
  expect(body.annotations).toEqual([
    { id: 3, kind: 'note', title: 'note 1: Sale begins', url: '', at: at(-30) },
    { id: 2, kind: 'deploy', title: 'deploy 1 v1.4.2', url: 'https://ci.example/812', at: at(-60) },
  ])
})

test('times that a correction excludes are there, each time of a rule, and no correction of another SLO', async () => {
  const other = await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'other', time_window: '24h' })
  const correct = (more: object) =>
    nines.call('POST', '/api/v1/corrections', { slo_ids: [sloId], category: 'planned_maintenance', ...more })
  await correct({ from: at(-3 * hour), to: at(-2 * hour), text: 'moving' })
  await correct({ from: at(-40 * hour), to: at(-39 * hour) })
  await correct({ slo_ids: [other.body.id], from: at(-3 * hour), to: at(-2 * hour) })
  const rule = { rrule: 'FREQ=DAILY', duration_seconds: 600, time_zone: 'UTC', category: 'bad_data' }
  await correct({ from: at(-50 * hour), ...rule })
  const { body } = await timeline(`?start=${at(-30 * hour)}&end=${at(0)}`)
  expect(body.corrections).toEqual([
    { id: 4, category: 'bad_data', text: '', from: at(-2 * hour), to: at(-2 * hour + 600) },
    { id: 1, category: 'planned_maintenance', text: 'moving', from: at(-3 * hour), to: at(-2 * hour) },
    { id: 4, category: 'bad_data', text: '', from: at(-26 * hour), to: at(-26 * hour + 600) },
  ])
})

test('times of corrections are searched in 400 days, however long the range is', async () => {
  const rule = { rrule: 'FREQ=DAILY', duration_seconds: 600, time_zone: 'UTC', category: 'bad_data' }
  await nines.call('POST', '/api/v1/corrections', { slo_ids: [sloId], from: at(-50 * hour), ...rule })
  const timesIn = async (start: string, end: string) =>
    (await timeline(`?start=${start}&end=${end}`)).body.corrections.map(({ from }: { from: string }) => from)
  const times = await timesIn('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z')
  expect([times.length, times[0], times.at(-1)]).toEqual([369, at(366 * 24 * hour - 2 * hour), at(-50 * hour)])
  expect(await timesIn('9000-01-01T00:00:00Z', '9999-12-31T00:00:00Z')).toEqual([])
})
