import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { discord } from '../../../../src/notifications/channels/chat/discord.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { startDiscord } from '../../../support/receivers/discord.ts'

afterEach(closeAll)

function open() {
  const chat = startDiscord()
  closeLater(() => void chat.close())
  const send = (message: Message, rest: object = {}, webhook_url = chat.webhookUrl) =>
    discord.send(channelDeps(), { webhook_url, ...rest }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

test('an alert shows its SLO, what was measured, and a link, in red', async () => {
  const { chat, send } = open()
  expect(await send(aMessage(), { username: 'nines of the shop' })).toEqual({ outcome: 'delivered', statusCode: 200 })
  expect(chat.shown).toEqual([
    {
      title: 'Checkout availability: the error budget burns 16.2 times too fast',
      link: 'https://nines.example/slos/7',
      text: 'Over the last 1h the error budget burned at 16.2 (the limit is 14.4).\nOver the last 5m: 20.5.',
      data: {
        SLO: 'Checkout availability',
        Status: 'critical',
        SLI: '99.87 %',
        Target: '99.9 % over 30 d',
        'Error budget remaining': '-30 %',
        'Burn rate': '16.2 over 1 h, 20.5 over 5 min (limit 14.4)',
      },
      colour: '#992d22',
      username: 'nines of the shop',
      thread: null,
    },
  ])
})

test('a recovery is green, a message and a test are grey', async () => {
  const { chat, send } = open()
  for (const message of [aRecovery(), aManualMessage(), aTestMessage()]) await send(message)
  expect(chat.shown.map(({ colour }) => colour)).toEqual(['#2ecc71', '#95a5a6', '#95a5a6'])
})

test('requests to know whether the message was saved, and keeps the thread of the URL', async () => {
  const { chat, send } = open()
  await send(aMessage(), {}, `${chat.webhookUrl}?thread_id=555`)
  await send(aMessage(), {}, `${chat.webhookUrl}?wait=false`)
  expect(chat.received.map(({ path }) => new URL(path, chat.url).search)).toEqual([
    '?thread_id=555&wait=true',
    '?wait=true',
  ])
  expect(chat.shown.map(({ thread }) => thread)).toEqual(['555', null])
  expect(await send(aMessage(), {}, `${chat.webhookUrl}?thread_id=556`)).toMatchObject({
    outcome: 'failed',
    statusCode: 404,
    error: expect.stringContaining('Unknown Channel'),
  })
})

test.each(['http://localhost:8080', 'http://nines:8080', 'http://10.0.0.5', 'http://[::1]:80'])(
  'nines at %p is linked to in a field, for the receiver refuses such a URL',
  async (publicUrl) => {
    const { chat, send } = open()
    const link = `${publicUrl}/slos/7`
    expect(await send(aMessage({ slo: { id: 7, data: someData(), link } }))).toMatchObject({ outcome: 'delivered' })
    expect(chat.shown[0]).toMatchObject({ link: null, data: { Link: link } })
  },
)

test.each([
  '# Heading',
  '-# small',
  '> quote',
  '>>> quote',
  '- one\n  + two\n1. three',
  'api_v1_checkout *slow*',
  '[Runbook](https://evil.example)',
  'https://nines.example/slos/7?window=30_d*x*',
  '-5 %, C#, a > b',
])('the text %j is shown as it is', async (text) => {
  const { chat, send } = open()
  await send(aMessage({ subject: text, text, slo: { id: 7, data: someData({ slo_name: text }), link: '' } }))
  const [shown] = chat.shown
  expect([shown?.title, shown?.text, shown?.data['SLO']]).toEqual([text, text, text])
})

test('a message without text is a title', async () => {
  const { chat, send } = open()
  await send(aMessage({ subject: ' ', text: '' }))
  expect(chat.shown[0]).toMatchObject({ title: 'Checkout availability', text: '' })
})

test('a payload against the rules is refused by our receiver, too', async () => {
  const { chat } = open()
  const post = (payload: object) => fetch(chat.webhookUrl, { method: 'POST', body: JSON.stringify(payload) })
  const embed = { title: 'x', color: 1, footer: { text: 'x' }, timestamp: '2026-03-01T12:00:00.000Z' }
  const bad = [
    { embeds: [{ ...embed, title: 'x'.repeat(257) }], allowed_mentions: { parse: [] } },
    { embeds: [{ ...embed, fields: [{ name: 'x', value: '', inline: true }] }], allowed_mentions: { parse: [] } },
    { embeds: [{ ...embed, url: 'http://localhost/x' }], allowed_mentions: { parse: [] } },
    { embeds: [embed] },
    {},
  ]
  for (const payload of bad) expect((await post(payload)).status).toBe(400)
  expect(chat.shown).toEqual([])
})
