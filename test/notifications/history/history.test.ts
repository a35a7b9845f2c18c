import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { isoTime } from '../../../src/clock.ts'
import { closeAll } from '../../support/closing.ts'
import { testStartMs } from '../../support/app.ts'
import { someData } from '../../support/messages.ts'
import { deliveryWorld, type DeliveryWorld, refusing, type Through } from '../delivery/delivery-world.ts'

const path = '/api/v1/notifications'

let world: DeliveryWorld
let channel: Through
beforeEach(async () => {
  world = await deliveryWorld()
  channel = await world.channel()
})
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

const get = (under: string) => world.nines.call('GET', `${path}${under}`)
const subjectsIn = (notifications: { subject: string }[]) => notifications.map(({ subject }) => subject)

test('a notification is returned as it is, without the configuration it was sent with', async () => {
  const [id = 0] = await world.queue(channel.id, ['a'], { alert_id: 7, event: 'alert', alert_type: 'warning' })
  const queued = {
    id,
    slo_id: 1,
    rule_id: null,
    channel_id: channel.id,
    channel_type: 'webhook',
    alert_id: 7,
    status: 'pending',
    event: 'alert',
    alert_type: 'warning',
    priority: 'low',
    subject: 'a',
    message: 'message',
    sent_at: null,
    delivered_at: null,
    next_attempt_at: isoTime(testStartMs),
    retry_count: 0,
    max_retries: 3,
    error_message: '',
    idempotency_key: expect.stringMatching(/^[\da-f-]{36}$/),
    metadata: someData(),
    created_at: isoTime(testStartMs),
    updated_at: isoTime(testStartMs),
  }
  expect((await get(`/${id}`)).body).toEqual(queued)
  world.nines.clock.advance(1000)
  await world.delivery.run()
  const later = isoTime(testStartMs + 1000)
  const delivered = { sent_at: later, delivered_at: later, next_attempt_at: null, updated_at: later }
  const { body } = await get('/history')
  expect(body).toEqual({
    notifications: [{ ...queued, ...delivered, status: 'delivered' }],
    total: 1,
    page: 1,
    page_size: 10,
    has_next: false,
  })
})

test('the history is listed newest first, in pages', async () => {
  await world.queue(
    channel.id,
    Array.from({ length: 12 }, (_, at) => `${at}`),
  )
  const first = (await get('/history')).body
  expect(subjectsIn(first.notifications)).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2'])
  expect(first).toMatchObject({ total: 12, page: 1, page_size: 10, has_next: true })
  const last = (await get('/history?page=3&page_size=5')).body
  expect(subjectsIn(last.notifications)).toEqual(['1', '0'])
  expect(last).toMatchObject({ total: 12, page: 3, page_size: 5, has_next: false })
})

test('the history is narrowed by what a notification is of', async () => {
  const other = await world.channel(refusing(400))
  await world.queue(other.id, ['failed'], { alert_type: 'violation' })
  await world.delivery.run()
  await world.queue(channel.id, ['other spelling'], { alert_type: 'slo_below_target' })
  await world.queue(channel.id, ['manual'])
  const narrowed = async (by: string) => subjectsIn((await get(`/history?${by}`)).body.notifications)
  expect(await narrowed('status=failed')).toEqual(['failed'])
  expect(await narrowed(`channel_id=${channel.id}`)).toEqual(['manual', 'other spelling'])
  expect(await narrowed('alert_type=violation')).toEqual(['other spelling', 'failed'])
  expect(await narrowed('alert_type=manual')).toEqual(['manual'])
  expect(await narrowed('slo_id=1&status=pending&alert_type=slo_below_target')).toEqual(['other spelling'])
  expect(await narrowed('slo_id=2')).toEqual([])
})

test('the history is narrowed by when a notification was queued', async () => {
  for (const subject of ['first', 'second', 'third']) {
    await world.queue(channel.id, [subject])
    world.nines.clock.advance(60_000)
  }
  const narrowed = async (by: string) => {
    const { body } = await get(`/history?${by}`)
    expect(body.total).toBe(body.notifications.length)
    return subjectsIn(body.notifications)
  }
  const at = (minutes: number) => isoTime(testStartMs + minutes * 60_000)
  expect(await narrowed(`start=${at(1)}`)).toEqual(['third', 'second'])
  expect(await narrowed(`end=${at(1)}`)).toEqual(['first'])
  expect(await narrowed(`start=${at(1)}&end=${at(2)}`)).toEqual(['second'])
  expect(await narrowed(`start=${at(5)}`)).toEqual([])
  expect(await narrowed(`end=${at(5)}`)).toEqual(['third', 'second', 'first'])
  expect(await narrowed(`start=${at(1)}&status=failed`)).toEqual([])
})

const badTimes = ['start=yesterday', 'end=2026-03-01']
test.each([...badTimes, 'page=0', 'page_size=101', 'status=gone', 'alert_type=other', 'slo_id=x', 'channel_id=0'])(
  'a history by %s is refused',
  async (query) => {
    expect((await get(`/history?${query}`)).status).toBe(400)
  },
)

test('the attempts of a notification are listed, oldest first', async () => {
  channel.receiver.next(refusing(503))
  const [id = 0] = await world.queue(channel.id, ['a'])
  expect((await get(`/${id}/attempts`)).body).toEqual({ success: true, attempts: [], total: 0 })
  await world.delivery.run()
  world.nines.clock.advance(10_000)
  await world.delivery.run()
  const attempt = { id: expect.any(Number), duration_ms: expect.any(Number) }
  const times = [testStartMs, testStartMs + 10_000].map(isoTime)
  expect((await get(`/${id}/attempts`)).body).toEqual({
    success: true,
    attempts: [
      {
        ...attempt,
        attempted_at: times[0],
        outcome: 'retry',
        status_code: 503,
        error: 'the receiver answered 503: no',
        retry_at: times[1],
      },
      { ...attempt, attempted_at: times[1], outcome: 'delivered', status_code: 200, error: null, retry_at: null },
    ],
    total: 2,
  })
})

describe('a notification that is not there', () => {
  test.each(['/99', '/99/attempts'])('%s is 404', async (under) => {
    expect(await get(under)).toMatchObject({ status: 404, body: { error: 'Notification not found' } })
  })
  test('an id that is none is 400', async () => {
    expect((await get('/latest')).status).toBe(400)
  })
})
