import { afterEach, describe, expect, test } from 'bun:test'
import { webhook } from '../../../src/notifications/channels/webhook.ts'
import { startReceiver } from '../../support/receiver.ts'
import {
  aManualMessage,
  aMessage,
  aRecovery,
  aTestMessage,
  channelDeps,
  someAlert,
  someData,
  writtenAtMs,
} from '../../support/messages.ts'
import { startWebhook } from '../../support/receivers/webhook.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))))

function receiver(options?: Parameters<typeof startWebhook>[0]) {
  const started = startWebhook(options)
  open.push(started)
  return started
}

const path = '/hooks/T0P-S3CRET'
const signal = AbortSignal.timeout(20_000)
const deliver = (configuration: Record<string, unknown>, message = aMessage(), deps = channelDeps()) =>
  webhook.send(deps, configuration, message, signal)

describe('the payload of nines', () => {
  test('of an alert, a recovery, a message and a test is as documented, and an alert is open until its recovery', async () => {
    const { url, open: alerts, received } = receiver()
    for (const message of [aMessage(), aManualMessage(), aTestMessage()]) {
      expect(await deliver({ webhook_url: url + path }, message)).toEqual({ outcome: 'delivered', statusCode: 200 })
    }
    expect(alerts()).toEqual(['slo-7-burn_rate:3600:300'])
    expect(await deliver({ webhook_url: url + path }, aRecovery())).toMatchObject({ outcome: 'delivered' })
    expect(alerts()).toEqual([])
    expect(received.map(({ json, headers }) => [json.event, headers.get('x-nines-event')])).toEqual([
      ['alert', 'alert'],
      ['message', 'message'],
      ['message', 'message'],
      ['recovery', 'recovery'],
    ])
  })

  test('holds all there is to know', async () => {
    const { url, received } = receiver()
    await deliver({ webhook_url: url + path })
    expect(received[0]?.json).toEqual({
      version: '1',
      event: 'alert',
      id: 41,
      idempotency_key: '0195f3a2-0000-7000-8000-000000000041',
      dedup_key: 'slo-7-burn_rate:3600:300',
      thread: 'alert-31',
      alert_type: 'burn_rate_too_fast',
      priority: 'critical',
      subject: aMessage().subject,
      message: aMessage().text,
      created_at: '2026-03-01T12:00:00.000Z',
      slo: {
        id: 7,
        name: 'Checkout availability',
        description: 'Orders that were taken',
        labels: { team: 'shop', tier: '1' },
        target: 99.9,
        time_window: '30d',
        status: 'critical',
        current_value: 99.87,
        measured_at: '2026-03-01T12:00:00.000Z',
      },
      budget: { used: 130, remaining: -30, estimated: false },
      alert: {
        name: 'burn_rate:3600:300',
        severity: 'page',
        began_at: '2026-03-01T11:58:00.000Z',
        ended_at: null,
        acknowledged: null,
        outage: null,
        threshold: null,
        burn_rate: { factor: 14.4, long_window: '1h', short_window: '5m', long: 16.2, short: 20.5 },
      },
      forecast: null,
      condition: null,
      incident: null,
      incidents: null,
      links: { slo: 'https://nines.example/slos/7', incident: null },
    })
  })
})

describe('the payload of Alertmanager', () => {
  test('of an alert, a recovery, a message and a test is version 4, and a recovery resolves its alert', async () => {
    const { url, open: firing } = receiver({ format: 'alertmanager' })
    const configuration = { webhook_url: url, format: 'alertmanager' }
    expect(await deliver(configuration)).toMatchObject({ outcome: 'delivered' })
    expect(firing()).toHaveLength(1)
    const escalated = someData({
      labels: {},
      alert: someAlert({ severity: 'ticket', ended_at: '2026-03-01T12:09:00Z' }),
    })
    const recovery = aRecovery({ slo: { id: 7, data: escalated, link: 'https://nines.example/slos/7' } })
    expect(await deliver(configuration, recovery)).toMatchObject({ outcome: 'delivered' })
    expect(firing()).toEqual([])
    for (const message of [aManualMessage(), aTestMessage(), aManualMessage({ idempotencyKey: 'another' })]) {
      expect(await deliver(configuration, message)).toMatchObject({ outcome: 'delivered' })
    }
    // the manual and the test message have the same idempotency key
    expect(firing()).toHaveLength(2)
  })

  test('has the labels of the SLO under names Prometheus takes, and its own win', async () => {
    const { url, received } = receiver({ format: 'alertmanager' })
    const labels = { 'team.name': 'shop', severity: 'mine', 'a-b': '1', __x: '2' }
    const slo = { id: 7, data: someData({ labels }), link: 'https://nines.example/slos/7' }
    await deliver({ webhook_url: url, format: 'alertmanager' }, aMessage({ slo }))
    const own = {
      alertname: 'BurnRateTooFast',
      severity: 'page',
      slo: 'Checkout availability',
      slo_id: '7',
      alert_key: 'slo-7-burn_rate:3600:300',
    }
    const all = { team_name: 'shop', a_b: '1', _x: '2', ...own }
    expect(received[0]?.json).toMatchObject({
      groupKey: '{}:{alertname="BurnRateTooFast", alert_key="slo-7-burn_rate:3600:300"}',
      status: 'firing',
      receiver: 'nines',
      groupLabels: { alertname: 'BurnRateTooFast', alert_key: 'slo-7-burn_rate:3600:300' },
      externalURL: 'https://nines.example',
      commonAnnotations: { summary: aMessage().subject, description: aMessage().text },
      alerts: [{ startsAt: '2026-03-01T11:58:00.000Z', endsAt: '0001-01-01T00:00:00Z' }],
    })
    expect(received[0]?.json.commonLabels).toEqual(all)
    expect(received[0]?.json.alerts[0].labels).toEqual(all)
  })

  test.each([
    ['status', 'SloBelowTarget'],
    ['budget:25', 'ErrorBudgetLow'],
    ['budget:0', 'ErrorBudgetExhausted'],
    ['burn_rate:21600:1800', 'BurnRateTooFast'],
    [null, 'NinesMessage'],
  ])('calls the alert %p %p', async (name, alertname) => {
    const { url, received } = receiver({ format: 'alertmanager' })
    const data = someData({ alert: name === null ? null : someAlert({ name }) })
    const slo = { id: 7, data, link: 'https://nines.example/slos/7' }
    await deliver({ webhook_url: url, format: 'alertmanager' }, aMessage({ slo }))
    expect(received[0]?.json.alerts[0].labels.alertname).toBe(alertname)
  })
})

