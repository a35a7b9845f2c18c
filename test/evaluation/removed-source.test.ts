import { afterEach, expect, test } from 'bun:test'
import { endOrphanedAlerts } from '../../src/notifications/alerts/raise-alerts.ts'
import { closeAll } from '../support/closing.ts'
import { shop } from './shop-world.ts'

afterEach(closeAll)

const fails = { '/checkout': 1 }
const source = '/api/v1/tsdb/sources/1'

async function burningShop() {
  const world = await shop()
  await world.minutes(4, fails)
  expect(await world.incidents()).toHaveLength(1)
  return world
}

test.each([
  ['deleted', 'DELETE', undefined],
  ['switched off', 'PUT', { is_active: false }],
])(
  'a source that is %s closes the incident of its SLO, once, as not known to be up',
  async (_, method, body) => {
    const { nines, minutes, incidents, messages } = await burningShop()
    expect((await nines.call(method, source, body)).status).toBe(200)
    await endOrphanedAlerts(nines.app)
    await endOrphanedAlerts(nines.app)
    await minutes(5, fails)
    expect(await incidents('all')).toMatchObject([
      { state: 'closed', close_reason: 'not_evaluated', recovered_at: null },
    ])
    const [, end, ...others] = await messages()
    expect(end).toMatchObject({
      incident_event: 'recovered',
      subject: expect.stringContaining('is not known to be up'),
    })
    expect(others).toEqual([])
    expect((await nines.call('GET', '/api/v1/notifications/alerts')).body.alerts).toEqual([])
  },
  120_000,
)

test('a source that an SLO names is not deleted, and its incident goes on', async () => {
  const { nines, minutes, incidents } = await burningShop()
  await nines.call('PUT', '/api/v1/slos/1', { source_id: 1 })
  expect((await nines.call('DELETE', source)).status).toBe(409)
  await minutes(2, fails)
  await endOrphanedAlerts(nines.app)
  expect(await incidents()).toMatchObject([{ state: 'burning_fast' }])
}, 120_000)

test('an SLO that is given a source without its data keeps its incident, of which nothing new is known', async () => {
  const { nines, minutes, incidents, messages } = await burningShop()
  const other = { name: 'other', api_url: 'http://127.0.0.1:9' }
  const { body } = await nines.call('POST', '/api/v1/tsdb/sources', other)
  await nines.call('PUT', '/api/v1/slos/1', { source_id: body.id, force: true })
  await minutes(3)
  await endOrphanedAlerts(nines.app)
  expect(await incidents()).toMatchObject([{ state: 'unknown' }])
  expect(await messages()).toHaveLength(1)
  expect((await nines.call('PUT', `/api/v1/tsdb/sources/${body.id}`, { is_active: false })).status).toBe(200)
  await endOrphanedAlerts(nines.app)
  expect(await incidents('all')).toMatchObject([{ close_reason: 'not_evaluated' }])
}, 120_000)
