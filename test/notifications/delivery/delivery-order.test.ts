import { afterEach, expect, test } from 'bun:test'
import type { CompiledQuery } from 'kysely'
import { createDelivery } from '../../../src/notifications/delivery/delivery.ts'
import { closeAll } from '../../support/closing.ts'
import { arrived, deliveryWorld, type DeliveryWorld, gate, refusing, subjectsAt } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

test('a channel gets its notifications in the order in which they were queued, each once', async () => {
  world = await deliveryWorld()
  const subjects = Array.from({ length: 45 }, (_, at) => `number ${at}`)
  const channel = await world.channel()
  await world.queue(channel.id, subjects)
  await world.delivery.run()
  expect(subjectsAt(channel)).toEqual(subjects)
  await world.delivery.run()
  expect(subjectsAt(channel)).toHaveLength(45)
  expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))
})

test('nothing overtakes what waits for its retry', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  channel.receiver.next(refusing(503))
  await world.queue(channel.id, ['alert', 'recovery'])
  await world.delivery.run()
  await world.queue(channel.id, ['later'])
  world.nines.clock.advance(9999)
  await world.delivery.run()
  expect(subjectsAt(channel)).toEqual(['alert'])
  expect(await world.statuses()).toEqual(['pending', 'pending', 'pending'])
  world.nines.clock.advance(1)
  await world.delivery.run()
  expect(subjectsAt(channel)).toEqual(['alert', 'alert', 'recovery', 'later'])
})

test('what is queued while its channel is at work is delivered by the same pass', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  const { answer, requested, open } = gate()
  channel.receiver.next(answer)
  await world.queue(channel.id, ['first'])
  const running = world.delivery.run()
  await requested
  await world.queue(channel.id, ['second'])
  open()
  await running
  expect(subjectsAt(channel)).toEqual(['first', 'second'])
})

test('what was just queued is begun without a pass being requested', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  await world.queue(channel.id, ['first', 'second'])
  world.delivery.soon()
  world.delivery.soon()
  await arrived(2, channel)
  expect(subjectsAt(channel)).toEqual(['first', 'second'])
})

test('a pass waits for what was begun just before it, also where its own statements come later', async () => {
  world = await deliveryWorld()
  const { app } = world.nines
  const { answer, requested, open } = gate()
  open()
  const channel = await world.channel(answer)
  await world.queue(channel.id, ['first'])
  let statements = 0
  const read = new Proxy(app.db.read, {
    get: (target, name) => {
      if (name !== 'executeQuery') return Reflect.get(target, name)
      return async (query: CompiledQuery) => {
        if ((statements += 1) === 1) await requested // as if others had the turns of the event loop
        return target.executeQuery(query)
      }
    },
  })
  const delivery = createDelivery({ ...app, db: { ...app.db, read }, instanceId: 'test' })
  delivery.soon()
  await delivery.run()
  expect(await world.statuses()).toEqual(['delivered'])
})

test('a channel that does not answer delays no other, and is not begun twice', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '2' })
  const slow = await world.channel()
  const quick = await world.channel()
  const { answer, requested, open } = gate()
  slow.receiver.next(answer)
  await world.queue(slow.id, ['slow'])
  await world.queue(quick.id, ['quick'])
  const running = world.delivery.run()
  await requested
  await world.queue(quick.id, ['later'])
  await arrived(1, quick)
  await world.delivery.run()
  await arrived(2, quick)
  expect(subjectsAt(quick)).toEqual(['quick', 'later'])
  expect(subjectsAt(slow)).toEqual(['slow'])
  open()
  await running
  expect(await world.statuses()).toEqual(['delivered', 'delivered', 'delivered'])
})

test('no more channels are at work at once than NOTIFY_CONCURRENCY, and all get their turn', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '3' })
  let atOnce = 0
  let max = 0
  const busy = async () => {
    atOnce += 1
    max = Math.max(max, atOnce)
    await Bun.sleep(5)
    atOnce -= 1
    return new Response('ok')
  }
  const channels = await Promise.all(Array.from({ length: 8 }, () => world.channel(busy)))
  for (const { id } of channels) await world.queue(id, ['one', 'two'])
  await world.delivery.run()
  expect(channels.map(subjectsAt)).toEqual(channels.map(() => ['one', 'two']))
  expect(max).toBe(3)
})

test('channels that fail leave half of the slots to the others', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '4', NOTIFY_RETRY_DELAY: '0' })
  const held = gate()
  const failing = await Promise.all(Array.from({ length: 4 }, () => world.channel()))
  for (const { receiver, id } of failing) {
    receiver.next(refusing(503), held.answer)
    await world.queue(id, ['first'])
  }
  const running = world.delivery.run()
  await arrived(6, ...failing) // two of them on their second attempt
  const well = await world.channel()
  await world.queue(well.id, ['well'])
  const runningToo = world.delivery.run()
  await arrived(1, well)
  expect(failing.flatMap(subjectsAt)).toHaveLength(6)
  held.open()
  await Promise.all([running, runningToo])
  expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))
})

test('a channel whose attempt takes long is no longer among those that are well', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '2' }, { limits: { timeoutMs: 10_000, slowMs: 1, closingMs: 0 } })
  const [first, second, third] = [gate(), gate(), gate()]
  const slow = await world.channel()
  const other = await world.channel()
  slow.receiver.next(first.answer, third.answer)
  other.receiver.next(second.answer)
  const [id = 0] = await world.queue(slow.id, ['a', 'b'])
  await world.queue(other.id, ['c', 'd'])
  const running = world.delivery.run()
  await Promise.all([first.requested, second.requested])
  await Bun.sleep(20) // both are slow by now and may use one of two slots
  first.open()
  while ((await world.row(id)).status !== 'delivered') await Bun.sleep(1)
  expect(subjectsAt(slow)).toEqual(['a'])
  second.open()
  await third.requested
  expect(subjectsAt(other)).toEqual(['c'])
  third.open()
  await running
  expect(subjectsAt(other)).toEqual(['c', 'd'])
})
