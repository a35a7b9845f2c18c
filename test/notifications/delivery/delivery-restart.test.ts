import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { testStartMs } from '../../support/app.ts'
import { deliveryWorld, type DeliveryWorld, gate, refusing, subjectsAt } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

const claim = (world: DeliveryWorld, leasedUntilMs: number) =>
  world.nines.app.db.write
    .updateTable('notifications')
    .set({ status: 'sending', leased_until: leasedUntilMs })
    .execute()

test('what was under way when nines was killed is sent again, in its order, with the same key', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  const [id = 0] = await world.queue(channel.id, ['first', 'second'])
  const { idempotency_key } = await world.row(id)
  await claim(world, testStartMs + 120_000)
  await world.queue(channel.id, ['third'])
  await world.delivery.run()
  expect(subjectsAt(channel)).toEqual(['first', 'second', 'third'])
  expect(channel.receiver.received[0]?.headers.get('idempotency-key')).toBe(idempotency_key)
})

test('what somebody took and gave no news of is taken again once the lease has run out, and not before', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  await world.delivery.run()
  await world.queue(channel.id, ['first'])
  await claim(world, testStartMs + 1000)
  await world.queue(channel.id, ['second'])
  world.nines.clock.advance(999)
  await world.delivery.run()
  expect(subjectsAt(channel)).toEqual([])
  world.nines.clock.advance(1)
  await world.delivery.run()
  expect(subjectsAt(channel)).toEqual(['first', 'second'])
})

test('a lease that runs out while its holder is still at it is nobody else’s', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  const { answer, requested, open } = gate()
  channel.receiver.next(answer)
  await world.queue(channel.id, ['first'])
  const running = world.delivery.run()
  await requested
  world.nines.clock.advance(3_600_000)
  const runningToo = world.delivery.run()
  open()
  await Promise.all([running, runningToo])
  expect(subjectsAt(channel)).toEqual(['first'])
})

test('while nines is closing what is under way ends and is written, and nothing new begins', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '1' })
  const channel = await world.channel()
  const other = await world.channel()
  const { answer, requested, open } = gate()
  channel.receiver.next(answer)
  await world.queue(channel.id, ['first', 'second'])
  await world.queue(other.id, ['third'])
  const running = world.delivery.run()
  await requested
  world.nines.app.startClosing()
  const drained = world.delivery.drain()
  open()
  await drained
  await running
  expect(await world.statuses()).toEqual(['delivered', 'pending', 'pending'])
  await world.delivery.run()
  expect([...subjectsAt(channel), ...subjectsAt(other)]).toEqual(['first'])
})

test('a receiver that does not answer is not waited for at the end: its notification stays in the outbox', async () => {
  world = await deliveryWorld({}, { limits: { timeoutMs: 10_000, slowMs: 2000, closingMs: 1 } })
  const channel = await world.channel()
  const { answer, requested, open } = gate()
  channel.receiver.next(answer)
  const [id = 0] = await world.queue(channel.id, ['first', 'second'])
  const running = world.delivery.run()
  await requested
  world.nines.app.startClosing()
  await world.delivery.drain()
  await running
  expect(await world.statuses()).toEqual(['pending', 'pending'])
  expect(await world.row(id)).toMatchObject({ retry_count: 0, leased_until: null })
  expect(await world.channelRow(channel.id)).toMatchObject({ failures: 0 })
  open()
})

test('the outcomes of channels that answer at about the same time are one transaction', async () => {
  world = await deliveryWorld()
  const { write } = world.nines.app.db
  let transactions = 0
  const transaction = write.transaction.bind(write)
  write.transaction = () => {
    transactions += 1
    return transaction()
  }
  const channels = await Promise.all(Array.from({ length: 4 }, () => world.channel()))
  for (const { id } of channels) {
    await world.queue(
      id,
      Array.from({ length: 19 }, (_, at) => `${at}`),
    )
  }
  transactions = 0
  await world.delivery.run()
  expect(await world.statuses()).toEqual(Array.from({ length: 76 }, () => 'delivered'))
  expect(transactions).toBeLessThan(38) // including eight claims
})

test('what cannot be written is logged, keeps its lease, and is sent again with the same key', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  await world.queue(channel.id, ['first', 'second'])
  const { write } = world.nines.app.db
  await write.schema.alterTable('notification_attempts').renameTo('elsewhere').execute()
  await world.delivery.run()
  expect(world.nines.logged.join('')).toContain('delivery failed')
  expect(new Set(await world.statuses())).toEqual(new Set(['sending']))
  await write.schema.alterTable('elsewhere').renameTo('notification_attempts').execute()
  world.nines.clock.advance(120_000)
  await world.delivery.run()
  expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))
  const keys = channel.receiver.received.map(({ headers }) => headers.get('idempotency-key'))
  expect(new Set(keys).size).toBe(2)
})

test('a delivery that begins again goes on where the other was: with its retries and its waits', async () => {
  world = await deliveryWorld()
  const channel = await world.channel(refusing(503))
  const [id = 0] = await world.queue(channel.id, ['a'], { max_retries: 1 })
  await world.delivery.run()
  const again = world.restarted()
  await again.run()
  expect(channel.receiver.received).toHaveLength(1)
  world.nines.clock.advance(10_000)
  await again.run()
  expect(await world.row(id)).toMatchObject({ status: 'failed', retry_count: 1 })
})
