import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { NotificationStatus } from '../../src/db/tables/tables.ts'
import { queueNotifications } from '../../src/notifications/outbox-store.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { webhookTo } from '../support/good-configurations.ts'
import { aDraft } from '../support/messages.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  await nines.call('POST', '/api/v1/slos', slo)
  for (let at = 0; at < 2; at += 1) await nines.call('POST', channels, webhookTo('http://receiver.example'))
  await nines.app.db.write.transaction().execute(async (trx) => {
    const drafts = [1, 1, 1, 1, 2].map((channel_id) => aDraft({ channel_id }))
    await queueNotifications(trx, drafts, nines.clock.now())
    for (const [id, status] of [
      [2, 'sending'],
      [3, 'delivered'],
      [4, 'failed'],
    ] as const) {
      await trx.updateTable('notifications').set({ status }).where('id', '=', id).execute()
    }
  })
  await nines.app.db.write
    .insertInto('notification_rules')
    .values([rule(1), rule(2)])
    .execute()
  nines.clock.advance(5000)
})
afterEach(() => nines.close())

const channels = '/api/v1/notifications/channels'

function rule(channel_id: number) {
  return {
    organization_id: 1,
    slo_id: 1,
    channel_id,
    alert_type: 'violation',
    cause: 'violation' as const,
    severity: null,
    priority: 'low' as const,
    subject: null,
    message: null,
    max_retries: 3,
    min_interval_seconds: 0,
    enabled: 1 as const,
    created_at: 0,
    updated_at: 0,
  }
}

async function outbox(): Promise<[NotificationStatus, string][]> {
  const rows = await nines.app.db.read.selectFrom('notifications').selectAll().orderBy('id').execute()
  return rows.map(({ status, error_message }) => [status, error_message])
}
const rules = async () =>
  (await nines.app.db.read.selectFrom('notification_rules').select('channel_id').execute()).map((row) => row.channel_id)

const untouched: [NotificationStatus, string][] = [
  ['sending', ''],
  ['delivered', ''],
  ['failed', ''],
  ['pending', ''],
]

test('disabling a channel ends what waits for it; what is on its way and its rules stay', async () => {
  expect((await nines.call('PUT', `${channels}/1`, { enabled: false })).status).toBe(200)
  expect(await outbox()).toEqual([['failed', 'the channel was disabled'], ...untouched])
  expect(await rules()).toEqual([1, 2])
  const row = await nines.app.db.read.selectFrom('notifications').selectAll().executeTakeFirstOrThrow()
  expect(row.updated_at).toBe(nines.clock.now())
})

test('deleting a channel ends what waits for it, and its rules', async () => {
  expect((await nines.call('DELETE', `${channels}/1`)).status).toBe(200)
  expect(await outbox()).toEqual([['failed', 'the channel was deleted'], ...untouched])
  expect(await rules()).toEqual([2])
})

test('other changes leave what waits alone', async () => {
  await nines.call('PUT', `${channels}/1`, {
    name: 'other',
    enabled: true,
    config: { webhook_url: 'http://x.example' },
  })
  expect(await outbox()).toEqual([['pending', ''], ...untouched])
})
