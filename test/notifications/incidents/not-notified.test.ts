import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Alerting, alerting, healthy, testStartMs, tiers } from '../alerts/alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const read = async () => (await world.nines.call('GET', '/api/v1/incidents/1')).body.data
const notNotified = async () =>
  (await read()).not_notified.map(
    ({ channel_id, channel_type: _type, channel_name: _name, ...why }: Record<string, unknown>) => [
      channel_id,
      Object.fromEntries(Object.entries(why).filter(([, value]) => value !== null)),
    ],
  )
const page = { ...healthy, ...tiers({ 1: true }) }
const both = { ...healthy, ...tiers({ 1: true, 24: true }) }
const disable = (channel: number) => world.put(`/notifications/channels/${channel}`, { enabled: false })

test('an incident has its alerts, its notifications with what came of them, and the channels without a rule', async () => {
  await world.rule('burn_rate_too_fast')
  await world.minute(page)
  const found = await read()
  expect(found).toMatchObject({
    notified: 1,
    alerts: [{ id: 1, kind: 'burn_rate', alert_type: 'burn_rate_too_fast', severity: 'page', ended_at: null }],
    notifications: [{ channel_name: 'first', event: 'alert', incident_event: 'opened', alert_id: 1, sent_at: null }],
  })
  expect(await notNotified()).toEqual([[2, { reason: 'no_rule' }]])
})

test('a channel that is disabled, or whose rule selects none of its alerts, is named with that', async () => {
  await world.rule('burn_rate_too_fast', { severity: 'ticket' })
  await world.rule('burn_rate_too_fast', { channel_id: 2 })
  await disable(2)
  await world.minute(page)
  expect(await notNotified()).toEqual([
    [1, { reason: 'no_rule' }],
    [2, { reason: 'channel_disabled' }],
  ])
})

test('a delivery that failed is named with the answer of the receiver', async () => {
  await world.rule('burn_rate_too_fast')
  await world.minute(page)
  await world.settle('failed')
  await world.nines.app.db.write.updateTable('notifications').set({ error_message: 'HTTP 410' }).execute()
  expect((await notNotified())[0]).toEqual([1, { reason: 'failed', message: 'HTTP 410' }])
})

test('a silence is named with who made it, its end and its comment', async () => {
  await world.rule('burn_rate_too_fast')
  await world.post('/notifications/silences', { slo_id: 1, duration_seconds: 3600, comment: 'known' })
  await world.minute(page)
  const until = new Date(testStartMs + 3_600_000).toISOString()
  expect((await notNotified())[0]).toEqual([1, { reason: 'silenced', by: 'ada', until, message: 'known' }])
})

test('an acknowledgement is named with who made it, where a rule came later', async () => {
  await world.minute(page)
  await world.nines.call('POST', '/api/v1/incidents/1/acknowledge', {})
  await world.rule('burn_rate_too_fast')
  await world.minute(page)
  expect((await notNotified())[0]).toEqual([1, { reason: 'acknowledged', by: 'ada' }])
})

test('a rule that is made now waits for the next evaluation', async () => {
  await world.minute(page)
  world.nines.clock.advance(2000)
  await world.rule('burn_rate_too_fast')
  expect((await notNotified())[0]).toEqual([1, { reason: 'next_evaluation' }])
  await world.minute(page)
  expect(await notNotified()).toEqual([[2, { reason: 'no_rule' }]])
})

test('a rule that waits for its least time is named with the end of that', async () => {
  await world.rule('burn_rate_too_fast', { min_interval_seconds: 3600 })
  await world.minute(page)
  await world.settle('delivered')
  await world.minute(healthy)
  await world.nines.call('POST', '/api/v1/incidents/1/close')
  await world.minute(page)
  const { not_notified } = (await world.nines.call('GET', '/api/v1/incidents/2')).body.data
  expect(not_notified[0]).toMatchObject({
    channel_id: 1,
    reason: 'throttled',
    until: new Date(testStartMs + 60_000 + 3_600_000).toISOString(),
  })
})

test('a rule for a slower tier alone is inhibited by the faster one', async () => {
  await world.rule('burn_rate_too_fast', { severity: 'page' })
  await world.rule('burn_rate_too_fast', { channel_id: 2, severity: 'ticket' })
  await world.minute(both)
  expect(await notNotified()).toEqual([[2, { reason: 'inhibited' }]])
})

test('a channel that was made after the end is not named', async () => {
  await world.minute(page)
  await world.nines.call('POST', '/api/v1/incidents/1/close')
  world.nines.clock.advance(60_000)
  const configuration = { webhook_url: 'http://127.0.0.1:9/third' }
  await world.post('/notifications/channels', { name: 'third', channel_type: 'webhook', configuration })
  expect((await notNotified()).map(([id]: [number]) => id)).toEqual([1, 2])
})
