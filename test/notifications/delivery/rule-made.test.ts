import { afterEach, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../../support/closing.ts'
import { goodConfigurations } from '../../support/good-configurations.ts'
import { startReceiver } from '../../support/receiver.ts'
import { deliveryWorld, type DeliveryWorld, taken } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

async function made(channelId: number) {
  const rule = { slo_id: 1, channel_id: channelId, alert_type: 'violation', priority: 'critical' }
  const { body } = await world.nines.call('POST', '/api/v1/notifications/rules', rule)
  await world.delivery.run()
  await world.nines.app.delivery.run() // the request has woken it, and it may have been first
  return world.row(body.data.id)
}

test.each(['incident_a', 'incident_b'] as const)(
  'a rule that is made opens no incident at %s',
  async (channel_type) => {
    world = await deliveryWorld()
    const receiver = startReceiver(taken)
    closeLater(() => void receiver.close())
    const configuration = { ...goodConfigurations[channel_type].configuration, api_url: receiver.url }
    const channel = { name: 'on call', channel_type, configuration }
    const { body } = await world.nines.call('POST', '/api/v1/notifications/channels', channel)
    expect(await made(body.data.id)).toMatchObject({
      status: 'delivered',
      error_message: expect.stringContaining('not sent: it only informs'),
    })
    expect(receiver.received).toEqual([])
    expect(await world.channelRow(body.data.id)).toMatchObject({ failures: 0, last_success_at: null })
  },
)

test('a rule that is made is a message of low priority', async () => {
  world = await deliveryWorld()
  const { receiver, id } = await world.channel()
  expect(await made(id)).toMatchObject({ status: 'delivered', event: 'message', alert_id: null })
  expect(receiver.received.map(({ json }) => json)).toMatchObject([{ event: 'message', priority: 'low', alert: null }])
})
