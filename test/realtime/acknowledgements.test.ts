import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type LiveWorld, liveWorld } from './live.ts'

let world: LiveWorld
beforeEach(async () => {
  world = await liveWorld()
  await world.minute({ sloId: 1, status: 'critical', current: 90 })
})
afterEach(() => world.close())

const path = '/api/v1/notifications/alerts/1/acknowledge'
const acknowledge = (body: object) => world.nines.call('POST', path, body, { token: world.ada })
const ofKind = (messages: { type: string }[]) => messages.filter(({ type }) => type === 'acknowledgement')

test('an acknowledgement goes to who has subscribed to the SLO or to all, and so does its withdrawal', async () => {
  const [one, all] = [await world.connect(), await world.connect()]
  const eve = await world.connect({ token: world.eve })
  await one.subscribe(1, ['status'])
  all.send({ type: 'subscribe', data: { all: true } })
  await all.next()
  eve.send({ type: 'subscribe', data: { all: true } })
  await eve.next()
  const { acknowledged } = (await acknowledge({ note: 'mine' })).body.data
  expect(acknowledged).toMatchObject({ by: 'ada', note: 'mine' })
  await world.nines.call('DELETE', path, undefined, { token: world.ada })
  const told = [acknowledged, null].map((value) => ({
    type: 'acknowledgement',
    data: { alert_id: 1, slo_id: 1, acknowledged: value },
  }))
  expect(ofKind(await one.heard())).toEqual(told)
  expect(ofKind(await all.heard())).toEqual(told)
  expect(await eve.heard()).toEqual([])
})

test('of a condition of nines itself, it goes to who has subscribed to all', async () => {
  const values = { organization_id: 1, slo_id: null, name: 'condition:disk_full', severity: 'critical' } as const
  const began_at = Math.floor(world.nines.clock.now() / 1000)
  const { id } = await world.nines.app.db.write
    .insertInto('alerts')
    .values({ ...values, began_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const [one, all] = [await world.connect(), await world.connect()]
  await one.subscribe(1)
  all.send({ type: 'subscribe', data: { all: true } })
  await all.next()
  await world.nines.call('POST', `/api/v1/notifications/alerts/${id}/acknowledge`, {}, { token: world.ada })
  expect(ofKind(await all.heard())).toMatchObject([
    { data: { alert_id: id, slo_id: null, acknowledged: { by: 'ada' } } },
  ])
  expect(ofKind(await one.heard())).toEqual([])
})
