import { afterEach, describe, expect, test } from 'bun:test'
import { endOrphanedAlerts } from '../../src/notifications/alerts/raise-alerts.ts'
import { closeAll } from '../support/closing.ts'
import { shop } from './shop-world.ts'

afterEach(closeAll)

const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`
const failing = { bad_query: sum('{code="500"}') }
const harmless = { bad_query: sum('{code="500",route="/none"}') }
const fails = { '/checkout': 1 }

/** A shop whose SLO has an open incident that is acknowledged. */
async function burningShop() {
  const world = await shop()
  await world.minutes(5, fails)
  const [incident] = await world.incidents()
  await world.nines.call('POST', `/api/v1/incidents/${incident.id}/acknowledge`, { note: 'on it' })
  return { ...world, stored: () => stored(world) }
}

/** Rows of incidents and alerts, and the keys of notifications, whose delivery goes on. */
async function stored({ nines: { app } }: Awaited<ReturnType<typeof shop>>) {
  const read = (table: 'incidents' | 'alerts') => app.db.read.selectFrom(table).selectAll().execute()
  const keys = app.db.read.selectFrom('notifications').select(['id', 'idempotency_key', 'message'])
  return [await read('incidents'), await read('alerts'), await keys.execute()]
}

/** Edits the SLO, and evaluates it as soon as after an edit. */
async function edit({ nines: { app, call, clock } }: Awaited<ReturnType<typeof shop>>, body: object, method = 'PUT') {
  expect((await call(method, '/api/v1/slos/1', body)).status).toBe(200)
  clock.advance(1000)
  await app.evaluator.evaluateAll()
  await endOrphanedAlerts(app)
}

describe('an edit that is taken back within ten seconds', () => {
  test.each([
    ['of the query', harmless, failing],
    ['of the target', { target: 50 }, { target: 99.9 }],
    ['of the window', { time_window: '1h' }, { time_window: '30d' }],
    ['that pauses it', { paused: true }, { paused: false }],
    ['that deletes it', { active: false }, { active: true }],
  ])(
    'leaves the incident as it is: %s',
    async (_, change, back) => {
      const world = await burningShop()
      const before = await world.stored()
      await edit(world, change)
      await edit(world, back)
      expect(await world.stored()).toEqual(before)
      await world.minutes(3, fails)
      const [incidents] = before
      expect(await world.incidents()).toMatchObject([
        { id: incidents?.[0]?.id, acknowledged: { by: 'ada', note: 'on it' }, recovered_at: null, relapses: 0 },
      ])
      expect((await world.stored())[0]).toMatchObject([
        { began_at: (incidents as { began_at: number }[])[0]?.began_at },
      ])
      expect(await world.messages()).toHaveLength(1)
    },
    120_000,
  )

  test('opens nothing that only the edit would open', async () => {
    const world = await shop()
    await edit(world, harmless)
    await world.minutes(5, fails)
    expect(await world.messages()).toEqual([])
    await edit(world, failing)
    await edit(world, harmless)
    await world.minutes(3, fails)
    expect(await world.messages()).toEqual([])
    expect(await world.incidents('all')).toEqual([])
  }, 120_000)
})

describe('an edit that stays', () => {
  test('after which nothing fails is one end, ten seconds later at the earliest', async () => {
    const world = await burningShop()
    await edit(world, harmless)
    expect(await world.messages()).toHaveLength(1)
    await world.minutes(20, fails)
    const events = (await world.messages()).map(({ incident_event }) => incident_event)
    expect(events).toEqual(['opened', 'recovered'])
    expect(await world.incidents('all')).toMatchObject([{ state: 'closed' }])
  }, 120_000)

  test('after which it fails is one opening, ten seconds later at the earliest', async () => {
    const world = await shop()
    await edit(world, harmless)
    await world.minutes(5, fails)
    await edit(world, failing)
    expect(await world.messages()).toEqual([])
    await world.minutes(3, fails)
    expect((await world.messages()).map(({ incident_event }) => incident_event)).toEqual(['opened'])
  }, 120_000)

  test('after which it fails as before keeps the incident, its begin and its acknowledgement', async () => {
    const world = await burningShop()
    const [before] = await world.incidents()
    await edit(world, { ...failing, bad_query: sum('{code=~"5.."}') })
    await world.minutes(5, fails)
    const { id, began_at, acknowledged } = before
    expect(await world.incidents()).toMatchObject([{ id, began_at, acknowledged }])
    expect(await world.messages()).toHaveLength(1)
  }, 120_000)
})
