import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { googleChat } from '../../../../src/notifications/channels/chat/google-chat.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps } from '../../../support/messages.ts'
import { startGoogleChat } from '../../../support/receivers/google-chat.ts'

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
        Target: '99.9 % over 30 d',
        'Error budget remaining': '-30 %',
        'Burn rate': '16.2 over 1 h, 20.5 over 5 min (limit 14.4)',
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
