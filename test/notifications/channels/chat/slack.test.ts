import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { slack } from '../../../../src/notifications/channels/chat/slack.ts'
import { redact } from '../../../../src/notifications/configurations.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import {
  aManualMessage,
  aMessage,
  aRecovery,
  aTestMessage,
  channelDeps,
  someAlert,
  someData,
} from '../../../support/messages.ts'
import { slackRefusals, startSlack } from '../../../support/receivers/slack.ts'
import { outcomeOfRefusal, type Refusal } from '../../../support/receivers/refusal.ts'

afterEach(closeAll)

function open() {
  const chat = startSlack()
  closeLater(() => void chat.close())
  const send = (message: Message, rest: object = {}, webhook_url = chat.webhookUrl) =>
    slack.send(channelDeps(), { webhook_url, ...rest }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

test('an alert shows its SLO, what was measured, and a link, in red', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: 200 })
  expect(chat.shown).toEqual([
    {
      title: 'Checkout availability: the error budget burns 16.2 times too fast',
      link: 'https://nines.example/slos/7',
      text: 'Over the last 1h the error budget burned at 16.2 (the limit is 14.4).\nOver the last 5m: 20.5.',
      data: {
        SLO: 'Checkout availability',
        Status: 'critical',
        SLI: '99.87 %',
        Target: '99.9 % over 30d',
        'Error budget remaining': '-30 %',
        'Burn rate': '16.2 over 1h, 20.5 over 5m (limit 14.4)',
      },
      colour: '#992d22',
      channel: undefined,
    },
  ])
})

test('a recovery is green, what can wait is amber, a message is grey', async () => {
  const { chat, send } = open()
  const data = someData({ alert: someAlert({ severity: 'ticket' }) })
  await send(aRecovery())
  await send(aMessage({ slo: { id: 7, data, link: 'https://nines.example/slos/7' } }))
  await send(aManualMessage())
  await send(aTestMessage())
  expect(chat.shown.map(({ colour }) => colour)).toEqual(['#2ecc71', '#e67e22', '#95a5a6', '#95a5a6'])
})

test('what is not known is not shown, and a test is of no SLO', async () => {
  const { chat, send } = open()
  await send(aManualMessage())
  await send(aTestMessage())
  expect(chat.shown.map(({ data, link }) => ({ data, link }))).toEqual([
    {
      data: { SLO: 'Checkout availability', Status: 'unknown', Target: '99.9 % over 30d' },
      link: 'https://nines.example/slos/7',
    },
    { data: {}, link: null },
  ])
})

test('an SLI that missed its target by little is not rounded up to it', async () => {
  const { chat, send } = open()
  const data = someData({ current_value: 99.899_999 })
  await send(aMessage({ slo: { id: 7, data, link: 'https://nines.example/slos/7' } }))
  expect(chat.shown[0]?.data).toMatchObject({ SLI: '99.899 %' })
})

test('the channel of a legacy webhook is named', async () => {
  const { chat, send } = open()
  await send(aMessage(), { channel: '#alerts' })
  expect(chat.shown[0]?.channel).toBe('#alerts')
  const outcomes = [await send(aMessage(), { channel: '#nowhere' }), await send(aMessage(), { channel: '#old' })]
  expect(outcomes).toEqual([
    { outcome: 'failed', statusCode: 404, error: 'the receiver answered 404: channel_not_found' },
    { outcome: 'failed', statusCode: 410, error: 'the receiver answered 410: channel_is_archived' },
  ])
})

test('markup in names and texts calls nobody', async () => {
  const { chat, send } = open()
  const text = '<!channel> a < b && c > d &amp; <https://evil.example|here>'
  const data = someData({ slo_name: '<@U024BE7LH>' })
  await send(aMessage({ subject: text, text, slo: { id: 7, data, link: 'https://nines.example/slos/7' } }))
  expect(chat.shown[0]).toMatchObject({ title: text, text, data: { SLO: '<@U024BE7LH>' } })
})

test.each(['&', '<', '🔥', 'a&', '🔥<b'])(
  'a text of nothing but %p is cut visibly, and never inside a character',
  async (unit) => {
    const { chat, send } = open()
    const long = unit.repeat(5000)
    expect(await send(aMessage({ subject: long, text: long }))).toMatchObject({ outcome: 'delivered' })
    for (const shown of [chat.shown[0]?.title ?? '', chat.shown[0]?.text ?? '']) {
      expect(shown).toEndWith('…')
      expect(shown.isWellFormed()).toBe(true)
      expect(long).toStartWith(shown.slice(0, -1))
      expect(shown.length).toBeGreaterThan(180)
    }
  },
)

test('an empty subject is named after the SLO', async () => {
  const { chat, send } = open()
  await send(aMessage({ subject: ' ' }))
  expect(chat.shown[0]?.title).toBe('Checkout availability')
})

test.each([
  [200, '{"success":true}'],
  [200, ''],
  [202, 'queued'],
  [204, null],
])('any 2xx is an acknowledgement: %i %p', async (status, body) => {
  const { chat, send } = open()
  chat.next(() => new Response(body, { status }))
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: status })
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(slackRefusals))('%p', async (_, refusal) => {
    const { chat, send } = open()
    chat.refuse(refusal)
    expect(await send(aMessage())).toEqual(outcomeOfRefusal(refusal))
    expect(chat.received).toHaveLength(1)
  })

  test('a revoked key, and a path of nobody', async () => {
    const { chat, send } = open()
    const outcomes = [await send(aMessage(), {}, `${chat.webhookUrl}x`), await send(aMessage(), {}, `${chat.url}/x`)]
    expect(outcomes.map((outcome) => 'error' in outcome && outcome.error)).toEqual([
      'the receiver answered 403: invalid_token',
      'the receiver answered 404: no_service',
    ])
  })
})

test('the URL stays out of errors, even where the receiver repeats it', async () => {
  const { chat, send } = open()
  const path = new URL(chat.webhookUrl).pathname
  chat.next(() => new Response(`Cannot POST ${path}`, { status: 404 }))
  const outcomes = [await send(aMessage())]
  await chat.close()
  outcomes.push(await send(aMessage()))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'retry'])
  for (const outcome of outcomes) {
    const error = 'error' in outcome ? outcome.error : ''
    const shown = redact(error, { type: slack, configuration: { webhook_url: chat.webhookUrl } })
    expect(shown).not.toMatch(/services|T0123ABCD|aVerySecretKey/)
  }
})

test.each([
  [{}, 'configuration.webhook_url: must be the URL of an incoming webhook'],
  [{ webhook_url: 'hooks.slack.com/services/x' }, 'configuration.webhook_url: must be an http(s) URL'],
  [{ webhook_url: 'https://h.example/x', channel: 7 }, 'configuration.channel: must be 1 to 100 characters'],
])('refuses the configuration %p', (given, details) => {
  expect(() => slack.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
