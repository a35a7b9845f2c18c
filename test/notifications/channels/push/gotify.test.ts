import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { gotify } from '../../../../src/notifications/channels/push/gotify.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps } from '../../../support/messages.ts'
import { startGotify } from '../../../support/receivers/gotify.ts'

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

test('an empty text is the title', async () => {
  const { phone, send } = open()
  await send(aMessage({ text: '' }))
  expect(phone.shown[0]?.message).toBe(aMessage().subject)
})

test('a server below a path is found there', async () => {
  const { phone, send } = open()
  expect(await send(aMessage(), { server_url: `${phone.url}/gotify/` })).toMatchObject({ statusCode: 404 })
  expect(phone.received[0]?.path).toBe('/gotify/message')
})
