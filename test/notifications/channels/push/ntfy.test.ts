import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { ntfy } from '../../../../src/notifications/channels/push/ntfy.ts'
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
import { ntfyRefusals, startNtfy } from '../../../support/receivers/ntfy.ts'
import { type Refusal, saidOf } from '../../../support/receivers/refusal.ts'

afterEach(closeAll)

function open(options: Parameters<typeof startNtfy>[0] = {}) {
  const phone = startNtfy(options)
  closeLater(() => void phone.close())
  const configuration = { server_url: phone.url, topic: 'alerts' }
  const send = (message: Message, rest: object = {}) =>
    ntfy.send(channelDeps(), { ...configuration, ...rest }, message, AbortSignal.timeout(5000))
  return { phone, configuration, send, shown: () => [...phone.shown.values()] }
}

const delivered = { outcome: 'delivered', statusCode: 200 } as const

test('an alert shows its title, its text and a link', async () => {
  const { send, shown } = open()
  expect(await send(aMessage())).toEqual(delivered)
  expect(shown()).toEqual([
    {
      title: aMessage().subject,
      message: aMessage().text,
      priority: 5,
      tags: ['rotating_light'],
      click: 'https://nines.example/slos/7',
    },
  ])
})

test('a recovery replaces the alert it ends, and a repeated attempt is no second notification', async () => {
  const { send, shown } = open()
  for (const message of [aMessage(), aMessage(), aRecovery()]) await send(message)
  expect(shown()).toMatchObject([{ title: aRecovery().subject, priority: 3, tags: ['white_check_mark'] }])
})

test('messages, and the next alert, stand for themselves', async () => {
  const { send, shown } = open()
  for (const threadKey of ['alert-31', 'alert-32']) await send(aMessage({ threadKey }))
  await send(aManualMessage())
  expect(shown().map(({ tags }) => tags[0])).toEqual(['rotating_light', 'rotating_light', 'information_source'])
})

test.each([
  ['low', 2],
  ['medium', 3],
  ['high', 4],
  ['critical', 5],
] as const)('the priority %s is %i, and 3 in a recovery', async (priority, expected) => {
  const { phone, send } = open()
  await send(aMessage({ priority }))
  await send(aRecovery({ priority }))
  expect(phone.received.map(({ json }) => json.priority)).toEqual([expected, 3])
})

test('what can wait has a warning sign', async () => {
  const { send, shown } = open()
  const data = someData({ alert: someAlert({ severity: 'ticket' }) })
  await send(aMessage({ slo: { id: 7, data, link: 'https://nines.example/slos/7' } }))
  expect(shown()[0]?.tags).toEqual(['warning'])
})

test.each(['x', 'ü', '🔥', 'x🔥'])('a text of nothing but %p is cut visibly, at 4096 bytes', async (unit) => {
  const { send, shown } = open()
  const long = unit.repeat(5000)
  expect(await send(aMessage({ subject: long, text: long }))).toEqual(delivered)
  const { title = '', message = '' } = shown()[0] ?? {}
  expect(Buffer.byteLength(message)).toBeWithin(4089, 4097)
  for (const text of [title, message]) {
    expect(text).toEndWith('…')
    expect(text.isWellFormed()).toBe(true)
    expect(long).toStartWith(text.slice(0, -1))
  }
})

test('a test without text shows its title, and no link', async () => {
  const { send, shown } = open()
  expect(await send(aTestMessage({ text: ' ' }))).toEqual(delivered)
  expect(shown()).toMatchObject([{ title: 'A test', message: 'A test', click: undefined }])
})

test.each([
  ['Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2', { access_token: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2' }],
  [`Basic ${btoa('nines:p@ss:word')}`, { username: 'nines', password: 'p@ss:word' }],
])('%s opens a protected topic', async (authorization, credentials) => {
  const { send } = open({ authorization })
  expect(await send(aMessage(), credentials)).toEqual(delivered)
  expect(await send(aMessage())).toMatchObject({ outcome: 'failed', error: 'the receiver answered 403: forbidden' })
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(ntfyRefusals))('%p', async (name, refusal) => {
    const { phone, send } = open()
    phone.refuse(refusal)
    const said = name === 'another_product' ? /^the receiver answered 200, but not as ntfy does$/ : saidOf(refusal)
    expect(await send(aMessage())).toEqual({
      outcome: refusal.becomes,
      statusCode: refusal.status,
      error: expect.stringMatching(said),
    })
    expect(phone.received).toHaveLength(1)
  })

  test('Retry-After is kept to', async () => {
    const { phone, send } = open()
    phone.refuse({ ...ntfyRefusals.too_many, headers: { 'retry-after': '40' } })
    expect(await send(aMessage())).toMatchObject({ outcome: 'retry', retryAfterMs: 40_000 })
  })
})

test('secrets stay out of errors, even where the receiver repeats them', async () => {
  const { phone, configuration, send } = open()
  const secrets = { topic: 'my-s3cret-topic', username: 'nines', password: 's3cretWord' }
  phone.next(({ json, headers }) =>
    Response.json({ error: `no ${json.topic} for ${headers.get('authorization')}` }, { status: 403 }),
  )
  const outcomes = [await send(aMessage(), secrets)]
  await phone.close()
  outcomes.push(await send(aMessage(), secrets))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'retry'])
  for (const outcome of outcomes) {
    const opened = { type: ntfy, configuration: { ...configuration, ...secrets } }
    const shown = redact('error' in outcome ? outcome.error : '', opened)
    expect(shown).not.toMatch(/s3cret|czNjcmV0/)
  }
})

test('publishes at ntfy.sh where no server is named', () => {
  expect(ntfy.read({ topic: 'alerts' })).toEqual({ server_url: 'https://ntfy.sh', topic: 'alerts' })
})

const tooMany = 'configuration.access_token: must be left out where there is a username'
test.each([
  [{}, 'configuration.topic: must be the name of a topic'],
  [{ topic: 'a b' }, 'configuration.topic: must be the name of a topic'],
  [{ topic: 'a'.repeat(65) }, 'configuration.topic: must be the name of a topic'],
  [{ topic: 'https://ntfy.sh/alerts' }, 'configuration.topic: must be the name of a topic'],
  [{ topic: 'a', server_url: 'ntfy.sh' }, 'configuration.server_url: must be an http(s) URL'],
  [{ topic: 'a', server_url: 'https://ntfy.sh?x=y' }, 'configuration.server_url: must be a URL without query string'],
  [{ topic: 'a', access_token: 'a b' }, 'configuration.access_token: must be an access token'],
  [{ topic: 'a', access_token: 'tk_a', username: 'b', password: 'c' }, tooMany],
  [{ topic: 'a', username: 'b' }, 'configuration.password: must be there with a username'],
  [{ topic: 'a', password: 'b' }, 'configuration.username: must be there with a password'],
  [{ topic: 'a', username: 'b:c', password: 'd' }, 'configuration.username: must be a user name without a colon'],
])('refuses the configuration %p', (given, details) => {
  expect(() => ntfy.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
