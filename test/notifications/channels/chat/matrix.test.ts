import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { matrix } from '../../../../src/notifications/channels/chat/matrix.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps } from '../../../support/messages.ts'
import { matrixRefusals, startMatrix } from '../../../support/receivers/matrix.ts'

afterEach(closeAll)

function open() {
  const chat = startMatrix()
  closeLater(() => void chat.close())
  const configuration = { homeserver_url: chat.url, access_token: chat.token, room_id: chat.room }
  const send = (message: Message, rest: object = {}) =>
    matrix.send(channelDeps(), { ...configuration, ...rest }, message, AbortSignal.timeout(5000))
  return { chat, configuration, send }
}

const delivered = { outcome: 'delivered', statusCode: 200 } as const

test('an alert shows its SLO, what was measured, and a link', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual(delivered)
  expect(chat.events[0]?.content).toMatchObject({
    msgtype: 'm.text',
    body: `🔴 Checkout availability: the error budget burns 16.2 times too fast

Over the last 1h the error budget burned at 16.2 (the limit is 14.4).
Over the last 5m: 20.5.

SLO: Checkout availability
Status: critical
SLI: 99.87 %
Target: 99.9 % over 30 d
Error budget remaining: -30 %
Burn rate: 16.2 over 1 h, 20.5 over 5 min (limit 14.4)

https://nines.example/slos/7`,
    formatted_body: expect.stringMatching(/^<p><strong>🔴 Checkout .*<\/strong><\/p><p>Over the .*<br>Over /),
  })
})

test('a recovery replies to its alert, though others were sent in between', async () => {
  const { chat, send } = open()
  await send(aMessage({ threadKey: 'alert-30', idempotencyKey: 'a' }))
  await send(aMessage({ idempotencyKey: 'b' }))
  await send(aManualMessage())
  expect(await send(aRecovery())).toEqual(delivered)
  expect(chat.events.map(({ content }) => content['m.relates_to'])).toEqual([
    undefined,
    undefined,
    undefined,
    { 'm.in_reply_to': { event_id: '$event2' } },
  ])
  expect(chat.events[3]?.content.body).toStartWith('🟢')
})

test('a recovery whose alert is not found is sent all the same', async () => {
  const { chat, send } = open()
  expect(await send(aRecovery({ idempotencyKey: 'a' }))).toEqual(delivered)
  chat.refuse(matrixRefusals.server_error)
  expect(await send(aRecovery({ idempotencyKey: 'b' }))).toEqual(delivered)
  chat.next(() => Response.json({ user_id: '@nines:example.org' }))
  chat.refuse(matrixRefusals.not_in_room)
  expect(await send(aRecovery({ idempotencyKey: 'c' }))).toEqual(delivered)
  expect(chat.events.map(({ content }) => content['m.relates_to'])).toEqual([undefined, undefined, undefined])
})

test('an attempt that is repeated is shown once', async () => {
  const { chat, send } = open()
  for (const message of [aMessage(), aMessage(), aRecovery(), aRecovery()])
    expect(await send(message)).toEqual(delivered)
  expect(chat.events).toHaveLength(2)
})

test('a message and a test are grey, and a test has neither fields nor a link', async () => {
  const { chat, send } = open()
  await send(aManualMessage())
  await send(aTestMessage({ idempotencyKey: 'test' }))
  expect(chat.events.map(({ content }) => String(content.body).split(' ')[0])).toEqual(['⚪', '⚪'])
  expect(chat.events[1]?.content.body).toBe('⚪ A test\n\nIt works.')
})

const good = { homeserver_url: 'https://matrix.example.org', access_token: 'syt_a', room_id: '!abc:example.org' }
test.each(['!abc:example.org', '!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM'])('takes the room %p', (room_id) => {
  expect(matrix.read({ ...good, room_id })).toEqual({ ...good, room_id })
})
