import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createDelivery, type Delivery } from '../../../src/notifications/delivery/delivery.ts'
import { tiers } from '../alerts/alerting.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { startPagerDuty, routingKey } from '../../support/receivers/pagerduty.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { seeded } from '../../support/seeded.ts'
import { ids, type Storm, storm } from './storm-world.ts'

let world: Storm
let delivery: Delivery
let refuses: () => boolean
let accepted: Received[]

beforeEach(() => {
  refuses = () => false
  accepted = []
})

afterEach(async () => {
  await delivery.drain()
  await closeAll()
  await world.close()
})

/** SLOs at one channel, a webhook, that accepts what it does not refuse. */
async function begin(count: number): Promise<void> {
  const receiver = startReceiver((request) => {
    if (refuses()) return new Response('no', { status: 503 })
    accepted.push(request)
    return new Response('ok')
  })
  closeLater(() => void receiver.close())
  world = await storm(count, { channel_type: 'webhook', configuration: { webhook_url: receiver.url } })
  delivery = createDelivery({ ...world.nines.app, instanceId: 'test', random: () => 1 })
}

async function deliverAfter(seconds: number): Promise<void> {
  world.wait(seconds)
  await delivery.run()
}

type Event = { id: number; slo_name: string; event: string; notificationId: number }

const eventsOf = ({ json: { id, incidents, incident, slo } }: Received): Event[] =>
  (incidents ?? [{ ...incident, slo_name: slo.name }]).map((one: object) => ({ ...one, notificationId: id }))

/** Events of an SLO's incidents in the order in which the receiver got them. */
const gotOf = (id: number) =>
  accepted
    .flatMap(eventsOf)
    .filter(({ slo_name }) => slo_name === `site-${id}`)
    .map(({ event }) => event)

/** Makes 12 SLOs fail and succeed again: the ends of the last four are in a list that is still gathered. */
async function gatherEnds(): Promise<void> {
  await world.fail(ids(1, 12))
  await deliverAfter(0)
  await deliverAfter(101)
  await world.recover(ids(1, 12))
  await deliverAfter(20)
  expect(accepted).toHaveLength(17)
}

describe('while a list gathers', () => {
  test('a new outage is sent at once, and its end in a later list', async () => {
    await begin(13)
    await gatherEnds()
    await world.fail([13])
    await deliverAfter(0)
    expect(gotOf(13)).toEqual(['opened'])
    await world.recover([13])
    await deliverAfter(10)
    expect([gotOf(12), gotOf(13)]).toEqual([['opened', 'recovered'], ['opened']])
    await deliverAfter(20)
    expect(gotOf(13)).toEqual(['opened', 'recovered'])
  })

  test('an outage that its receiver has not accepted ends after it', async () => {
    await begin(13)
    await gatherEnds()
    refuses = () => true
    await world.fail([13])
    await deliverAfter(3)
    await world.recover([13])
    await deliverAfter(7)
    refuses = () => false
    for (let seconds = 0; seconds < 300; seconds += 30) await deliverAfter(30)
    expect(gotOf(13)).toEqual(['opened', 'recovered'])
    expect(gotOf(12)).toEqual(['opened', 'recovered'])
  })

  test('messages about its SLOs wait for it', async () => {
    await begin(13)
    await gatherEnds()
    await world.fail([12, 13])
    await deliverAfter(0)
    expect([gotOf(12), gotOf(13)]).toEqual([['opened'], ['opened']])
    await deliverAfter(10)
    expect([gotOf(12), gotOf(13)]).toEqual([['opened', 'recovered', 'again'], ['opened']])
  })

  test('an SLO that recovers and fails again is in a list of its own after its end', async () => {
    await begin(12)
    await world.fail(ids(1, 12))
    world.wait(5)
    await world.recover(ids(1, 12))
    world.wait(5)
    await world.fail(ids(1, 12))
    for (let seconds = 0; seconds < 60; seconds += 5) await deliverAfter(5)
    for (const id of ids(1, 12)) expect(gotOf(id)).toEqual(['opened', 'recovered', 'again'])
  })

  test('an incident that opens and rises is in it as opened, with the higher severity', async () => {
    await begin(12)
    await world.evaluate(ids(1, 12), tiers({ 1: true }))
    world.wait(5)
    await world.fail(ids(9, 12))
    await deliverAfter(25)
    for (const id of ids(9, 12)) expect(gotOf(id)).toEqual(['opened'])
    expect(accepted.at(-1)?.json.incidents).toMatchObject(ids(9, 12).map(() => ({ is_down: true })))
  })

  test('a rise waits for the list of the lower severity', async () => {
    await begin(12)
    await world.evaluate(ids(1, 12), tiers({ 24: true }))
    world.wait(5)
    await world.fail([12])
    await deliverAfter(0)
    expect(gotOf(12)).toEqual([])
    for (let seconds = 0; seconds < 60; seconds += 5) await deliverAfter(5)
    expect(gotOf(12)).toEqual(['opened', 'rose'])
  })
})

test('an incident tool is sent other outages while a list gathers', async () => {
  const receiver = startPagerDuty()
  closeLater(() => void receiver.close())
  const configuration = { routing_key: routingKey, api_url: receiver.url }
  world = await storm(13, { channel_type: 'incident_a', configuration })
  delivery = createDelivery({ ...world.nines.app, instanceId: 'test', random: () => 1 })
  await world.fail(ids(1, 12))
  await world.recover([1])
  await deliverAfter(1)
  expect(receiver.open()).toHaveLength(7)
  await deliverAfter(29)
  expect(receiver.open()).toHaveLength(8)
})

/** Events of an incident in an order in which they can happen. */
const inOrder = /^opened( rose)*( recovered (again|flapping)( rose)*)*( recovered)?$/

test.each(ids(1, 4))(
  'of random outages %p at a receiver that often fails each incident is received in order',
  async (seed) => {
    await begin(15)
    const random = seeded(seed)
    refuses = () => random() < 0.4
    const some = () => ids(1, 15).filter(() => random() < 0.3)
    const up = { isDown: false, isUnconfirmed: false, sinceSeconds: null, reason: null }
    for (let step = 0; step < 60; step += 1) {
      const kind = random()
      if (kind < 0.2) await world.evaluate(some(), tiers({ 24: true }))
      else if (kind < 0.3) await world.evaluate(some(), tiers({ 1: true }))
      else if (kind < 0.6) await world.fail(some())
      else await world.evaluate(some(), { outage: up, ...tiers({}) })
      for (let pass = 0; pass < 3; pass += 1) await deliverAfter(Math.floor(random() * 8))
    }
    refuses = () => false
    for (let pass = 0; pass < 20; pass += 1) await deliverAfter(60)

    const got = Map.groupBy(accepted.flatMap(eventsOf), ({ id }) => id)
    expect(got.size).toBeGreaterThan(10)
    for (const events of got.values()) {
      expect(events.map(({ event }) => event).join(' ')).toMatch(inOrder)
      const notificationIds = events.map(({ notificationId }) => notificationId)
      expect(notificationIds).toEqual(notificationIds.toSorted((one, other) => one - other))
    }
    expect((await world.rows()).filter(({ status }) => status === 'pending')).toEqual([])
  },
  60_000,
)
