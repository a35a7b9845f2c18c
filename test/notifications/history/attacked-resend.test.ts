import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Alerting, alerting, critical, healthy, testStartMs } from '../alerts/alerting.ts'

let on: Alerting
beforeEach(async () => {
  on = await alerting()
  await on.rule('violation')
  await on.nines.app.db.write
    .updateTable('channels')
    .set({ paused_until: testStartMs * 2 })
    .execute() // nothing is sent
})
afterEach(() => on.close())

/** Each notification in short form: channel, event, alert and status; `sending` counts as pending. */
const history = async () =>
  (await on.outbox()).map(({ channel_id, event, alert_id, status }) => {
    return `${channel_id} ${event} ${alert_id} ${status === 'sending' ? 'pending' : status}`
  })
const retryFailed = () => on.post('/notifications/retry-failed', { max_age_seconds: 86_400 })
const resend = (id: number) => on.post(`/notifications/${id}/resend`, {})

test('an alert that failed and is sent again once it has ended is followed by its recovery', async () => {
  await on.minute(critical)
  await on.settle('failed')
  expect(await on.minute(healthy)).toEqual([])
  await retryFailed()
  expect(await history()).toEqual(['1 alert 1 pending', '1 recovery 1 pending'])
  const [, recovery] = await on.outbox()
  expect(recovery).toMatchObject({
    alert_type: 'recovery',
    priority: 'high',
    subject: 'Recovered: Checkout at 99.95 % over the last 1 h, target 99.9 %',
  })
  await retryFailed()
  expect(await history()).toEqual(['1 alert 1 pending', '1 recovery 1 pending'])
})

test('so is one that is sent once more by itself, as often as it is', async () => {
  await on.minute(critical)
  await on.settle('delivered')
  await on.minute(healthy)
  await on.settle('delivered')
  await resend(1)
  expect((await history()).slice(2)).toEqual(['1 alert 1 pending', '1 recovery 1 pending'])
  await on.settle('delivered')
  await resend(1)
  expect((await history()).slice(4)).toEqual(['1 alert 1 pending', '1 recovery 1 pending'])
})

test('a recovery that failed with its alert follows it, and no second one does', async () => {
  await on.minute(critical)
  await on.minute(healthy)
  await on.settle('failed')
  await resend(1)
  expect(await history()).toEqual(['1 alert 1 pending', '1 recovery 1 pending'])
})

test('while the same alert fires, or fires again, no recovery is sent', async () => {
  await on.minute(critical)
  await on.settle('failed')
  await retryFailed()
  expect(await history()).toEqual(['1 alert 1 pending'])
  await on.settle('failed')
  await on.minute(healthy)
  await on.minute(critical)
  await retryFailed()
  expect(await history()).toEqual(['1 alert 1 pending', '1 alert 2 pending'])
})

test('the recovery has the texts of a rule for recoveries, and goes to no other channel', async () => {
  await on.minute(critical)
  await on.settle('failed')
  await on.minute(healthy)
  await on.rule('recovery', { subject: 'all is well', priority: 'low' })
  await on.rule('recovery', { channel_id: 2 })
  await retryFailed()
  expect(await history()).toEqual(['1 alert 1 pending', '1 recovery 1 pending'])
  expect((await on.outbox())[1]).toMatchObject({ subject: 'all is well', priority: 'low', rule_id: 2 })
})

test('of a deleted SLO it does not say that it has recovered', async () => {
  await on.minute(critical)
  await on.settle('failed')
  await on.minute(healthy)
  await on.nines.call('DELETE', '/api/v1/slos/1')
  await retryFailed()
  expect((await on.outbox())[1]).toMatchObject({
    event: 'recovery',
    subject: 'Ended: the alert on the SLI of Checkout',
  })
})

test('a recovery that finds its channel disabled fails, and can be sent when it is enabled again', async () => {
  await on.minute(critical)
  await on.settle('delivered')
  await on.put('/notifications/channels/1', { enabled: false })
  expect(await on.minute(healthy)).toEqual(['1 recovery recovery status'])
  await on.settle('failed')
  await on.put('/notifications/channels/1', { enabled: true })
  await retryFailed()
  expect((await history())[1]).toBe('1 recovery 1 pending')
})
