import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { createOpsgenie, opsgenie } from '../../../../src/notifications/channels/incident/opsgenie.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { genie, jsm, startOpsgenie, startOpsgenieJsm } from '../../../support/receivers/opsgenie.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))))

const modes = ['genie', 'jsm'] as const

function receiver(mode: (typeof modes)[number], againMs = 1) {
  const started = mode === 'genie' ? startOpsgenie() : startOpsgenieJsm()
  open.push(started)
  const configuration = { ...(mode === 'genie' ? genie : jsm), api_url: started.url }
  const deliver = (message: Message, more = {}, signal = AbortSignal.timeout(20_000)) =>
    createOpsgenie({ againMs }).send(channelDeps(), { ...configuration, ...more }, message, signal)
  return { ...started, deliver }
}

const delivered = {
  outcome: 'delivered',
  statusCode: 202,
  note: 'request 43a29c5c-3dbf-4fa4-9c26-f4f71023e120',
} as const
const nothingToClose = {
  outcome: 'delivered',
  statusCode: 404,
  note: 'there is no open alert with this alias: nothing to close',
} as const
const key = 'slo-7-burn_rate:3600:300'
const secrets = [genie.api_key, jsm.api_token, Buffer.from(`${jsm.email}:${jsm.api_token}`).toString('base64')]

describe.each(modes)('mode %s', (mode) => {
  test('an alert creates one, repeated or not, its recovery closes it, and the next creates another', async () => {
    const { deliver, open: alerts, created } = receiver(mode)
    expect(await deliver(aMessage())).toEqual(delivered)
    expect(await deliver(aMessage())).toEqual(delivered)
    expect(alerts()).toEqual([key])
    expect(await deliver(aRecovery())).toEqual(delivered)
    expect(alerts()).toEqual([])
    expect(await deliver(aMessage())).toEqual(delivered)
    expect(created()).toEqual([key, key])
  })

  test('every message is an alert of its own, and a test of no SLO is taken', async () => {
    const { deliver, created } = receiver(mode)
    expect(await deliver(aManualMessage())).toEqual(delivered)
    expect(await deliver(aTestMessage({ idempotencyKey: 'other' }))).toEqual(delivered)
    expect(created()).toEqual([aManualMessage().idempotencyKey, 'other'])
  })

  test('an alert is sent with all its data', async () => {
    const { deliver, received } = receiver(mode)
    const responders = [{ type: 'team', id: '4513b7ea' }]
    expect(await deliver(aMessage(), { responders, tags: ['slo', 'shop'] })).toEqual(delivered)
    expect(received[0]?.json).toEqual({
      message: aMessage().subject,
      alias: key,
      description: `${aMessage().text}\n\nhttps://nines.example/slos/7`,
      responders,
      tags: ['slo', 'shop'],
      [mode === 'genie' ? 'details' : 'extraProperties']: {
        alert_type: 'burn_rate_too_fast',
        slo: 'Checkout availability',
        slo_id: '7',
        target: '99.9',
        time_window: '30d',
        status: 'critical',
        current_value: '99.87',
        error_budget_used: '130',
        error_budget_remaining: '-30',
        measured_at: '2026-03-01T12:00:00.000Z',
        alert: 'burn_rate:3600:300',
        severity: 'page',
        began_at: '2026-03-01T11:58:00.000Z',
        'label.team': 'shop',
        'label.tier': '1',
        error_budget_estimated: 'false',
      },
      entity: 'Checkout availability',
      source: 'nines',
      priority: 'P1',
    })
  })

  test('what is too long is cut, and shows it', async () => {
    const { deliver, received } = receiver(mode)
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`l${index}`, 'v'.repeat(200)]))
    const slo = { id: 7, data: someData({ labels, slo_name: 'n'.repeat(600) }), link: 'https://nines.example/slos/7' }
    const long = { subject: 's'.repeat(200), text: 't'.repeat(30_000), alertKey: 'k'.repeat(600), slo }
    expect(await deliver(aMessage(long))).toEqual(delivered)
    const { message, description } = received[0]?.json ?? {}
    expect(message).toBe(`${'s'.repeat(129)}…`)
    expect(description).toEndWith('t…\n\nhttps://nines.example/slos/7')
    expect(await deliver(aRecovery(long))).toEqual(delivered)
  })

  test.each([
    ['critical', undefined, 'P1'],
    ['high', undefined, 'P2'],
    ['medium', undefined, 'P3'],
    ['low', undefined, 'P4'],
    ['critical', 'P5', 'P5'],
  ] as const)('the priority %p with %p configured is %p', async (priority, own, expected) => {
    const { deliver, received } = receiver(mode)
    expect(await deliver(aMessage({ priority }), own && { priority: own })).toEqual(delivered)
    expect(received[0]?.json.priority).toBe(expected)
  })

  test('wrong credentials are refused for good, and no error holds them', async () => {
    const { deliver } = receiver(mode)
    const wrong = mode === 'genie' ? { api_key: 'wr0ng-key' } : { api_token: 'wr0ng-key' }
    for (const message of [aMessage(), aRecovery()]) {
      const result = await deliver(message, wrong)
      expect(result).toMatchObject({ outcome: 'failed', statusCode: 401 })
      for (const secret of [...secrets, 'wr0ng-key']) expect(JSON.stringify(result)).not.toContain(secret)
    }
  })
})

