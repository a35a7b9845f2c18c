import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { googleChat } from '../../../../src/notifications/channels/chat/google-chat.ts'
import { redact } from '../../../../src/notifications/configurations.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { googleChatRefusals, startGoogleChat } from '../../../support/receivers/google-chat.ts'
import type { Refusal } from '../../../support/receivers/refusal.ts'

afterEach(closeAll)

function open() {
  const chat = startGoogleChat()
  closeLater(() => void chat.close())
  const send = (message: Message, webhook_url = chat.webhookUrl) =>
    googleChat.send(channelDeps(), { webhook_url }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

const delivered = { outcome: 'delivered', statusCode: 200 } as const

test('an alert is a card with its SLO, what was measured, and a link', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual(delivered)
  expect(chat.shown).toEqual([
    {
      thread: expect.any(String),
      title: `🔴 ${aMessage().subject}`,
      text: aMessage().text,
      fields: {
        SLO: 'Checkout availability',
        Status: 'critical',
        SLI: '99.87 %',
        Target: '99.9 % over 30d',
        'Error budget remaining': '-30 %',
        'Burn rate': '16.2 over 1h, 20.5 over 5m (limit 14.4)',
      },
      link: 'https://nines.example/slos/7',
    },
  ])
})

test('a recovery replies in the thread of its alert, all else begins one', async () => {
  const { chat, send } = open()
  await send(aMessage({ threadKey: 'alert-30', idempotencyKey: 'a' }))
  for (const message of [aMessage(), aManualMessage(), aRecovery()]) await send(message)
  const [before, alert, message, recovery] = chat.shown.map(({ thread }) => thread)
  expect(recovery).toBe(alert)
  expect(new Set([before, alert, message]).size).toBe(3)
  expect(chat.shown.map(({ title }) => title.split(' ')[0])).toEqual(['🔴', '🔴', '⚪', '🟢'])
})

test('an attempt that is repeated is shown once', async () => {
  const { chat, send } = open()
  for (const message of [aMessage(), aMessage()]) expect(await send(message)).toEqual(delivered)
  expect(chat.shown).toHaveLength(1)
})

test('a test has neither fields nor a link, and may have no text', async () => {
  const { chat, send } = open()
  expect(await send(aTestMessage({ text: '' }))).toEqual(delivered)
  expect(chat.shown).toMatchObject([{ title: '⚪ A test', text: '', fields: {}, link: undefined }])
})

test('markup in names and texts stays text, and calls nobody', async () => {
  const { chat, send } = open()
  const text = '<users/all> <a href="https://evil.example">x</a> & *bold*'
  const slo = { id: 7, data: someData({ slo_name: text }), link: 'https://nines.example/slos/7' }
  expect(await send(aMessage({ text, slo }))).toEqual(delivered)
  expect(chat.shown[0]).toMatchObject({ text, fields: { SLO: text } })
  expect(chat.received[0]?.text).not.toContain('<users')
})

test.each(['x', 'ü', '🔥', '<', 'a\n'])('a text of nothing but %p is cut to what a message may have', async (unit) => {
  const { chat, send } = open()
  const long = unit.repeat(40_000)
  const slo = { id: 7, data: someData({ slo_name: 'n'.repeat(1000) }), link: 'https://nines.example/slos/7' }
  expect(await send(aMessage({ text: long, slo }))).toEqual(delivered)
  expect(Buffer.byteLength(chat.received[0]?.text ?? '')).toBeWithin(29_900, 30_001)
  expect(chat.shown[0]?.text).toEndWith('…')
  expect(chat.shown[0]?.text.isWellFormed()).toBe(true)
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(googleChatRefusals))('%p', async (_, refusal) => {
    const { chat, send } = open()
    chat.refuse(refusal)
    const error = `the receiver answered ${refusal.status}: ${Object(refusal.body).error.message}`
    expect(await send(aMessage())).toEqual({ outcome: refusal.becomes, statusCode: refusal.status, error })
    expect(chat.received).toHaveLength(1)
  })

  test('another token is refused for good', async () => {
    const { chat, send } = open()
    expect(await send(aMessage(), `${chat.webhookUrl}x`)).toMatchObject({ outcome: 'failed', statusCode: 401 })
  })

  test('a page of another product is no acknowledgement', async () => {
    const { chat, send } = open()
    chat.next(() => new Response('<html>Welcome</html>'))
    const error = 'the receiver answered 200, but not as Google Chat does'
    expect(await send(aMessage())).toEqual({ outcome: 'failed', statusCode: 200, error })
  })
})

test('the URL stays out of errors, even where the receiver repeats it', async () => {
  const { chat, send } = open()
  chat.next(({ path }) => Response.json({ error: { message: `no ${path}` } }, { status: 404 }))
  const outcome = await send(aMessage())
  const configuration = { webhook_url: chat.webhookUrl }
  const shown = redact('error' in outcome ? outcome.error : '', { type: googleChat, configuration })
  expect(shown).not.toMatch(/AAAAabcdefg|VerySecret/)
})

test.each([
  [{}, 'configuration.webhook_url: must be the URL of a webhook of a space'],
  [{ webhook_url: 'chat.googleapis.com/v1/spaces/x' }, 'configuration.webhook_url: must be an http(s) URL'],
])('refuses the configuration %p', (given, details) => {
  expect(() => googleChat.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
