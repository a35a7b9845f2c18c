import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { apprise } from '../../../../src/notifications/channels/push/apprise.ts'
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
import { appriseRefusals, startApprise } from '../../../support/receivers/apprise.ts'
import { type Refusal, saidOf } from '../../../support/receivers/refusal.ts'

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

test('a long text stays whole', async () => {
  const { relay, send } = open()
  const text = 'ü🔥'.repeat(10_000)
  await send(aMessage({ text }))
  expect(relay.shown[0]?.body).toBe(`${text}\n\n${link}`)
})

describe('every documented answer', () => {
  test.each(Object.entries<Refusal>(appriseRefusals))('%p', async (name, refusal) => {
    const { relay, send } = open()
    relay.refuse(refusal)
    const said = name === 'nobody' ? /204: nothing is configured/ : saidOf(refusal)
    expect(await send(aMessage())).toEqual({
      outcome: refusal.becomes,
      statusCode: refusal.status,
      error: expect.stringMatching(said),
    })
    expect(relay.received).toHaveLength(1)
  })
})

test('URLs and headers stay out of errors, even where the receiver repeats them', async () => {
  const { relay, send } = open()
  const configuration = { urls: 'tgram://123456:s3cretOfBot/42', headers: { 'X-Key': 's3cretOfProxy' } }
  relay.next(({ json, headers }) => Response.json({ error: `${json.urls} ${headers.get('x-key')}` }, { status: 400 }))
  const outcome = await send(aMessage(), configuration)
  const shown = redact('error' in outcome ? outcome.error : '', { type: apprise, configuration })
  expect(shown).not.toContain('s3cret')
})

const api_url = 'http://apprise.example:8000'
test.each([
  [{ key: 'ops' }, 'configuration.api_url: must be the URL of the Apprise API'],
  [{ api_url: 'apprise:8000', key: 'ops' }, 'configuration.api_url: must be an http(s) URL'],
  [{ api_url }, 'configuration.key: must be the key of a configuration, or urls must be there'],
  [{ api_url, key: 'a/b' }, 'configuration.key: must be the key of a configuration: 1 to 128 letters'],
  [{ api_url, key: 'ops', urls: 'ntfy://a' }, 'configuration.urls: must be left out where there is a key'],
  [{ api_url, urls: 'ops' }, 'configuration.urls: must be URLs of Apprise'],
  [{ api_url, urls: 'ntfy://a', tag: 'page' }, 'configuration.tag: must be left out without a key'],
  [{ api_url, key: 'ops', tag: '<x>' }, 'configuration.tag: must be tags of a configuration'],
  [{ api_url, key: 'ops', headers: { Host: 'x' } }, 'configuration.headers: must be given without Host'],
])('refuses the configuration %p', (given, details) => {
  expect(() => apprise.read(given)).toThrow(expect.objectContaining({ details: expect.stringContaining(details) }))
})
