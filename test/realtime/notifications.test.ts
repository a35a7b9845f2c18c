import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type LiveWorld, liveWorld } from './live.ts'

let world: LiveWorld
beforeEach(async () => {
  world = await liveWorld()
  const configuration = { webhook_url: 'http://127.0.0.1:9/' }
  await post('/notifications/channels', { name: 'a', channel_type: 'webhook', configuration })
})
afterEach(() => world.close())

const post = async (path: string, body: object) => {
  const answer = await world.nines.call('POST', `/api/v1${path}`, body)
  expect(answer.status).toBeLessThan(300)
  return answer.body.data
}
const rule = (more: object) => post('/notifications/rules', { slo_id: 1, channel_id: 1, priority: 'high', ...more })
const say = (subject: string) => rule({ alert_type: 'manual', subject, message: 'b' })
const settle = () => world.nines.app.feed.drain()
const listening = async (channels: string[]) => {
  const client = await world.connect()
  await client.subscribe(1, channels)
  return client
}

test('a notification goes to each client that has subscribed to its SLO, whichever channel, once', async () => {
  const clients = [await listening(['status']), await listening(['metrics']), await listening(['status', 'metrics'])]
  const other = await world.connect({ token: world.eve })
  await other.subscribe(2)
  const { id } = await say('a "subject"')
  await settle()
  const timestamp = new Date(world.nines.clock.now()).toISOString()
  for (const client of clients) {
    expect(await client.heard()).toEqual([
      {
        type: 'notification',
        data: {
          notification_id: id,
          slo_id: 1,
          alert_type: 'manual',
          priority: 'high',
          subject: 'a "subject"',
          message: 'b',
          timestamp,
        },
      },
    ])
  }
  expect(await other.heard()).toEqual([])
})

test('notifications are sent in the order of their ids; those of before are not sent', async () => {
  await say('before')
  await settle()
  const client = await listening(['status'])
  for (let n = 0; n < 30; n += 1) await say(`number ${n}`)
  await settle()
  const heard = await client.heard()
  expect(heard.map(({ data }) => data.subject)).toEqual(Array.from({ length: 30 }, (_, n) => `number ${n}`))
})

test('one that was throttled is not sent, nor one that failed and is tried again', async () => {
  const client = await listening(['status'])
  const { db } = world.nines.app
  const { id } = await say('told')
  await settle()
  expect(await client.heard()).toHaveLength(1)
  const row = await db.read.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { id: _, ...like } = { ...row, status: 'throttled' as const, idempotency_key: 'another' }
  await db.write.insertInto('notifications').values(like).execute()
  await db.write.updateTable('notifications').set({ status: 'failed' }).where('id', '=', id).execute()
  await post('/notifications/retry-failed', { max_age_seconds: 3600 })
  await settle()
  expect(await client.heard()).toEqual([])
})

test('of very many long ones at once, a client that reads misses none and is not cut off', async () => {
  const client = await listening(['status'])
  const id = await say('the first').then((told) => told.id)
  await settle()
  const { db } = world.nines.app
  const row = await db.read.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { id: _, ...like } = { ...row, message: 'x'.repeat(20_000) }
  const rows = Array.from({ length: 250 }, (__, n) => ({ ...like, idempotency_key: `key ${n}` }))
  for (let at = 0; at < rows.length; at += 25) {
    await db.write
      .insertInto('notifications')
      .values(rows.slice(at, at + 25))
      .execute()
  }
  world.nines.app.feed.queued()
  await settle()
  expect((await client.heard()).map(({ data }) => data.notification_id - id)).toEqual(Array.from(Array(251).keys()))
})

test('one that arrived and is sent again is another', async () => {
  const client = await listening(['status'])
  const { id } = await say('once more')
  const { db } = world.nines.app
  await db.write.updateTable('notifications').set({ status: 'delivered' }).where('id', '=', id).execute()
  const copy = await post(`/notifications/${id}/resend`, {})
  await settle()
  const heard = await client.heard()
  expect(heard.map(({ data }) => [data.notification_id, data.subject])).toEqual([
    [id, 'once more'],
    [copy.id, 'once more'],
  ])
})

test('an alert that an evaluation raises is sent after the update that caused it', async () => {
  await rule({ alert_type: 'violation', notify: false })
  const client = await listening(['status'])
  await world.minute({ status: 'critical', current: 90 })
  expect(await client.heard()).toMatchObject([
    { type: 'slo_update', data: { status: 'critical' } },
    { type: 'notification', data: { slo_id: 1, alert_type: 'violation', priority: 'high' } },
  ])
})
