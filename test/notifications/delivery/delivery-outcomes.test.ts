import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { testStartMs } from '../../support/app.ts'
import { deliveryWorld, type DeliveryWorld, gate, refusing, subjectsAt } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

const aDate = (fromNowMs: number) => new Date(testStartMs + fromNowMs).toUTCString()

test('what a receiver acknowledged is delivered, and the attempt is in the log', async () => {
  world = await deliveryWorld()
  const { id: channelId } = await world.channel()
  const [id = 0] = await world.queue(channelId, ['a'])
  world.nines.clock.advance(700)
  await world.delivery.run()
  const nowMs = testStartMs + 700
  expect(await world.row(id)).toMatchObject({
    status: 'delivered',
    sent_at: nowMs,
    delivered_at: nowMs,
    error_message: '',
    retry_count: 0,
    leased_until: null,
  })
  expect(await world.attempts(id)).toMatchObject([
    { attempted_at: nowMs, outcome: 'delivered', status_code: 200, error: null, retry_at: null },
  ])
  expect(await world.channelRow(channelId)).toMatchObject({ failures: 0, last_success_at: nowMs })
})

test.each([
  [1, [10_000, 20_000, 40_000]],
  [0.5, [5000, 10_000, 20_000]],
  [0, [0, 0, 0]],
])('with the dice at %p, the retries of a failure wait %p ms, and then it has failed', async (random, waits) => {
  world = await deliveryWorld({}, { random })
  const { receiver, id: channelId } = await world.channel(refusing(503))
  const [id = 0] = await world.queue(channelId, ['a'])
  for (const wait of [...waits, 0]) {
    await world.delivery.run()
    world.nines.clock.advance(wait)
  }
  const attempts = await world.attempts(id)
  expect(attempts.map(({ attempted_at, retry_at }) => retry_at && retry_at - attempted_at)).toEqual([...waits, null])
  expect(receiver.received).toHaveLength(4)
  expect(new Set(receiver.received.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
  expect(await world.row(id)).toMatchObject({
    status: 'failed',
    retry_count: 3,
    error_message: 'the receiver answered 503: no',
    sent_at: null,
  })
})

test('however often it failed, a retry comes within five minutes', async () => {
  world = await deliveryWorld({ NOTIFY_RETRY_DELAY: '3600' })
  const { id: channelId } = await world.channel(refusing(500))
  const [id = 0] = await world.queue(channelId, ['a'])
  await world.delivery.run()
  expect(await world.row(id)).toMatchObject({ status: 'pending', next_attempt_at: testStartMs + 300_000 })
})

describe('a receiver that says when to come again', () => {
  test.each([
    ['in seconds', { 'retry-after': '120' }, 120_000],
    ['with a date', { 'retry-after': aDate(90_000) }, 90_000],
    ['sooner than we would', { 'retry-after': '1' }, 10_000],
  ])('%s is heard', async (_, headers, wait) => {
    world = await deliveryWorld()
    const channel = await world.channel()
    channel.receiver.next(refusing(429, headers))
    const [id = 0] = await world.queue(channel.id, ['a'])
    await world.delivery.run()
    expect(await world.row(id)).toMatchObject({ status: 'pending', next_attempt_at: testStartMs + wait })
    world.nines.clock.advance(wait - 1)
    await world.delivery.run()
    expect(channel.receiver.received).toHaveLength(1)
    world.nines.clock.advance(1)
    await world.delivery.run()
    expect(await world.statuses()).toEqual(['delivered'])
  })

  test('is left alone by all its channel has, though the retries of one are used up', async () => {
    world = await deliveryWorld()
    const channel = await world.channel()
    channel.receiver.next(refusing(429, { 'retry-after': '60' }))
    await world.queue(channel.id, ['a', 'b'], { max_retries: 0 })
    await world.delivery.run()
    expect(await world.statuses()).toEqual(['failed', 'pending'])
    expect((await world.channelRow(channel.id)).paused_until).toBe(testStartMs + 60_000)
    world.nines.clock.advance(59_999)
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['a'])
    world.nines.clock.advance(1)
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['a', 'b'])
  })
})

test('what would be refused again is not tried again, and the next goes on', async () => {
  world = await deliveryWorld()
  const channel = await world.channel()
  channel.receiver.next(refusing(404))
  const [id = 0] = await world.queue(channel.id, ['a', 'b'])
  await world.delivery.run()
  expect(await world.statuses()).toEqual(['failed', 'delivered'])
  expect(await world.row(id)).toMatchObject({ retry_count: 0, error_message: 'the receiver answered 404: no' })
  expect(await world.attempts(id)).toMatchObject([{ outcome: 'failed', status_code: 404, retry_at: null }])
  expect(subjectsAt(channel)).toEqual(['a', 'b'])
})

test('a channel is unhealthy from its first failure to its next success', async () => {
  world = await deliveryWorld()
  const { receiver, id } = await world.channel()
  receiver.next(refusing(503), refusing(500))
  await world.queue(id, ['a', 'b'])
  await world.delivery.run()
  world.nines.clock.advance(10_000)
  await world.delivery.run()
  expect(await world.channelRow(id)).toMatchObject({
    failures: 2,
    failing_since: testStartMs,
    last_error: 'the receiver answered 500: no',
    last_success_at: null,
  })
  world.nines.clock.advance(20_000)
  await world.delivery.run()
  expect(await world.channelRow(id)).toMatchObject({
    failures: 0,
    failing_since: null,
    last_error: null,
    last_success_at: testStartMs + 30_000,
  })
})

test('no secret of a channel is in what is stored, returned or logged of a failure', async () => {
  world = await deliveryWorld()
  const { id } = await world.channel(({ path }) =>
    Response.json({ error: `there is no ${path} here` }, { status: 404 }),
  )
  const [notification = 0] = await world.queue(id, ['a'])
  await world.delivery.run()
  const { error_message } = await world.row(notification)
  expect(error_message).toBe('the receiver answered 404: there is no ******** here')
  const kept = JSON.stringify([error_message, await world.attempts(notification), await world.channelRow(id)])
  expect(kept).not.toMatch(/s3cret/)
  expect(world.nines.logged.join('')).toContain('notification not delivered')
  expect(world.nines.logged.join('')).not.toMatch(/s3cret/)
})

test('a receiver that does not answer in time is tried again', async () => {
  world = await deliveryWorld({}, { limits: { timeoutMs: 20, slowMs: 2000, closingMs: 0 } })
  const { receiver, id: channelId } = await world.channel()
  const { answer, open } = gate()
  receiver.next(answer)
  const [id = 0] = await world.queue(channelId, ['a'])
  await world.delivery.run()
  open()
  expect(await world.row(id)).toMatchObject({
    status: 'pending',
    retry_count: 1,
    error_message: 'no answer within 0.02 s',
  })
})

test('a receiver that is not there is tried again', async () => {
  world = await deliveryWorld()
  const { receiver, id: channelId } = await world.channel()
  await receiver.close()
  const [id = 0] = await world.queue(channelId, ['a'])
  await world.delivery.run()
  expect(await world.row(id)).toMatchObject({ status: 'pending', error_message: 'connection refused' })
})
