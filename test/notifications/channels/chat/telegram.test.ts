import { afterEach, describe, expect, test } from 'bun:test'
import { telegram } from '../../../../src/notifications/channels/chat/telegram.ts'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { telegramRefusals, startTelegram } from '../../../support/receivers/telegram.ts'

afterEach(closeAll)

const chat_id = -1_001_234_567_890

function open(options: Parameters<typeof startTelegram>[0] = {}) {
  const chat = startTelegram(options)
  closeLater(() => void chat.close())
  const configuration = { bot_token: chat.token, chat_id, api_url: chat.url }
  const send = (message: Message, rest: object = {}) =>
    telegram.send(channelDeps(), { ...configuration, ...rest }, message, AbortSignal.timeout(5000))
  return { chat, configuration, send }
}

test('an alert shows its SLO, what was measured, and a link', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: 200 })
  expect(chat.shown).toMatchObject([{ chat: '-1001234567890', thread: undefined }])
  expect(chat.shown[0]?.text).toBe(`🔴 Checkout availability: the error budget burns 16.2 times too fast

Over the last 1h the error budget burned at 16.2 (the limit is 14.4).
Over the last 5m: 20.5.

SLO: Checkout availability
Status: critical
SLI: 99.87 %
Target: 99.9 % over 30 d
Error budget remaining: -30 %
Burn rate: 16.2 over 1 h, 20.5 over 5 min (limit 14.4)
https://nines.example/slos/7`)
})

test('a recovery is green, a message and a test are grey', async () => {
  const { chat, send } = open()
  for (const message of [aRecovery(), aManualMessage(), aTestMessage()]) await send(message)
  expect(chat.shown.map(({ text }) => text.split(' ')[0])).toEqual(['🟢', '⚪', '⚪'])
  expect(chat.shown[2]?.html).toBe('<b>⚪ A test</b>\n\nIt works.')
})

test.each([chat_id, String(chat_id), '@ops_alerts', 2 ** 52 - 1, String(2 ** 52 - 1)])(
  'the chat %p is named as it was configured',
  async (id) => {
    const { chat, send } = open({ chats: [String(id)] })
    expect(telegram.read({ bot_token: '1:x', chat_id: id })).toMatchObject({ chat_id: id })
    await send(aMessage(), { chat_id: id })
    expect(chat.received[0]?.json.chat_id).toBe(id)
    expect(chat.shown).toHaveLength(1)
  },
)

test.each([3, '3'])('the topic %p of a chat', async (message_thread_id) => {
  const { chat, send } = open()
  await send(aMessage(), { message_thread_id })
  expect(chat.shown[0]?.thread).toBe(3)
})

test('a long text leaves room for the link', async () => {
  const { chat, send } = open()
  const link = 'https://nines.example/slos/7?a=1&b=2'
  await send(aMessage({ text: '&'.repeat(5000), slo: { id: 7, data: someData(), link } }))
  expect(chat.shown[0]?.text).toEndWith(`Burn rate: 16.2 over 1 h, 20.5 over 5 min (limit 14.4)\n${link}`)
})

test('a message without text is a title and the fields of the SLO', async () => {
  const { chat, send } = open()
  await send(aTestMessage({ subject: '', text: ' ' }))
  expect(chat.shown[0]?.text).toBe('⚪ nines')
})

describe('a group that became a supergroup', () => {
  test('gets the message at once under its new id, and the outcome says so', async () => {
    const { chat, send } = open({ moved: { '-77': -100_777 } })
    expect(await send(aMessage(), { chat_id: -77 })).toEqual({
      outcome: 'delivered',
      statusCode: 200,
      note: 'the chat has moved: its chat_id is -100777 now, the configured one is outdated',
    })
    expect(chat.shown.map((message) => message.chat)).toEqual(['-100777'])
    expect(chat.received).toHaveLength(2)
  })

  test('is requested a second time only once', async () => {
    const { chat, send } = open({ moved: { '-77': -78, '-78': -77 } })
    expect(await send(aMessage(), { chat_id: -77 })).toMatchObject({ outcome: 'failed', statusCode: 400 })
    expect(chat.received).toHaveLength(2)
  })

  test('is waited for where the second request is one too many', async () => {
    const { chat, send } = open({ moved: { '-77': -100_777 } })
    const { body } = telegramRefusals.too_many
    chat.next(
      () =>
        Response.json({ ok: false, error_code: 400, parameters: { migrate_to_chat_id: -100_777 } }, { status: 400 }),
      () => Response.json(body, { status: 429 }),
    )
    expect(await send(aMessage(), { chat_id: -77 })).toMatchObject({ outcome: 'retry', retryAfterMs: 35_000 })
    expect(chat.shown).toEqual([])
  })
})

test('markup against the rules is refused by our receiver, too', async () => {
  const { chat } = open()
  for (const text of ['<b>x', 'a < b', 'x</b>', '<x>x</x>', 'a & b', '<b><i>x</b></i>', '', 'x'.repeat(4097)]) {
    const json = { chat_id, text, parse_mode: 'HTML', link_preview_options: { is_disabled: true } }
    const url = `${chat.url}/bot${chat.token}/sendMessage`
    expect((await fetch(url, { method: 'POST', body: JSON.stringify(json) })).status).toBe(400)
  }
  expect(chat.shown).toEqual([])
})

test('asks Telegram itself where nothing else is said', () => {
  expect(telegram.read({ bot_token: '1:x', chat_id: 5 })).toMatchObject({ api_url: 'https://api.telegram.org' })
  expect(telegram.read({ bot_token: '1:x', chat_id: 5, api_url: 'http://bots.example/api/' })).toMatchObject({
    api_url: 'http://bots.example/api',
  })
})
