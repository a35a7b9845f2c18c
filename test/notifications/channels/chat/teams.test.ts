import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { teams } from '../../../../src/notifications/channels/chat/teams.ts'
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
import { startTeams, teamsRefusals } from '../../../support/receivers/teams.ts'
import type { Refusal } from '../../../support/receivers/refusal.ts'

afterEach(closeAll)

function open() {
  const chat = startTeams()
  closeLater(() => void chat.close())
  const send = (message: Message, webhook_url = chat.webhookUrl) =>
    teams.send(channelDeps(), { webhook_url }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

const sent = { outcome: 'sent', statusCode: 202 } as const
const link = 'https://nines.example/slos/7'

test('an alert is a card with its SLO, what was measured, and a link', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual(sent)
  expect(chat.shown).toEqual([
    {
      title: aMessage().subject,
      link,
      text: aMessage().text,
      data: {
        SLO: 'Checkout availability',
        Status: 'critical',
        SLI: '99.87 %',
        Target: '99.9 % over 30d',
        'Error budget remaining': '-30 %',
        'Burn rate': '16.2 over 1h, 20.5 over 5m (limit 14.4)',
      },
      colour: 'attention',
    },
  ])
})

test('a recovery, what can wait, a message and a test have colours of their own', async () => {
  const { chat, send } = open()
  const data = someData({ alert: someAlert({ severity: 'ticket' }) })
  for (const message of [aRecovery(), aMessage({ slo: { id: 7, data, link } }), aManualMessage(), aTestMessage()]) {
    expect(await send(message)).toEqual(sent)
  }
  expect(chat.shown.map(({ colour }) => colour)).toEqual(['good', 'warning', 'default', 'default'])
  expect(chat.shown[3]).toMatchObject({ title: 'A test', text: 'It works.', link: null, data: {} })
})

test('Markdown in names and texts stays text', async () => {
  const { chat, send } = open()
  const text = '**now** [here](https://evil.example) <at>all</at>'
  const data = someData({ slo_name: text })
  await send(aMessage({ subject: text, text, slo: { id: 7, data, link } }))
  expect(chat.shown[0]).toMatchObject({ title: text, text, data: { SLO: text } })
  const facts = JSON.stringify(chat.received[0]?.json.attachments[0].content.body.at(-1))
  expect(facts).not.toContain('evil.example')
})

test.each(['x', 'ü', '🔥', '"', 'a\n', '\n\nüber\n'])(
  'a text of nothing but %p is cut to what Teams takes',
  async (unit) => {
    const { chat, send } = open()
    const long = unit.repeat(30_000)
    const subject = long.replaceAll('\n', ' ')
    expect(
      await send(aMessage({ subject, text: long, slo: { id: 7, data: someData({ slo_name: subject }), link } })),
    ).toEqual(sent)
    expect(chat.received[0]?.text.length).toBeGreaterThan(unit.trim() === 'x' ? 24_000 : 6000)
    expect(chat.shown[0]?.text).toEndWith('…')
    expect(chat.shown[0]?.text.isWellFormed()).toBe(true)
  },
)

test('a workflow that answers when it has posted is taken at its word', async () => {
  const { chat, send } = open()
  chat.next(() => new Response('posted', { status: 200 }))
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: 200 })
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(teamsRefusals))('%p', async (_, refusal) => {
    const { chat, send } = open()
    chat.refuse(refusal)
    const said = typeof refusal.body === 'string' ? '' : `: ${Object(refusal.body).error.message}`
    expect(await send(aMessage())).toEqual({
      outcome: refusal.becomes,
      statusCode: refusal.status,
      error: `the receiver answered ${refusal.status}${said}`,
    })
    expect(chat.received).toHaveLength(1)
  })

  test('Retry-After is kept to', async () => {
    const { chat, send } = open()
    chat.refuse({ ...teamsRefusals.too_many, headers: { 'retry-after': '12' } })
    expect(await send(aMessage())).toMatchObject({ outcome: 'retry', retryAfterMs: 12_000 })
  })

  test('another signature is refused for good', async () => {
    const { chat, send } = open()
    expect(await send(aMessage(), `${chat.webhookUrl}x`)).toMatchObject({ outcome: 'failed', statusCode: 401 })
  })
})

test('the URL stays out of errors, even where the receiver repeats it', async () => {
  const { chat, send } = open()
  chat.next(({ path }) => Response.json({ error: { message: `no ${path}` } }, { status: 404 }))
  const outcomes = [await send(aMessage())]
  await chat.close()
  outcomes.push(await send(aMessage()))
  for (const outcome of outcomes) {
    const shown = redact('error' in outcome ? outcome.error : '', {
      type: teams,
      configuration: { webhook_url: chat.webhookUrl },
    })
    expect(shown).not.toMatch(/0123456789abcdef|aVerySecretSignature/)
  }
})

test.each([
  [{}, 'configuration.webhook_url: must be the URL of a workflow of Teams'],
  [{ webhook_url: 'prod-1.logic.azure.com/x' }, 'configuration.webhook_url: must be an http(s) URL'],
])('refuses the configuration %p', (given, details) => {
  expect(() => teams.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
