import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failure } from '../support/evaluations.ts'
import { type LiveWorld, liveWorld, type Message } from './live.ts'

let world: LiveWorld
beforeEach(async () => {
  world = await liveWorld()
})
afterEach(() => world.close())

const healthy = { status: 'healthy', current: 99.95 } as const
const critical = { status: 'critical', current: 90 } as const
const unknown = { status: 'unknown', current: null, reason: 'no_data', budgetUsed: null } as const
const statuses = (messages: Message[]) => messages.map(({ type, data }) => [type, data.status].join(' '))
const listening = async (channels: string[], token = world.ada, sloId = 1) => {
  const client = await world.connect({ token })
  expect((await client.subscribe(sloId, channels)).type).toBe('subscription_confirmed')
  return client
}
const change = (path: string, body: object | undefined, method = 'PUT') =>
  world.nines.call(method, `/api/v1${path}`, body)
const settle = () => world.nines.app.feed.drain()

describe('an slo_update', () => {
  test('says how the SLO stands', async () => {
    const client = await listening(['metrics'])
    await world.minute(healthy)
    expect(await client.heard()).toEqual([
      {
        type: 'slo_update',
        data: {
          slo_id: 1,
          status: 'healthy',
          state: 'ok',
          state_since: '2026-11-21T10:01:00.000Z',
          state_reason: null,
          burn_rate_now: 0,
          current_value: 99.95,
          target_value: 99.9,
          error_budget_used: 70,
          window_percent_used: 70,
          window_percent_estimated: false,
          timestamp: '2026-11-21T10:01:01.234Z',
        },
      },
    ])
  })

  test.each([
    [['status'], ['healthy', 'critical', 'unknown', 'healthy']],
    [['metrics'], ['healthy', 'healthy', 'critical', 'critical', 'unknown', 'unknown', 'healthy']],
    [
      ['status', 'metrics'],
      ['healthy', 'healthy', 'critical', 'critical', 'unknown', 'unknown', 'healthy'],
    ],
  ])('comes once for each of %p that has something to tell', async (channels, told) => {
    const client = await listening(channels)
    for (const found of [healthy, healthy, critical, critical, unknown, failure(), healthy]) {
      await world.minute(found)
    }
    expect(statuses(await client.heard())).toEqual(told.map((status) => `slo_update ${status}`))
  })
})

test('a client that comes later gets the next change only', async () => {
  await world.minute(critical)
  const client = await listening(['status'])
  await world.minute(critical)
  expect(await client.heard()).toEqual([])
  await world.minute(healthy)
  expect(statuses(await client.heard())).toEqual(['slo_update healthy'])
})

test('the channels of the last subscription count, and none after the end of it', async () => {
  const client = await listening(['metrics'])
  await client.subscribe(1, ['status'])
  await world.minute(healthy)
  await world.minute(healthy)
  expect(statuses(await client.heard())).toEqual(['slo_update healthy'])
  client.send({ type: 'unsubscribe', data: { slo_id: 1 } })
  await client.next()
  await world.minute(critical)
  expect(await client.heard()).toEqual([])
})

test('nobody hears of the SLOs of another organization', async () => {
  const [ada, eve] = [await listening(['metrics']), await listening(['metrics'], world.eve, 2)]
  expect((await eve.subscribe(1)).type).toBe('error')
  await world.minute(healthy, { sloId: 2, organizationId: 2, status: 'warning' })
  expect(statuses(await ada.heard())).toEqual(['slo_update healthy'])
  expect(statuses(await eve.heard())).toEqual(['slo_update warning'])
})

test('an evaluation of nines itself is sent, here that there is no answer', async () => {
  const client = await listening(['metrics'])
  await world.nines.app.evaluator.evaluateAll()
  await settle()
  const [update] = await client.heard()
  expect(update).toMatchObject({ type: 'slo_update', data: { slo_id: 1, status: 'unknown', current_value: null } })
})

describe('an edit', () => {
  test('that changes the status of the SLO is sent as such', async () => {
    await world.minute(healthy)
    const [status, metrics] = [await listening(['status']), await listening(['metrics'])]
    await change('/slos/1', { target: 99.99 })
    await settle()
    expect(await status.heard()).toMatchObject([{ data: { target_value: 99.99, status: 'critical' } }])
    expect(await metrics.heard()).toEqual([])
    await change('/slos/1', { metric_query: 'up' })
    await settle()
    expect(await status.heard()).toMatchObject([{ data: { status: 'unknown', current_value: null } }])
  })

  test('that overtakes an evaluation leaves nothing to send of that', async () => {
    const client = await listening(['status', 'metrics'])
    world.nines.clock.advance(1000)
    await change('/slos/1', { name: 'b' })
    await world.minute(critical)
    expect(await client.heard()).toEqual([])
  })

  test.each([
    ['DELETE', undefined],
    ['PUT', { active: false }],
  ])('that deletes the SLO (%s) ends its subscriptions, and they do not come back with it', async (method, body) => {
    const client = await listening(['status', 'metrics'])
    await change('/slos/1', body, method)
    await settle()
    const message = 'The SLO has been deleted'
    expect(await client.heard()).toEqual([{ type: 'unsubscription_confirmed', data: { slo_id: 1, message } }])
    await change('/slos/1', { active: true })
    await world.minute({ ...critical, sloUpdatedAtMs: world.nines.clock.now() })
    expect(await client.heard()).toEqual([])
  })
})
