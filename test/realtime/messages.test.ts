import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type LiveClient, type LiveWorld, liveWorld } from './live.ts'

let world: LiveWorld
let client: LiveClient
beforeAll(async () => {
  world = await liveWorld()
  client = await world.connect()
})
afterAll(() => world.close())

const answerTo = (message: unknown) => {
  client.send(message)
  return client.next()
}
const clientId = expect.stringMatching(/^client_[1-9]\d*$/)
const both = ['status', 'metrics']

describe('subscribe', () => {
  test.each([
    [['status'], ['status']],
    [['metrics'], ['metrics']],
    [both, both],
    [['status', 'status'], ['status']],
    [undefined, both],
  ])('to %p is confirmed with %p', async (channels, confirmed) => {
    expect(await client.subscribe(1, channels)).toEqual({
      type: 'subscription_confirmed',
      data: { slo_id: 1, channels: confirmed, client_id: clientId },
    })
  })

  test.each([
    ['of another organization', 2],
    ['that does not exist', 999_999],
  ])('to an SLO %s is an error', async (_, slo_id) => {
    expect(await client.subscribe(slo_id)).toEqual({ type: 'error', data: { message: 'SLO not found' } })
  })

  test('to an SLO that has been deleted is an error', async () => {
    const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
    const { body } = await world.nines.call('POST', '/api/v1/slos', slo)
    await world.nines.call('DELETE', `/api/v1/slos/${body.id}`)
    expect(await client.subscribe(body.id)).toEqual({ type: 'error', data: { message: 'SLO not found' } })
  })
})

test('fields that are not known are ignored', async () => {
  const message = { type: 'subscribe', id: 7, data: { slo_id: 1, channels: ['status'], more: {} } }
  expect((await answerTo(message)).type).toBe('subscription_confirmed')
})

test('each connection has a number of its own', async () => {
  const other = await world.connect()
  const ids = [await client.subscribe(1), await other.subscribe(1)].map(({ data }) => data.client_id)
  expect(new Set(ids).size).toBe(2)
})

test('unsubscribe is confirmed, and again where there is nothing to end', async () => {
  await client.subscribe(1)
  const messages = [await answerTo({ type: 'unsubscribe', data: { slo_id: 1 } })]
  messages.push(await answerTo({ type: 'unsubscribe', data: { slo_id: 1 } }))
  expect(messages).toEqual([
    { type: 'unsubscription_confirmed', data: { slo_id: 1, message: 'Unsubscribed' } },
    { type: 'unsubscription_confirmed', data: { slo_id: 1, message: 'There was no subscription' } },
  ])
})

test.each([[{ client_id: 'client_1' }], [{}], [undefined]])('ping with %p is answered with pong', async (data) => {
  const timestamp = new Date(world.nines.clock.now()).toISOString()
  expect(await answerTo({ type: 'ping', data })).toEqual({ type: 'pong', data: { timestamp, client_id: clientId } })
})

describe('what is no message is answered with an error, and the connection stays:', () => {
  const object = 'must be a JSON object with type and data'
  const type = 'type: must be one of subscribe, unsubscribe, ping'
  const id = 'data.slo_id: must be the SLO id, a whole number from 1'
  const channels = 'must be 1 to 2 of status, metrics'
  test.each(
    [
      ['', object],
      ['hello', object],
      ['{"type": "ping"', object],
      ['null', object],
      ['"ping"', object],
      ['1e999', object],
      ['['.repeat(60_000), 'must have at most 64 levels of nesting'],
      ['[]', type],
      ['{}', type],
      ['{"type": "Ping"}', type],
      ['{"type": ["ping"]}', type],
      ['{"type": "slo_update", "data": {"slo_id": 1}}', type],
      ['{"type": "__proto__"}', type],
      ['{"type": "subscribe"}', 'data: is required: a JSON object'],
      ['{"type": "subscribe", "data": []}', 'data: must be a JSON object'],
      ['{"type": "subscribe", "data": {}}', id],
      ['{"type": "subscribe", "data": {"slo_id": "1"}}', id],
      ['{"type": "subscribe", "data": {"slo_id": 1.5}}', id],
      ['{"type": "subscribe", "data": {"slo_id": -1}}', id],
      ['{"type": "subscribe", "data": {"slo_id": 1e300}}', id],
      ['{"type": "unsubscribe", "data": {"slo_id": null}}', id],
      ['{"type": "subscribe", "data": {"slo_id": 1, "channels": []}}', `data.channels: ${channels}`],
      [
        `{"type": "subscribe", "data": {"slo_id": 1, "channels": [${Array(6000).fill('"status"')}]}}`,
        `data.channels: ${channels}`,
      ],
      ['{"type": "subscribe", "data": {"slo_id": 1, "channels": ["x", "x", "x"]}}', `data.channels: ${channels}`],
      ['{"type": "subscribe", "data": {"slo_id": 1, "channels": "status"}}', `data.channels: ${channels}`],
      ['{"type": "subscribe", "data": {"slo_id": 1, "channels": {"length": 1e9}}}', `data.channels: ${channels}`],
      ['{"type": "subscribe", "data": {"slo_id": 1, "channels": null}}', `data.channels: ${channels}`],
      [
        '{"type": "subscribe", "data": {"slo_id": 1, "channels": ["status", "x"]}}',
        'data.channels.1: must be one of status, metrics',
      ],
    ].map(([text = '', message]) => [text.slice(0, 70), text, message]),
  )('%s', async (_, text = '', message) => {
    client.sendRaw(text)
    expect(await client.next()).toEqual({ type: 'error', data: { message } })
  })

  test('bytes', async () => {
    client.sendRaw(Buffer.from('{"type": "ping"}'))
    expect(await client.next()).toEqual({ type: 'error', data: { message: 'must be a text message' } })
  })
})

test('messages are answered in their order, however long each takes', async () => {
  const said = Array.from({ length: 50 }, (_, n) => (n % 2 ? 'ping' : n % 4 ? 'subscribe' : 'unsubscribe'))
  for (const type of said) client.send({ type, data: { slo_id: 1 } })
  const answers = []
  for (const _ of said) answers.push((await client.next()).type)
  const answerOf = { ping: 'pong', subscribe: 'subscription_confirmed', unsubscribe: 'unsubscription_confirmed' }
  expect(answers).toEqual(said.map((type) => answerOf[type]))
})
