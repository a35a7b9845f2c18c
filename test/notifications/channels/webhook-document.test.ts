import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'bun:test'
import type { Message } from '../../../src/notifications/channels/channel.ts'
import { webhookRequests } from '../../../src/notifications/channels/webhook-document.ts'
import { webhook } from '../../../src/notifications/channels/webhook.ts'
import { closed } from '../../contract/document.ts'
import {
  aManualMessage,
  aMessage,
  aRecovery,
  aTestMessage,
  channelDeps,
  someAlert,
  someData,
  someIncident,
} from '../../support/messages.ts'
import { startWebhook } from '../../support/receivers/webhook.ts'

const { parameters, requestBody } = webhookRequests.notification.post
const { schema, example } = requestBody.content['application/json']
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv, ['date-time'])
const validate = ajv.compile(closed(schema))
const wrongIn = (payload: unknown) => (validate(payload) ? [] : ajv.errorsText(validate.errors))

const of = (data: Parameters<typeof someData>[0]): Message['slo'] => ({
  id: 7,
  data: someData(data),
  link: 'https://nines.example/slos/7',
})
const cause = {
  label: 'route',
  value: '/pay',
  failures_percent: 100,
  traffic_percent: null,
  text: 'route=/pay has 100 %',
}
const recovered = someIncident({
  event: 'recovered',
  recovered_at: '2026-03-01T12:00:00.000Z',
  cause,
  cost: { percent: 28, bad_seconds: 720, allowed_seconds: null },
})
const certificate = {
  names: ['shop.example'],
  issuer: 'Example CA',
  server: 'shop.example:443',
  fingerprint: 'AB:CD',
  expires_at: '2026-03-22T12:00:00.000Z',
  used_by: [{ kind: 'probe' as const, id: 3, name: 'shop' }],
  end: { is_renewed: true, valid_until: '2026-09-01T12:00:00.000Z' },
}
const list: NonNullable<Message['list']> = {
  key: 'list-5',
  kind: 'critical',
  link: 'https://nines.example/incidents',
  opening_id: null,
  still_failing: null,
  incidents: [{ ...someListed(), thread: 'incident-81' }],
}
const report: NonNullable<Message['report']> = {
  id: 12,
  name: 'Monthly',
  title: 'October 2026',
  starts_at: '2026-10-01T00:00:00.000Z',
  ends_at: '2026-11-01T00:00:00.000Z',
  link: 'https://nines.example/reports/12',
  figures: [],
  left_out: 0,
}

function someListed() {
  const { id, event, severity, began_at, recovered_at } = someIncident()
  return { id, event, severity, began_at, recovered_at, slo_id: 7, slo_name: 'Checkout', is_down: true }
}

const down = someAlert({
  name: 'down',
  severity: 'critical',
  burn_rate: null,
  outage: { reason: 'HTTP 503', is_up: false, stopped: 'the probe is paused' },
  acknowledged: { by: 'Ada', at: '2026-03-01T12:01:00.000Z', note: '' },
})
const disk = {
  condition: 'disk_full',
  message: 'full',
  advice: 'free some',
  alert: someAlert({ name: 'condition:disk_full' }),
}

test.each([
  ['an alert', aMessage()],
  ['a recovery', aRecovery()],
  ['a message', aManualMessage()],
  ['a test', aTestMessage()],
  ['an outage', aMessage({ slo: of({ alert: down, incident: someIncident() }) })],
  ['an incident that recovered', aRecovery({ slo: of({ incident: recovered }) })],
  ['a list of incidents', aMessage({ slo: null, list })],
  ['a condition of nines', aMessage({ slo: null, condition: disk })],
  ['a certificate', aMessage({ slo: null, condition: { ...disk, condition: 'certificate', certificate } })],
  ['a report', aTestMessage({ report })],
] satisfies [string, Message][])(
  'the payload of %s is as the reference has it, with no other field',
  async (_, message) => {
    const receiver = startWebhook()
    const configuration = { webhook_url: receiver.url, secret: 'as long as it takes' }
    await webhook.send(channelDeps(), configuration, message, AbortSignal.timeout(20_000))
    await receiver.close()
    const [{ json, headers } = { json: null, headers: new Headers() }] = receiver.received
    expect(wrongIn(json)).toEqual([])
    expect(parameters.filter(({ name }) => !headers.has(name))).toEqual([])
  },
)

test('the example of the reference is as its schema has it', () => {
  expect(wrongIn(example)).toEqual([])
  expect(wrongIn({ ...example, version: '2', more: 1 })).toContain('must NOT have additional properties')
})
