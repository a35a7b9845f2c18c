import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import type { Answerer } from '../../support/receiver.ts'
import { arrived, deliveryWorld, type DeliveryWorld, gate, subjectsAt, type Through } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

/** Channels with a queued notification each, whose receivers hang until `open`. `max`: most requests at the same time. */
async function hanging(count: number) {
  const { answer, open } = gate()
  let now = 0
  const counted = { max: 0 }
  const counting: Answerer = async (request) => {
    now += 1
    counted.max = Math.max(counted.max, now)
    await answer(request)
    now -= 1
    return new Response('ok')
  }
  const channels = await Promise.all(Array.from({ length: count }, () => world.channel(counting)))
  for (const { id } of channels) await world.queue(id, ['hangs'])
  return { channels, counted, open }
}

/** A channel of another organization, with queued notifications. */
async function ofAnother(...subjects: string[]): Promise<Through> {
  const token = await world.nines.join('bob')
  const channel = await world.channel(undefined, {}, token)
  await world.queue(channel.id, subjects, { organization_id: 2 })
  return channel
}

const allDelivered = async () => expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))

test('NOTIFY_CONCURRENCY is the bound on what is under way, receivers that hang included', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '2' }, { limits: { slowMs: 1 } })
  const { channels, counted, open } = await hanging(10)
  const running = world.delivery.run()
  await arrived(2, ...channels)
  await Bun.sleep(50) // several times as long as a third request would need
  expect(channels.flatMap(subjectsAt)).toHaveLength(2)
  open()
  await running
  expect(counted.max).toBe(2)
  await allDelivered()
})

test('no more than NOTIFY_SLOW_CONCURRENCY wait for their receivers beside NOTIFY_CONCURRENCY at work', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '2', NOTIFY_SLOW_CONCURRENCY: '5' }, { limits: { slowMs: 1 } })
  const { channels, counted, open } = await hanging(20)
  const running = world.delivery.run()
  await arrived(7, ...channels)
  await Bun.sleep(50) // several times as long as one more request would need
  expect(channels.flatMap(subjectsAt)).toHaveLength(7)
  open()
  await running
  expect(counted.max).toBe(7)
  await allDelivered()
})

test('fifty channels whose receivers hang hold up no other that there is room beside them for', async () => {
  world = await deliveryWorld({ NOTIFY_SLOW_CONCURRENCY: '64' }, { limits: { slowMs: 10 } })
  const { channels, open } = await hanging(50)
  const well = await world.channel()
  await world.queue(well.id, ['first', 'second'])
  const running = world.delivery.run()
  await arrived(2, well)
  expect(channels.flatMap(subjectsAt)).toHaveLength(50)
  open()
  await running
  await allDelivered()
})

test.each([
  ['2', '0'],
  ['8', '0'],
  ['1', '2'],
])(
  'of %p places, and %p beside them, the hanging receivers of one organization leave one to another’s',
  async (max, slow) => {
    const env = { NOTIFY_CONCURRENCY: max, NOTIFY_SLOW_CONCURRENCY: slow }
    world = await deliveryWorld(env, { limits: { slowMs: 1 } })
    const { channels, open } = await hanging(20)
    const other = await ofAnother('first', 'second')
    const running = world.delivery.run()
    await arrived(2, other)
    expect(subjectsAt(other)).toEqual(['first', 'second'])
    expect(channels.flatMap(subjectsAt).length).toBeLessThan(Number(max) + Number(slow))
    open()
    await running
    await allDelivered()
  },
)

test('organizations take turns, however many channels of one wait', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '1' })
  const order: string[] = []
  const noting = (name: string) => () => {
    order.push(name)
    return new Response('ok')
  }
  const token = await world.nines.join('bob')
  for (const name of ['a', 'b', 'c']) {
    const { id } = await world.channel(noting(name))
    await world.queue(id, [name])
  }
  const other = await world.channel(noting('other'), {}, token)
  await world.queue(other.id, ['other'], { organization_id: 2 })
  await world.delivery.run()
  expect(order).toEqual(['a', 'other', 'b', 'c'])
  await allDelivered()
})
