import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { testStartMs } from '../../support/app.ts'
import { deliveryWorld, type DeliveryWorld } from '../delivery/delivery-world.ts'

let world: DeliveryWorld
beforeAll(async () => {
  world = await deliveryWorld()
})
afterAll(() => world.nines.close())

const statistics = async () => (await world.nines.call('GET', '/api/v1/notifications/statistics')).body

type One = {
  status: 'pending' | 'sending' | 'sent' | 'delivered' | 'failed' | 'throttled'
  type: string
  tookMs: number
}

async function keepOnly(all: One[]) {
  const { write } = world.nines.app.db
  await write.deleteFrom('notifications').execute()
  for (const { status, type, tookMs } of all) {
    const [id = 0] = await world.queue(1, ['a'], { channel_type: type })
    const sentAt = status === 'sent' || status === 'delivered' ? testStartMs + tookMs : null
    const delivered_at = status === 'delivered' ? sentAt : null
    await write
      .updateTable('notifications')
      .set({ status, sent_at: sentAt, delivered_at })
      .where('id', '=', id)
      .execute()
  }
}

test('of nothing all is 0', async () => {
  await keepOnly([])
  expect(await statistics()).toEqual({
    success: true,
    data: {
      total_notifications: 0,
      pending_notifications: 0,
      sending_notifications: 0,
      sent_notifications: 0,
      delivered_notifications: 0,
      failed_notifications: 0,
      throttled_notifications: 0,
      success_rate: 0,
      average_delivery_time_ms: 0,
      channel_usage: {},
      channel_types: [],
    },
  })
})

test('what was throttled or is on its way counts for no rate', async () => {
  await keepOnly([
    { status: 'delivered', type: 'webhook', tookMs: 100 },
    { status: 'sent', type: 'email', tookMs: 301 },
    { status: 'failed', type: 'webhook', tookMs: 0 },
    { status: 'failed', type: 'webhook', tookMs: 0 },
    { status: 'throttled', type: 'webhook', tookMs: 0 },
    { status: 'pending', type: 'email', tookMs: 0 },
    { status: 'sending', type: 'email', tookMs: 0 },
  ])
  expect((await statistics()).data).toEqual({
    total_notifications: 7,
    pending_notifications: 1,
    sending_notifications: 1,
    sent_notifications: 1,
    delivered_notifications: 1,
    failed_notifications: 2,
    throttled_notifications: 1,
    success_rate: 0.5,
    average_delivery_time_ms: 201,
    channel_usage: { webhook: 4, email: 3 },
    channel_types: [
      { channel_type: 'email', arrived: 1, failed: 0, waiting: 2, throttled: 0, average_delivery_time_ms: 301 },
      { channel_type: 'webhook', arrived: 1, failed: 2, waiting: 0, throttled: 1, average_delivery_time_ms: 100 },
    ],
  })
})

const one = fc.record({
  status: fc.constantFrom<One['status'][]>('pending', 'sending', 'sent', 'delivered', 'failed', 'throttled'),
  type: fc.constantFrom('email', 'webhook', 'bot_chat'),
  tookMs: fc.nat(1_000_000),
})

test('whatever there is, the numbers add up', async () => {
  const adds = fc.asyncProperty(fc.array(one, { maxLength: 12 }), async (all) => {
    await keepOnly(all)
    const { data } = await statistics()
    const counted = ['pending', 'sending', 'sent', 'delivered', 'failed', 'throttled'].map(
      (status) => data[`${status}_notifications`],
    )
    expect(counted.reduce((a, b) => a + b, 0)).toBe(all.length)
    expect(data.total_notifications).toBe(all.length)
    const used: number[] = Object.values(data.channel_usage)
    expect(used.reduce((a, b) => a + b, 0)).toBe(all.length)
    const ofTypes = data.channel_types.flatMap((of: Record<string, number>) => [
      of.arrived,
      of.failed,
      of.waiting,
      of.throttled,
    ])
    expect(ofTypes.reduce((a: number, b: number) => a + b, 0)).toBe(all.length)
    expect(data.success_rate).toBeGreaterThanOrEqual(0)
    expect(data.success_rate).toBeLessThanOrEqual(1)
    expect(Number.isInteger(data.average_delivery_time_ms)).toBe(true)
  })
  await fc.assert(adds, { numRuns: 20 })
})
