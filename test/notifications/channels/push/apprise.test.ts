import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { apprise } from '../../../../src/notifications/channels/push/apprise.ts'
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
import { startApprise } from '../../../support/receivers/apprise.ts'

afterEach(closeAll)

function open(options: Parameters<typeof startApprise>[0] = {}) {
  const relay = startApprise(options)
  closeLater(() => void relay.close())
  const send = (message: Message, rest: object = { key: 'ops' }) =>
    apprise.send(channelDeps(), { api_url: relay.url, ...rest }, message, AbortSignal.timeout(5000))
  return { relay, send }
}

const sent = { outcome: 'sent', statusCode: 200 } as const
const link = 'https://nines.example/slos/7'

test('an alert, what can wait, a recovery, a message and a test are passed on as what they are', async () => {
  const { relay, send } = open()
  const ticket = someData({ alert: someAlert({ severity: 'ticket' }) })
  const messages = [
    aMessage(),
    aMessage({ slo: { id: 7, data: ticket, link } }),
    aRecovery(),
    aManualMessage(),
    aTestMessage({ text: '' }),
  ]
  for (const message of messages) expect(await send(message)).toEqual(sent)
  expect(relay.shown.map(({ type }) => type)).toEqual(['failure', 'warning', 'success', 'info', 'info'])
  expect(relay.shown[0]).toEqual({
    to: 'ops',
    title: aMessage().subject,
    body: `${aMessage().text}\n\n${link}`,
    type: 'failure',
  })
  expect(relay.shown[4]).toMatchObject({ title: 'A test', body: 'A test' })
})

test.each([
  [{ key: 'ops', tag: 'page' }, 'ops page'],
  [{ urls: 'ntfy://alerts, mailto://a:b@example.com' }, 'ntfy://alerts, mailto://a:b@example.com'],
])('%p goes to %p', async (target, to) => {
  const { relay, send } = open()
  expect(await send(aMessage(), target)).toEqual(sent)
  expect(relay.shown[0]?.to).toBe(to)
})

test('headers of its own open an API behind a proxy', async () => {
  const { send } = open({ authorization: 'Basic bmluZXM6cA==' })
  expect(await send(aMessage(), { key: 'ops', headers: { Authorization: 'Basic bmluZXM6cA==' } })).toEqual(sent)
  expect(await send(aMessage())).toMatchObject({ outcome: 'failed', statusCode: 403 })
})

test('a key or a tag for which nothing is configured is a failure', async () => {
  const { send } = open()
  const error = 'the receiver answered 204: nothing is configured for this key or tag'
  for (const target of [{ key: 'other' }, { key: 'ops', tag: 'other' }]) {
    expect(await send(aMessage(), target)).toEqual({ outcome: 'failed', statusCode: 204, error })
  }
})
