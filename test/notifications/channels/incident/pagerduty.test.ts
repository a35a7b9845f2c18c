import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { pagerduty } from '../../../../src/notifications/channels/incident/pagerduty.ts'
import {
  aManualMessage,
  aMessage,
  aRecovery,
  aTestMessage,
  channelDeps,
  someAlert,
  someData,
} from '../../../support/messages.ts'
import { routingKey, startPagerDuty } from '../../../support/receivers/pagerduty.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))))

function receiver() {
  const started = startPagerDuty()
  open.push(started)
  const configuration = { routing_key: routingKey, api_url: started.url }
  const deliver = (message: Message, more = {}) =>
    pagerduty.send(channelDeps(), { ...configuration, ...more }, message, AbortSignal.timeout(20_000))
  return { ...started, deliver }
}

const delivered = { outcome: 'delivered', statusCode: 202 } as const
const key = 'slo-7-burn_rate:3600:300'

test('an alert opens one incident, repeated or not, its recovery resolves it, and the next one opens another', async () => {
  const { deliver, open: incidents, opened } = receiver()
  expect(await deliver(aMessage())).toEqual(delivered)
  expect(await deliver(aMessage())).toEqual(delivered)
  expect(incidents()).toEqual([key])
  expect(await deliver(aRecovery())).toEqual(delivered)
  expect(incidents()).toEqual([])
  expect(await deliver(aMessage())).toEqual(delivered)
  expect(opened).toEqual([key, key])
})

test('every message opens an incident of its own', async () => {
  const { deliver, opened } = receiver()
  expect(await deliver(aManualMessage())).toEqual(delivered)
  expect(await deliver(aManualMessage({ idempotencyKey: 'other' }))).toEqual(delivered)
  expect(opened).toEqual([aManualMessage().idempotencyKey, 'other'])
})

test('a test of an alert and its recovery, of no SLO, opens and resolves', async () => {
  const { deliver, open: incidents } = receiver()
  const tried = { alertKey: 'test-9', threadKey: 'test-9' }
  expect(await deliver(aTestMessage({ ...tried, event: 'alert' }))).toEqual(delivered)
  expect(incidents()).toEqual(['test-9'])
  expect(await deliver(aTestMessage({ ...tried, event: 'recovery' }))).toEqual(delivered)
  expect(incidents()).toEqual([])
})

test('an alert is sent with all its data, a recovery with its key alone', async () => {
  const { deliver, received } = receiver()
  await deliver(aMessage())
  await deliver(aRecovery())
  const { data, link } = aMessage().slo ?? { data: someData(), link: '' }
  expect(received.map(({ json }) => json)).toEqual([
    {
      routing_key: routingKey,
      event_action: 'trigger',
      dedup_key: key,
      payload: {
        summary: aMessage().subject,
        source: 'nines.example',
        severity: 'critical',
        timestamp: '2026-03-01T11:58:00.000Z',
        component: 'Checkout availability',
        group: 'shop',
        class: 'burn_rate_too_fast',
        custom_details: { message: aMessage().text, priority: 'critical', ...data },
      },
      links: [{ href: link, text: 'Checkout availability' }],
      client: 'nines',
      client_url: link,
    },
    { routing_key: routingKey, event_action: 'resolve', dedup_key: key },
  ])
})

test.each([
  ['page', 'low', undefined, 'critical'],
  ['critical', 'low', undefined, 'critical'],
  ['ticket', 'critical', undefined, 'warning'],
  ['warning', 'critical', undefined, 'warning'],
  [null, 'critical', undefined, 'critical'],
  [null, 'high', undefined, 'error'],
  [null, 'medium', undefined, 'warning'],
  [null, 'low', undefined, 'info'],
  ['page', 'critical', 'info', 'info'],
] as const)(
  'an alert %p of priority %p with the severity %p configured is %p',
  async (severity, priority, own, expected) => {
    const { deliver, received } = receiver()
    const data = someData({ alert: severity && someAlert({ severity }) })
    const slo = { id: 7, data, link: 'https://nines.example/slos/7' }
    expect(await deliver(aMessage({ priority, slo }), own && { severity: own })).toEqual(delivered)
    expect(received[0]?.json.payload.severity).toBe(expected)
  },
)

test('what is too long is cut, and shows it', async () => {
  const { deliver, received } = receiver()
  const data = someData({ slo_name: 'n'.repeat(1000) })
  const slo = { id: 7, data, link: 'https://nines.example/slos/7' }
  const long = aMessage({ subject: 's'.repeat(2000), alertKey: 'k'.repeat(300), text: 'ü'.repeat(262_144), slo })
  expect(await deliver(long)).toEqual(delivered)
  const { payload, dedup_key } = received[0]?.json ?? {}
  expect(payload.summary).toBe(`${'s'.repeat(1023)}…`)
  expect(dedup_key).toBe('k'.repeat(250))
  expect(payload.custom_details).toEqual({ message: expect.stringContaining('larger than 512 KB') })
})

describe('refusals', () => {
  test('a recovery with another key than its alert leaves the incident open', async () => {
    const { deliver, open: incidents } = receiver()
    await deliver(aMessage())
    expect(await deliver(aRecovery(), { routing_key: 'X'.repeat(32) })).toMatchObject({ outcome: 'failed' })
    expect(incidents()).toEqual([key])
  })
})

test('goes to PagerDuty where it names nobody else', async () => {
  const requested: string[] = []
  const fetch = async (url: string) => {
    requested.push(url)
    return { status: 202, headers: new Headers(), body: Buffer.alloc(0), isCut: false }
  }
  const deps = channelDeps({ outbound: { ...channelDeps().outbound, fetch } })
  expect(await pagerduty.send(deps, { routing_key: routingKey }, aMessage(), AbortSignal.timeout(20_000))).toEqual(
    delivered,
  )
  expect(requested).toEqual(['https://events.pagerduty.com/v2/enqueue'])
})
