import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Database } from '../../../src/db/sqlite.ts'
import { createDelivery } from '../../../src/notifications/delivery/delivery.ts'
import { closeAll } from '../../support/closing.ts'
import { unlimitPages, limitPages, untilRefused } from '../../support/page-limit.ts'
import { deliveryWorld, type DeliveryWorld, subjectsAt, type Through } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

const disk = () => world.nines.app.db.write

/** Fills the disk while the first notification is sent, before it is answered. */
async function sendIntoFullDisk(channel: Through) {
  const { conditions } = world.nines.app
  const [first = 0] = await world.queue(channel.id, ['first', 'second', 'third'])
  channel.receiver.next(async () => {
    await limitPages(disk())
    const attempt = { notification_id: first, attempted_at: 0, duration_ms: 0, outcome: 'retry' } as const
    await untilRefused(() => disk().insertInto('notification_attempts').values(attempt).execute())
    return new Response('ok')
  })
  const running = world.delivery.run()
  await untilRefused(async () => {
    await Bun.sleep(1)
    if (conditions.list().length > 0) await world.delivery.run()
  })
  return { running, first }
}

test('what was sent while the disk is full is written at once when it has room, not sent again, and the rest follows', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  const { running } = await sendIntoFullDisk(channel)
  expect(await world.statuses()).toEqual(['sending', 'sending', 'sending'])
  await unlimitPages(disk())
  await world.delivery.run()
  await running
  expect(await world.statuses()).toEqual(['delivered', 'delivered', 'delivered'])
  expect(subjectsAt(channel)).toEqual(['first', 'second', 'third'])
})

test('what was sent and could not be written before the end is sent again after the start, with the same key', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  const { running, first } = await sendIntoFullDisk(channel)
  world.nines.app.startClosing()
  await world.delivery.drain()
  await running
  await unlimitPages(disk())
  expect((await world.row(first)).status).toBe('sending')
  // the outcome of the last may have had room by itself
  const statuses = await world.statuses()
  const unwritten = ['first', 'second', 'third'].filter((_, index) => statuses[index] !== 'delivered')
  const before = subjectsAt(channel).length
  await createDelivery({ ...world.nines.app, isClosing: () => false, instanceId: 'test' }).run()
  expect(subjectsAt(channel).slice(before)).toEqual(unwritten)
  const keys = channel.receiver.received.map(({ headers }) => headers.get('idempotency-key'))
  expect(new Set(keys).size).toBe(3)
})

test('what was sent while another process has locked the database is written once it is free, and not sent again', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  const other = new Database(join(world.nines.dataDir, 'nines.db'))
  const locked = Promise.withResolvers<void>()
  channel.receiver.next(() => {
    other.exec('begin immediate')
    locked.resolve()
    return new Response('ok')
  })
  await world.queue(channel.id, ['first', 'second'])
  const running = world.delivery.run()
  await locked.promise
  await untilRefused(async () => {
    await Bun.sleep(5)
    world.nines.clock.advance(1000)
    await world.delivery.run()
  })
  other.close()
  await world.delivery.run()
  await running
  expect(await world.statuses()).toEqual(['delivered', 'delivered'])
  expect(subjectsAt(channel)).toEqual(['first', 'second'])
})
