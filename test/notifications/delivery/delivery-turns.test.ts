import { afterEach, expect, jest, test } from 'bun:test'
import { createOutcomeWriter } from '../../../src/notifications/delivery/outcome-store.ts'
import { released } from '../../../src/notifications/delivery/outcome.ts'
import { closeAll } from '../../support/closing.ts'
import { deliveryWorld, type DeliveryWorld, gate, subjectsAt } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world?.nines.close()
  closeAll()
})

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `number ${at}`)

test.each([
  ['grow up to a hundred where the receiver is quick', Infinity, 100],
  ['stay at twenty where it is not', 0, 20],
])('the turns of a channel %s', async (_, quickMs, expected) => {
  world = await deliveryWorld({}, { limits: { quickMs } })
  let max = 0
  const channel = await world.channel(async () => {
    max = Math.max(max, (await world.statuses()).filter((status) => status === 'sending').length)
    return new Response('ok')
  })
  await world.queue(channel.id, numbered(250))
  await world.delivery.run()
  expect(max).toBe(expected)
  expect(subjectsAt(channel)).toEqual(numbered(250))
})

test('a turn that has taken its time leaves the rest to the next, after those who wait', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '1', NOTIFY_SLOW_CONCURRENCY: '0' }, { limits: { turnMs: -1 } })
  const came: string[] = []
  const taking = (name: string) => () => {
    came.push(name)
    return new Response('ok')
  }
  const [one, other] = [await world.channel(taking('one')), await world.channel(taking('other'))]
  for (const { id } of [one, other]) await world.queue(id, numbered(3))
  await world.delivery.run()
  expect(came).toEqual(['one', 'other', 'one', 'other', 'one', 'other'])
  expect([one, other].map(subjectsAt)).toEqual([numbered(3), numbered(3)])
  expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))
})

test('a configuration that is changed during a turn is used from the next notification on', async () => {
  world = await deliveryWorld()
  const [channel, other] = [await world.channel(), await world.channel()]
  channel.receiver.next(async () => {
    const configuration = { webhook_url: other.receiver.url }
    const { status } = await world.nines.call('PUT', `/api/v1/notifications/channels/${channel.id}`, { configuration })
    return new Response('ok', { status })
  })
  await world.queue(channel.id, numbered(3))
  await world.delivery.run()
  expect([channel, other].map(subjectsAt)).toEqual([['number 0'], ['number 1', 'number 2']])
})

test('32 outcomes are written without waiting for more', async () => {
  let commits = 0
  const { write, flush } = createOutcomeWriter(async <T>() => {
    commits += 1
    return undefined as T
  })
  world = await deliveryWorld()
  const [id = 0] = await world.queue(1, ['one'])
  const outcome = released(await world.row(id), 0)
  const writes = Array.from({ length: 31 }, () => write(outcome))
  expect(commits).toBe(0)
  writes.push(write(outcome))
  expect(commits).toBe(1)
  flush()
  await Promise.all(writes)
  expect(commits).toBe(1)
})

test('nothing more is sent while 32 outcomes wait for a transaction that takes long', async () => {
  world = await deliveryWorld()
  const [id = 0] = await world.queue(1, ['one'])
  const outcome = released(await world.row(id), 0)
  const ended = Promise.withResolvers<void>()
  const { write, waitForRoom } = createOutcomeWriter(async <T>() => (await ended.promise) as T)
  const writes = Array.from({ length: 63 }, () => write(outcome))
  await waitForRoom() // 32 are in the transaction, 31 are waiting
  writes.push(write(outcome))
  let hasRoom = false
  const waiting = waitForRoom().then(() => (hasRoom = true))
  await Bun.sleep(5)
  expect(hasRoom).toBe(false)
  ended.resolve()
  await Promise.all([waiting, ...writes])
})

test('outcomes of turns that end in the same moment, while others send, are written together', async () => {
  const commits: number[] = []
  const { write, flush } = createOutcomeWriter(async <T>() => commits.push(1) as T)
  world = await deliveryWorld()
  const [id = 0] = await world.queue(1, ['one'])
  const outcome = released(await world.row(id), 0)
  const writes = [1, 2, 3].map(() => {
    const written = write(outcome)
    flush(true)
    return written
  })
  expect(commits).toHaveLength(0)
  await Promise.all(writes)
  expect(commits).toHaveLength(1)
})

test('the moment for which outcomes wait is not put off by turns that end in it', async () => {
  let commits = 0
  const { write, flush } = createOutcomeWriter(async <T>() => (commits += 1) as T)
  world = await deliveryWorld()
  const [id = 0] = await world.queue(1, ['one'])
  const outcome = released(await world.row(id), 0)
  jest.useFakeTimers()
  try {
    for (const _ of [1, 2]) {
      void write(outcome)
      flush(true)
      expect(commits).toBe(0)
      jest.advanceTimersByTime(1)
    }
    expect(commits).toBe(1)
  } finally {
    jest.useRealTimers()
  }
})

test('a run waits for what an earlier one is sending, though nothing is due', async () => {
  world = await deliveryWorld()
  const { answer, requested, open } = gate()
  const { id } = await world.channel(answer)
  await world.queue(id, ['one'])
  world.delivery.soon()
  await requested
  const later = world.delivery.run().then(() => world.statuses())
  open()
  expect(await later).toEqual(['delivered'])
})
