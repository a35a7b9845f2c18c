import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeLater } from '../../support/closing.ts'
import { routingKey, startPagerDuty } from '../../support/receivers/pagerduty.ts'
import { type Alerting, alerting, critical, healthy } from './alerting.ts'

let world: Alerting
let pagerduty: ReturnType<typeof startPagerDuty>
beforeEach(async () => {
  world = await alerting()
  pagerduty = startPagerDuty()
  closeLater(() => pagerduty.close())
  const configuration = { routing_key: routingKey, api_url: pagerduty.url }
  await world.post('/notifications/channels', { name: 'pager', channel_type: 'pagerduty', configuration })
  await world.rule('violation', { channel_id: 3 })
  await world.rule('violation', { channel_id: 1 })
})
afterEach(() => world.close())

const path = '/api/v1/notifications/alerts/1/acknowledge'
const acknowledge = (body = {}) => world.nines.call('POST', path, body)
const deliver = async () => {
  await world.nines.app.delivery.run()
  await world.nines.app.delivery.drain()
}
const actions = () => pagerduty.received.map(({ json }) => json.event_action)
const acknowledgements = async () => (await world.outbox()).filter(({ event }) => event === 'acknowledgement')

test('an incident that the alert opened is acknowledged, once, and then resolved', async () => {
  await world.minute(critical)
  await deliver()
  await acknowledge({ note: 'rolling back' })
  await acknowledge({ note: 'rolled back' })
  await deliver()
  expect(actions()).toEqual(['trigger', 'acknowledge'])
  expect(pagerduty.received.map(({ json }) => json.dedup_key)).toEqual(Array(2).fill(pagerduty.opened[0]))
  expect(await acknowledgements()).toMatchObject([
    { channel_id: 3, alert_id: 1, status: 'delivered', message: 'Acknowledged by ada: rolling back' },
  ])
  await world.minute(healthy)
  await deliver()
  expect(actions()).toEqual(['trigger', 'acknowledge', 'resolve'])
})

test('an acknowledgement follows its alert where both wait', async () => {
  await world.minute(critical)
  await acknowledge()
  await deliver()
  expect(actions()).toEqual(['trigger', 'acknowledge'])
})

test('one that no longer holds when its turn comes is not sent', async () => {
  await world.minute(critical)
  await acknowledge()
  await world.nines.call('DELETE', path)
  await deliver()
  expect(actions()).toEqual(['trigger'])
  const [row] = await acknowledgements()
  expect(row).toMatchObject({ status: 'delivered', error_message: expect.stringMatching(/^not sent: /) })
  await world.minute(healthy)
  await world.minute(critical)
  await world.nines.call('POST', `/api/v1/notifications/${row?.id}/resend`)
  await deliver()
  expect(actions()).not.toContain('acknowledge')
})
