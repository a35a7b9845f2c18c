import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { matrix } from '../../../../src/notifications/channels/chat/matrix.ts'
import { redact } from '../../../../src/notifications/configurations.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { matrixRefusals, startMatrix } from '../../../support/receivers/matrix.ts'
import { type Refusal, saidOf } from '../../../support/receivers/refusal.ts'

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
Target: 99.9 % over 30d
Error budget remaining: -30 %
Burn rate: 16.2 over 1h, 20.5 over 5m (limit 14.4)

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

test('markup in names and texts stays text, and calls nobody', async () => {
  const { chat, send } = open()
  const text = '<b>a</b> & @room <a href="https://evil.example">x</a>'
  const slo = { id: 7, data: someData({ slo_name: text }), link: 'https://nines.example/slos/7?a=1&b=2' }
  expect(await send(aMessage({ subject: text, text, slo }))).toEqual(delivered)
  expect(chat.events[0]?.content.formatted_body).toContain('&lt;b&gt;a&lt;/b&gt; &amp; @room')
  expect(chat.events[0]?.content['m.mentions']).toEqual({})
})

test.each(['x', 'ü', '🔥', '<', '"\n'])('a text of nothing but %p is cut to what an event may have', async (unit) => {
  const { chat, send } = open()
  const long = unit.repeat(40_000)
  expect(await send(aMessage({ text: long }))).toEqual(delivered)
  expect(Buffer.byteLength(chat.received[0]?.text ?? '')).toBeWithin(59_000, 60_001)
  expect(String(chat.events[0]?.content.body)).toContain('…\n\nSLO: ')
  expect(String(chat.events[0]?.content.body).isWellFormed()).toBe(true)
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(matrixRefusals))('%p', async (_, refusal) => {
    const { chat, send } = open()
    chat.refuse(refusal)
    const wait = refusal.wait === undefined ? {} : { retryAfterMs: refusal.wait }
    const error = expect.stringMatching(saidOf(refusal))
    expect(await send(aMessage())).toEqual({ outcome: refusal.becomes, statusCode: refusal.status, error, ...wait })
    expect(chat.received).toHaveLength(1)
  })

  test.each([
    [{ access_token: 'other' }, 401, 'Unrecognised access token'],
    [{ room_id: '!other:example.org' }, 403, 'User not in room'],
  ])('the configuration %p is refused', async (rest, statusCode, said) => {
    const error = `the receiver answered ${statusCode}: ${said}`
    expect(await open().send(aMessage(), rest)).toEqual({ outcome: 'failed', statusCode, error })
  })

  test('a page of another product is no acknowledgement', async () => {
    const { chat, send } = open()
    chat.next(() => new Response('<html>Welcome</html>'))
    const error = 'the receiver answered 200, but not as Matrix does'
    expect(await send(aMessage())).toEqual({ outcome: 'failed', statusCode: 200, error })
  })
})

test('the token stays out of errors, even where the receiver repeats it', async () => {
  const { chat, configuration, send } = open()
  chat.next(({ headers }) => Response.json({ error: `no ${headers.get('authorization')}` }, { status: 401 }))
  const outcome = await send(aMessage())
  expect(redact('error' in outcome ? outcome.error : '', { type: matrix, configuration })).toBe(
    'the receiver answered 401: no Bearer ********',
  )
})

const good = { homeserver_url: 'https://matrix.example.org', access_token: 'syt_a', room_id: '!abc:example.org' }
test.each(['!abc:example.org', '!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM'])('takes the room %p', (room_id) => {
  expect(matrix.read({ ...good, room_id })).toEqual({ ...good, room_id })
})

test.each([
  [{ ...good, homeserver_url: undefined }, 'configuration.homeserver_url: must be the URL of the homeserver'],
  [{ ...good, homeserver_url: 'example.org' }, 'configuration.homeserver_url: must be an http(s) URL'],
  [{ ...good, access_token: '' }, 'configuration.access_token: must be the access token'],
  [{ ...good, access_token: 'a b' }, 'configuration.access_token: must be an access token'],
  [{ ...good, room_id: null }, 'configuration.room_id: must be the id of a room, which begins with !'],
  [{ ...good, room_id: '#alerts:example.org' }, 'configuration.room_id: must be the id of a room, which begins with !'],
  [{ ...good, room_id: `!${'a'.repeat(255)}` }, 'configuration.room_id: must be the id of a room'],
])('refuses the configuration %p', (given, details) => {
  expect(() => matrix.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
