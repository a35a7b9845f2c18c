import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { ntfy } from '../../../../src/notifications/channels/push/ntfy.ts'
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
import { startNtfy } from '../../../support/receivers/ntfy.ts'

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

test('publishes at ntfy.sh where no server is named', () => {
  expect(ntfy.read({ topic: 'alerts' })).toEqual({ server_url: 'https://ntfy.sh', topic: 'alerts' })
})
