import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { slack } from '../../../../src/notifications/channels/chat/slack.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps } from '../../../support/messages.ts'
import { slackCompatible, startSlackCompatible } from '../../../support/receivers/slack-compatible.ts'

afterEach(closeAll)

function open(product: keyof typeof slackCompatible) {
  const chat = startSlackCompatible(slackCompatible[product])
  closeLater(() => void chat.close())
  const send = (message: Message, rest: object = {}) =>
    slack.send(channelDeps(), { webhook_url: chat.webhookUrl, ...rest }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

describe.each(['mattermost', 'rocketChat', 'zulip'] as const)('%s takes the form of Slack', (product) => {
  test('of an alert, its recovery, a message and a test', async () => {
    const { chat, send } = open(product)
    for (const message of [aMessage(), aRecovery(), aManualMessage(), aTestMessage()]) {
      expect(await send(message)).toEqual({ outcome: 'delivered', statusCode: 200 })
    }
    expect(chat.shown[0]?.text).toContain(aMessage().subject)
    expect(chat.shown[0]?.text).toContain('Burn rate: 16.2 over 1 h, 20.5 over 5 min (limit 14.4)')
    expect(chat.shown).toHaveLength(4)
  })

  test('with a channel, and with the longest text that is sent', async () => {
    const { chat, send } = open(product)
    const long = '<'.repeat(20_000)
    const sent = await send(aMessage({ subject: long, text: long }), { channel: '#town-square' })
    expect(sent).toEqual({ outcome: 'delivered', statusCode: 200 })
    expect(chat.shown[0]?.channel).toBe('#town-square')
  })

  test('and a wrong URL is refused for good', async () => {
    const { chat, send } = open(product)
    const outcome = await send(aMessage(), { webhook_url: `${chat.url}/hooks/other` })
    expect(outcome).toMatchObject({ outcome: 'failed', statusCode: 404 })
  })
})

test.each([
  ['mattermost', 404, "Couldn't find the channel."],
  ['rocketChat', 400, 'invalid-channel'],
] as const)('%s says that there is no such channel', async (product, statusCode, said) => {
  const outcome = await open(product).send(aMessage(), { channel: 'nowhere' })
  const error = `the receiver answered ${statusCode}: ${said}`
  expect(outcome).toEqual({ outcome: 'failed', statusCode, error })
})

test('a success that is false is a failure, whatever the status', async () => {
  const { chat, send } = open('rocketChat')
  chat.next(() => Response.json({ success: false, error: 'no' }))
  const error = 'the receiver answered 200, not ok: no'
  expect(await send(aMessage())).toEqual({ outcome: 'failed', statusCode: 200, error })
})
