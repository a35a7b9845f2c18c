import { afterEach, describe, expect, test } from 'bun:test'
import { telegram } from '../../../../src/notifications/channels/chat/telegram.ts'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { redact } from '../../../../src/notifications/configurations.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { telegramRefusals, startTelegram } from '../../../support/receivers/telegram.ts'
import { type Refusal, saidOf } from '../../../support/receivers/refusal.ts'

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
Target: 99.9 % over 30d
Error budget remaining: -30 %
Burn rate: 16.2 over 1h, 20.5 over 5m (limit 14.4)
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

test('markup in names and texts stays text', async () => {
  const { chat, send } = open()
  const text = '<b>a</b> < b && c > d &amp; <x>"\'</a>'
  const data = someData({ slo_name: '<i>' })
  await send(aMessage({ subject: text, text, slo: { id: 7, data, link: 'https://nines.example/slos/7?a=1&b=2' } }))
  expect(chat.shown[0]?.text.split('\n\n').slice(0, 2)).toEqual([`🔴 ${text}`, text])
  expect(chat.shown[0]?.text).toContain('SLO: <i>')
  expect(chat.shown[0]?.text).toEndWith('https://nines.example/slos/7?a=1&b=2')
})

test.each(['x', '&', '<b>', '🔥', 'x🔥'])(
  'a text of nothing but %p is cut visibly: only what is too much',
  async (unit) => {
    const { chat, send } = open()
    const long = unit.repeat(5000)
    const data = someData({ slo_name: long })
    const link = 'https://nines.example/slos/7'
    expect(await send(aMessage({ subject: long, text: long, slo: { id: 7, data, link } }))).toMatchObject({
      outcome: 'delivered',
    })
    const shown = chat.shown[0]?.text ?? ''
    expect(shown.isWellFormed()).toBe(true)
    expect(shown.length).toBeWithin(4090, 4097)
    const [title = '', text = '', end = ''] = shown.split('\n\n')
    expect([title, text, end.split('\n')[0]].every((part) => part?.endsWith('…'))).toBe(true)
    expect(long).toStartWith(text.slice(0, -1))
    expect(end).toEndWith(link)
  },
)

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

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(telegramRefusals))('%p', async (_, refusal) => {
    const { chat, send } = open()
    chat.refuse(refusal)
    const outcome = await send(aMessage())
    const wait = refusal.wait === undefined ? {} : { retryAfterMs: refusal.wait }
    const error = expect.stringMatching(saidOf(refusal))
    expect(outcome).toEqual({ outcome: refusal.becomes, statusCode: refusal.status, error, ...wait })
    expect(chat.received).toHaveLength(1)
  })

  test.each([
    [{ bot_token: '123456:wrong' }, 401, 'Unauthorized'],
    [{ chat_id: -5 }, 400, 'Bad Request: chat not found'],
    [{ message_thread_id: 4 }, 400, 'Bad Request: message thread not found'],
  ])('the configuration %p is refused', async (rest, statusCode, said) => {
    const { send } = open()
    const error = `the receiver answered ${statusCode}: ${said}`
    expect(await send(aMessage(), rest)).toEqual({ outcome: 'failed', statusCode, error })
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
})

test('the token stays out of errors, even where the receiver repeats it', async () => {
  const { chat, configuration, send } = open()
  chat.next(() => new Response(`Cannot POST /bot${chat.token}/sendMessage`, { status: 404 }))
  const outcomes = [await send(aMessage())]
  await chat.close()
  outcomes.push(await send(aMessage()))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'retry'])
  for (const outcome of outcomes) {
    const shown = redact('error' in outcome ? outcome.error : '', { type: telegram, configuration })
    expect(shown).not.toMatch(/123456|Secret/)
  }
})

test('asks Telegram itself where nothing else is said', () => {
  expect(telegram.read({ bot_token: '1:x', chat_id: 5 })).toMatchObject({ api_url: 'https://api.telegram.org' })
  expect(telegram.read({ bot_token: '1:x', chat_id: 5, api_url: 'http://bots.example/api/' })).toMatchObject({
    api_url: 'http://bots.example/api',
  })
})

const token = 'configuration.bot_token: must be the token of a bot'
const chat = 'configuration.chat_id: must be the id of a chat'
test.each([
  [{ chat_id: 5 }, token],
  [{ bot_token: 'AAF', chat_id: 5 }, token],
  [{ bot_token: '1:x/../y', chat_id: 5 }, token],
  [{ bot_token: '1:x' }, chat],
  [{ bot_token: '1:x', chat_id: 0 }, chat],
  [{ bot_token: '1:x', chat_id: 1.5 }, chat],
  [{ bot_token: '1:x', chat_id: 2 ** 52 }, chat],
  [{ bot_token: '1:x', chat_id: '9007199254740993' }, chat],
  [{ bot_token: '1:x', chat_id: 'ops_alerts' }, chat],
  [{ bot_token: '1:x', chat_id: '0x10' }, chat],
  [{ bot_token: '1:x', chat_id: [5] }, 'configuration.chat_id: must '],
  [
    { bot_token: '1:x', chat_id: 5, message_thread_id: 0 },
    'configuration.message_thread_id: must be the id of a topic',
  ],
  [
    { bot_token: '1:x', chat_id: 5, message_thread_id: 'x' },
    'configuration.message_thread_id: must be the id of a topic',
  ],
  [
    { bot_token: '1:x', chat_id: 5, api_url: 'https://h.example/?x' },
    'configuration.api_url: must be a URL without query',
  ],
])('refuses the configuration %p', (given, details) => {
  expect(() => telegram.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
