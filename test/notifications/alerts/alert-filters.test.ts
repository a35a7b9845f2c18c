import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { AlertRow } from '../../../src/db/tables/tables.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { evaluated } from '../../sli/ledger-fixtures.ts'
import { checkout } from '../../support/slo-calls.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/notifications/alerts'
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

async function alert(name: string, severity: AlertRow['severity'], more: Partial<AlertRow> = {}): Promise<void> {
  const values = { organization_id: 1, slo_id: 1, name, severity, began_at: now - 600, ended_at: null, ...more }
  await nines.app.db.write.insertInto('alerts').values(values).execute()
}

const get = (more = '') => nines.call('GET', `${path}${more}`)
const list = async (query = '') => (await get(query)).body.alerts
const ids = async (query = '') => (await list(query)).map(({ id }: { id: number }) => id)

test('the list is narrowed to a severity, a team and a range of time', async () => {
  await alert('status', 'warning', { began_at: now - 7200, ended_at: now - 3600 })
  await alert('burn_rate:3600:300', 'page', { slo_id: 2, began_at: now - 1800 })
  await alert('status', 'critical', { began_at: now - 60 })
  const { id: team } = (await nines.call('POST', '/api/v1/organization/teams', { name: 'Shop' })).body
  await nines.call('PUT', '/api/v1/slos/2', { team_id: team })
  expect(await ids('?severity=page')).toEqual([2])
  expect(await ids(`?state=all&team_id=${team}`)).toEqual([2])
  expect(await ids('?team_id=99')).toEqual([])
  const during = (from: number, to: number) => ids(`?state=all&start=${at(from)}&end=${at(to)}`)
  expect(await during(-9000, -7200)).toEqual([])
  expect(await during(-9000, -7199)).toEqual([1])
  expect(await during(-3600, -1800)).toEqual([])
  expect(await during(-3601, 0)).toEqual([3, 2, 1])
  expect(await ids(`?state=all&start=${at(-3600)}`)).toEqual([3, 2])
  const { status, body } = await get(`?start=${at(0)}&end=${at(0)}`)
  expect([status, rulesOf(body)]).toEqual([400, 'start: must be before the end'])
})

test('the list has the burn rates of a tier that fires, as they were last measured', async () => {
  const rates = { min_events: 0, long_bad_events: 5, enabled: true, firing: true }
  const tier = { severity: 'page', long_seconds: 3600, short_seconds: 300, factor: 14.4, ...rates } as const
  await evaluated(nines, 1, { burnRates: [{ ...tier, long: 20, short: 18 }] })
  await alert('burn_rate:3600:300', 'page')
  await alert('burn_rate:3600:300', 'page', { ended_at: now - 60 })
  expect(await list('?state=all')).toMatchObject([
    { id: 1, burn_rate: { factor: 14.4, long_window: '1h', short_window: '5m', long: 20, short: 18 } },
    { id: 2, burn_rate: null },
  ])
})

test('the list and the timeline are narrowed to alerts of no incident', async () => {
  const times = { began_at: now - 600, opened_at: now - 540, since: now - 600 }
  await nines.app.db.write
    .insertInto('incidents')
    .values({ organization_id: 1, slo_id: 1, severity: 'critical', state: 'burning_fast', relapses: 0, ...times })
    .execute()
  await alert('burn_rate:3600:300', 'page', { incident_id: 1 })
  await alert('budget:25', 'warning', { slo_id: 2 })
  await alert('status', 'critical', { slo_id: 2, ended_at: now - 60 })
  expect(await ids('?incident=none')).toEqual([2])
  expect(await ids('?incident=none&state=all')).toEqual([2, 3])
  expect(await ids('?state=all')).toHaveLength(3)
  const { alerts } = (await get('/timeline?incident=none')).body
  expect(alerts.map(({ id }: { id: number }) => id)).toEqual([3, 2])
  expect((await get('?incident=1')).status).toBe(400)
})
