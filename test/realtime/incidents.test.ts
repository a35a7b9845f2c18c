import { afterEach, beforeEach, expect, test } from 'bun:test'
import { tiers, warning } from '../notifications/alerts/alerting.ts'
import { type LiveWorld, liveWorld } from './live.ts'

let world: LiveWorld
beforeEach(async () => {
  world = await liveWorld()
})
afterEach(() => world.close())

const call = async (method: string, path: string, body?: object) => {
  const answer = await world.nines.call(method, `/api/v1/incidents/1${path}`, body, { token: world.ada })
  await world.nines.app.feed.drain()
  return answer.body.data
}
const page = { sloId: 1, ...warning, ...tiers({ 1: true }) }
const ofIncidents = (messages: { type: string; data: Record<string, unknown> }[]) =>
  messages.filter(({ type }) => type === 'incident').map(({ data }) => data)

test('an incident goes to who has subscribed to the SLO or to all: opened, changed and closed', async () => {
  const [one, all] = [await world.connect(), await world.connect()]
  const eve = await world.connect({ token: world.eve })
  await one.subscribe(1, ['status'])
  for (const client of [all, eve]) {
    client.send({ type: 'subscribe', data: { all: true } })
    await client.next()
  }
  await world.minute(page)
  await world.minute(page)
  const opened = {
    incident_id: 1,
    slo_id: 1,
    event: 'opened',
    severity: 'critical',
    state: 'burning_fast',
    recovered_at: null,
    closed_at: null,
    close_reason: null,
    relapses: 0,
    cause: null,
    acknowledged: null,
  }
  expect(ofIncidents(await one.heard())).toEqual([
    { ...opened, began_at: expect.any(String), since: expect.any(String) },
  ])
  const { acknowledged } = await call('POST', '/acknowledge', { note: 'mine' })
  expect(acknowledged).toMatchObject({ by: 'ada', note: 'mine' })
  await world.minute({ sloId: 1, ...warning, ...tiers({}) })
  await call('POST', '/close')
  const changed = [
    { event: 'changed', state: 'burning_fast', acknowledged },
    { event: 'changed', state: 'recovering', acknowledged, recovered_at: expect.any(String) },
    { event: 'closed', state: 'closed', close_reason: 'by_hand' },
  ]
  expect(ofIncidents(await one.heard())).toMatchObject(changed)
  expect(ofIncidents(await all.heard())).toMatchObject([opened, ...changed])
  expect(await eve.heard()).toEqual([])
})

test('an acknowledgement of an incident goes out for each of its alerts', async () => {
  await world.minute(page)
  const client = await world.connect()
  await client.subscribe(1)
  await call('POST', '/acknowledge', {})
  const told = (await client.heard()).filter(({ type }) => type === 'acknowledgement')
  expect(told.map(({ data }) => [data.alert_id, data.acknowledged.by])).toEqual([
    [1, 'ada'],
    [2, 'ada'],
    [3, 'ada'],
  ])
})
