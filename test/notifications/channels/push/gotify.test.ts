import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { gotify } from '../../../../src/notifications/channels/push/gotify.ts'
import { redact } from '../../../../src/notifications/configurations.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps } from '../../../support/messages.ts'
import { gotifyRefusals, startGotify } from '../../../support/receivers/gotify.ts'
import type { Refusal } from '../../../support/receivers/refusal.ts'

afterEach(closeAll)

function open() {
  const phone = startGotify()
  closeLater(() => void phone.close())
  const configuration = { server_url: phone.url, app_token: phone.token }
  const send = (message: Message, rest: object = {}) =>
    gotify.send(channelDeps(), { ...configuration, ...rest }, message, AbortSignal.timeout(5000))
  return { phone, configuration, send }
}

const delivered = { outcome: 'delivered', statusCode: 200 } as const

test('an alert, its recovery, a message and a test are shown, each with its link', async () => {
  const { phone, send } = open()
  for (const message of [aMessage(), aRecovery(), aManualMessage(), aTestMessage()]) {
    expect(await send(message)).toEqual(delivered)
  }
  const click = 'https://nines.example/slos/7'
  expect(phone.shown).toEqual([
    { title: aMessage().subject, message: aMessage().text, priority: 10, click },
    { title: aRecovery().subject, message: aRecovery().text, priority: 5, click },
    { title: 'Maintenance tonight', message: 'We move the database at 22:00.', priority: 2, click },
    { title: 'A test', message: 'It works.', priority: 2, click: undefined },
  ])
})

test.each([
  ['low', 2],
  ['medium', 5],
  ['high', 8],
  ['critical', 10],
] as const)('the priority %s is %i', async (priority, expected) => {
  const { phone, send } = open()
  await send(aMessage({ priority }))
  expect(phone.shown[0]?.priority).toBe(expected)
})

test('a long text stays whole, and an empty one is the title', async () => {
  const { phone, send } = open()
  const long = 'ü🔥'.repeat(10_000)
  await send(aMessage({ text: long }))
  await send(aMessage({ text: '' }))
  expect(phone.shown.map(({ message }) => message)).toEqual([long, aMessage().subject])
})

test('a server below a path is found there', async () => {
  const { phone, send } = open()
  expect(await send(aMessage(), { server_url: `${phone.url}/gotify/` })).toMatchObject({ statusCode: 404 })
  expect(phone.received[0]?.path).toBe('/gotify/message')
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(gotifyRefusals))('%p', async (_, refusal) => {
    const { phone, send } = open()
    phone.refuse(refusal)
    const said = typeof refusal.body === 'string' ? '' : `: ${Object(refusal.body).errorDescription}`
    const error = `the receiver answered ${refusal.status}${said}`
    expect(await send(aMessage())).toEqual({ outcome: refusal.becomes, statusCode: refusal.status, error })
    expect(phone.received).toHaveLength(1)
  })

  test('another token is refused for good', async () => {
    const { send } = open()
    expect(await send(aMessage(), { app_token: 'other' })).toMatchObject({ outcome: 'failed', statusCode: 401 })
  })

  test('a page of another product is no acknowledgement', async () => {
    const { phone, send } = open()
    phone.next(() => new Response('<html>Welcome</html>'))
    const error = 'the receiver answered 200, but not as Gotify does'
    expect(await send(aMessage())).toEqual({ outcome: 'failed', statusCode: 200, error })
  })
})

test('the token stays out of errors, even where the receiver repeats it', async () => {
  const { phone, configuration, send } = open()
  phone.next(({ headers }) => Response.json({ error: `no ${headers.get('x-gotify-key')}` }, { status: 401 }))
  const outcome = await send(aMessage())
  expect(redact('error' in outcome ? outcome.error : '', { type: gotify, configuration })).toBe(
    'the receiver answered 401: no ********',
  )
})

test.each([
  [{ app_token: 'a' }, 'configuration.server_url: must be the URL of the Gotify server'],
  [{ server_url: 'gotify', app_token: 'a' }, 'configuration.server_url: must be an http(s) URL'],
  [{ server_url: 'http://g/?token=x', app_token: 'a' }, 'configuration.server_url: must be a URL without query string'],
  [{ server_url: 'http://g' }, 'configuration.app_token: must be the token of an application'],
  [{ server_url: 'http://g', app_token: 'a b' }, 'configuration.app_token: must be the token of an application'],
])('refuses the configuration %p', (given, details) => {
  expect(() => gotify.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
