import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { deliveryWorld, type DeliveryWorld, gate, refusing, subjectsAt, type Through } from './delivery-world.ts'

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

const at = (id: number) => `/api/v1/notifications/channels/${id}`

describe('while a channel is at work it is', () => {
  test.each([
    ['deleted', 'the channel was deleted', () => world.nines.call('DELETE', at(channel.id))],
    ['disabled', 'the channel is disabled', () => world.nines.call('PUT', at(channel.id), { enabled: false })],
  ])('%s: what comes after is not sent', async (_, reason, change) => {
    const { answer, requested, open } = gate()
    channel.receiver.next(answer)
    const [first = 0, second = 0] = await world.queue(channel.id, ['first', 'second'])
    const running = world.delivery.run()
    await requested
    await change()
    open()
    await running
    expect((await world.row(first)).status).toBe('delivered')
    expect(await world.row(second)).toMatchObject({ status: 'failed', error_message: reason, retry_count: 0 })
    expect(await world.attempts(second)).toEqual([])
    expect(subjectsAt(channel)).toEqual(['first'])
  })

  test('led elsewhere: what comes after goes there, and the failure of before is not held against it', async () => {
    const elsewhere = await world.channel()
    const requested = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<Response>()
    channel.receiver.next(() => {
      requested.resolve()
      return answered.promise
    })
    await world.queue(channel.id, ['first'])
    const running = world.delivery.run()
    await requested.promise
    const configuration = { webhook_url: elsewhere.receiver.url }
    await world.nines.call('PUT', at(channel.id), { configuration })
    answered.resolve(Response.json({ error: 'no' }, { status: 400 }))
    await running
    expect(await world.channelRow(channel.id)).toMatchObject({ failures: 0, last_error: null })
    await world.queue(channel.id, ['second'])
    await world.delivery.run()
    expect([subjectsAt(channel), subjectsAt(elsewhere)]).toEqual([['first'], ['second']])
  })
})

test('a configuration that cannot be opened any more fails what is queued, with the reason', async () => {
  const [id = 0] = await world.queue(channel.id, ['a'])
  await world.nines.app.db.write
    .updateTable('channels')
    .set({ sealed_configuration: Buffer.alloc(60).toString('base64') })
    .execute()
  await world.delivery.run()
  expect(await world.row(id)).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('the configuration of the channel cannot be read'),
  })
})

test('a configuration that its type does not take any more fails what is queued, with the reason', async () => {
  const [id = 0] = await world.queue(channel.id, ['a'])
  const { seal } = world.nines.app
  const row = await world.channelRow(channel.id)
  const text = JSON.stringify({ webhook_url: 'gopher://old' })
  const sealed_configuration = seal.seal(text, 'channels.sealed_configuration', row)
  await world.nines.app.db.write.updateTable('channels').set({ sealed_configuration }).execute()
  await world.delivery.run()
  const { status, error_message } = await world.row(id)
  expect([status, error_message]).toEqual(['failed', expect.stringContaining('configuration.webhook_url: must ')])
})

describe('the recovery of an alert', () => {
  const queueAlert = (subject: string) => world.queue(channel.id, [subject], { alert_id: 7, event: 'alert' })
  const queueRecovery = () => world.queue(channel.id, ['recovery'], { alert_id: 7, event: 'recovery' })

  test('that failed a moment before is not sent', async () => {
    channel.receiver.next(refusing(400))
    await queueAlert('alert')
    const [recovery = 0] = await queueRecovery()
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['alert'])
    expect(await world.row(recovery)).toMatchObject({
      status: 'failed',
      error_message: 'the alert it ends was never delivered',
    })
    expect(await world.attempts(recovery)).toEqual([])
  })

  test('that arrived at the second try, in a copy a moment before, is sent', async () => {
    channel.receiver.next(refusing(400))
    await queueAlert('failed')
    await world.queue(channel.id, ['between'])
    await queueAlert('delivered')
    await queueRecovery()
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['failed', 'between', 'delivered', 'recovery'])
  })

  test('of which another channel never heard is sent', async () => {
    const other = await world.channel(refusing(400))
    await world.queue(other.id, ['alert'], { alert_id: 7, event: 'alert' })
    await queueAlert('alert')
    await queueRecovery()
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['alert', 'recovery'])
  })

  test('that nothing is known of any more is sent', async () => {
    await queueRecovery()
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['recovery'])
  })
})

describe('an incident', () => {
  const routingKey = (letter: string) => letter.repeat(32)
  const configuration = (letter: string) => ({
    configuration: { routing_key: routingKey(letter), api_url: channel.receiver.url },
  })
  let incidents: Through
  const keys = () => channel.receiver.received.map(({ json }) => [json.event_action, json.routing_key, json.dedup_key])
  const draft = (event: 'alert' | 'recovery') => ({ alert_id: 7, event, channel_type: 'incident_a' }) as const
  beforeEach(async () => {
    incidents = await world.channel(undefined, { channel_type: 'incident_a', ...configuration('a') })
    channel.receiver.next(...Array.from({ length: 4 }, () => () => Response.json({}, { status: 202 })))
  })

  test('is closed with the configuration that opened it, though the channel has another by then', async () => {
    await world.queue(incidents.id, ['alert'], draft('alert'))
    await world.delivery.run()
    await world.nines.call('PUT', at(incidents.id), configuration('b'))
    await world.queue(incidents.id, ['recovery'], draft('recovery'))
    await world.queue(incidents.id, ['next'], { ...draft('alert'), alert_id: 8 })
    await world.delivery.run()
    const key = 'nines-test-slo-1-burn_rate-3600-300'
    expect(keys()).toEqual([
      ['trigger', routingKey('a'), key],
      ['resolve', routingKey('a'), key],
      ['trigger', routingKey('b'), key],
    ])
  })
})