describe('headers', () => {
  test('are those configured, which do not replace ours', async () => {
    const authorization = 'Bearer abcdef'
    const { url, received } = receiver({ authorization })
    const headers = { Authorization: authorization, 'User-Agent': 'ours' }
    expect(await deliver({ webhook_url: url, headers })).toMatchObject({ outcome: 'delivered' })
    expect(received[0]?.headers.get('user-agent')).toBe('ours')
    expect(await deliver({ webhook_url: url, headers: { authorization: 'wrong' } })).toEqual({
      outcome: 'failed',
      statusCode: 401,
      error: 'the receiver answered 401: unauthorized',
    })
  })

  test('sign the body with the secret, and the idempotency key is the same at every attempt', async () => {
    const { url, received, taken } = receiver({ secret: 'whsec', nowMs: writtenAtMs })
    for (const secret of ['whsec', 'whsec']) {
      expect(await deliver({ webhook_url: url, secret })).toMatchObject({ outcome: 'delivered' })
    }
    expect([...taken]).toEqual([aMessage().idempotencyKey])
    expect(await deliver({ webhook_url: url, secret: 'other' })).toMatchObject({ outcome: 'failed', statusCode: 401 })
    const late = channelDeps({ clock: { now: () => writtenAtMs - 301_000 } })
    expect(await deliver({ webhook_url: url, secret: 'whsec' }, aMessage(), late)).toMatchObject({ statusCode: 401 })
    expect(await deliver({ webhook_url: url })).toMatchObject({ statusCode: 401 })
    expect(received.at(-1)?.headers.has('x-nines-signature')).toBe(false)
  })
})

test.each([
  [200, {}, { outcome: 'delivered' }],
  [201, {}, { outcome: 'delivered' }],
  [204, {}, { outcome: 'delivered' }],
  [301, { location: 'http://127.0.0.1:9/' }, { outcome: 'failed' }],
  [307, { location: 'http://127.0.0.1:9/' }, { outcome: 'failed' }],
  [400, {}, { outcome: 'failed' }],
  [403, {}, { outcome: 'failed' }],
  [404, {}, { outcome: 'failed' }],
  [410, {}, { outcome: 'failed' }],
  [422, {}, { outcome: 'failed' }],
  [408, {}, { outcome: 'retry' }],
  [425, {}, { outcome: 'retry' }],
  [429, { 'retry-after': '17' }, { outcome: 'retry', retryAfterMs: 17_000 }],
  [503, { 'retry-after': 'Sun, 01 Mar 2026 12:01:00 GMT' }, { outcome: 'retry', retryAfterMs: 60_000 }],
  [500, {}, { outcome: 'retry' }],
])('an answer %p is assessed by its status and when to come again', async (status, headers, outcome) => {
  const { url, next, received } = receiver()
  next(() => new Response(null, { status, headers }))
  const result = await deliver({ webhook_url: url + path })
  expect(result).toMatchObject({ ...outcome, statusCode: status })
  expect('retryAfterMs' in result).toBe('retryAfterMs' in outcome)
  expect(received).toHaveLength(1)
  expect(JSON.stringify(result)).not.toContain('S3CRET')
})

test('nobody there is tried again, and the error does not hold the path', async () => {
  const closed = startReceiver(() => new Response())
  await closed.close()
  const result = await deliver({ webhook_url: closed.url + path })
  expect(result).toEqual({ outcome: 'retry', statusCode: null, error: 'connection refused' })
})

test('an abort ends an attempt', async () => {
  const { url, next } = receiver()
  const abort = new AbortController()
  next(() => {
    abort.abort(new Error('enough'))
    return new Promise(() => {})
  })
  const sent = webhook.send(channelDeps(), { webhook_url: url }, aMessage(), abort.signal)
  await expect(sent).rejects.toThrow('enough')
})

test('a configuration keeps what a webhook knows, and the secrets are named', () => {
  const given = { webhook_url: 'http://x/y', headers: { A: 'b' }, secret: 's', other: 1 }
  expect(webhook.read(given)).toEqual({
    webhook_url: 'http://x/y',
    format: 'nines',
    headers: { A: 'b' },
    secret: 's',
  })
  expect(webhook.secrets).toEqual(['webhook_url', 'headers', 'secret'])
})