test('genie closes by alias, also what nobody has opened', async () => {
  const { deliver, received } = receiver('genie')
  expect(await deliver(aRecovery({ alertKey: 'a/b c' }))).toEqual(delivered)
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v2/alerts/a%2Fb%20c/close?identifierType=alias',
  ])
})

describe('closing in jsm', () => {
  test('asks for the id first', async () => {
    const { deliver, received } = receiver('jsm')
    await deliver(aMessage())
    await deliver(aRecovery())
    const root = `/jsm/ops/api/${jsm.cloud_id}/v1/alerts`
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${root}`,
      `GET ${root}/alias?alias=${encodeURIComponent(key)}`,
      expect.stringMatching(/^POST .*\/alerts\/[0-9a-f-]{36}\/close$/),
    ])
  })

  test('finds nothing to close where a person has closed it', async () => {
    const { deliver, closeByHand, received } = receiver('jsm')
    await deliver(aMessage())
    closeByHand(key)
    expect(await deliver(aRecovery())).toEqual(nothingToClose)
    expect(received.filter(({ path }) => path.endsWith('/close'))).toEqual([])
  })

  test('finds nothing to close where there never was an alert', async () => {
    expect(await receiver('jsm').deliver(aRecovery())).toEqual(nothingToClose)
  })

  test('finds an alert that shows only a moment after it was taken', async () => {
    const { deliver, delayAlerts, open: alerts } = receiver('jsm')
    delayAlerts(1)
    await deliver(aMessage())
    expect(await deliver(aRecovery())).toEqual(delivered)
    expect(alerts()).toEqual([])
  })

  test.each([
    [429, { 'x-ratelimit-period-in-sec': '5' }, { outcome: 'retry', retryAfterMs: 5000 }],
    [500, {}, { outcome: 'retry' }],
    [403, {}, { outcome: 'failed' }],
    [302, {}, { outcome: 'failed' }],
    [204, {}, { outcome: 'failed' }],
    [200, {}, { outcome: 'failed' }],
  ])('goes no further after %p to the question for the id', async (status, headers, outcome) => {
    const { deliver, next, open: alerts } = receiver('jsm')
    await deliver(aMessage())
    next(() => new Response(null, { status, headers }))
    expect(await deliver(aRecovery())).toMatchObject({ ...outcome, statusCode: status })
    expect(alerts()).toEqual([key])
  })

  test('ends with an abort while it waits', async () => {
    const { deliver, next } = receiver('jsm', 60_000)
    const abort = new AbortController()
    next(() => {
      setImmediate(() => abort.abort(new Error('enough')))
      return new Response(null, { status: 404 })
    })
    await expect(deliver(aRecovery(), {}, abort.signal)).rejects.toThrow('enough')
  })
})

test.each([
  { ...genie, url: 'https://api.opsgenie.com/v2/alerts' },
  { ...jsm, url: `https://api.atlassian.com/jsm/ops/api/${jsm.cloud_id}/v1/alerts` },
])('names nobody else: $mode goes to the service itself', async ({ url, ...configuration }) => {
  const requested: string[] = []
  const fetch = async (to: string) => {
    requested.push(to)
    return { status: 202, headers: new Headers(), body: Buffer.alloc(0), isCut: false }
  }
  const deps = channelDeps({ outbound: { ...channelDeps().outbound, fetch } })
  const result = await opsgenie.send(deps, configuration, aMessage(), AbortSignal.timeout(20_000))
  expect(result).toEqual({ outcome: 'delivered', statusCode: 202 })
  expect(requested).toEqual([url])
})
