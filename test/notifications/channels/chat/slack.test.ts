import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { slack } from '../../../../src/notifications/channels/chat/slack.ts'
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
import { startSlack } from '../../../support/receivers/slack.ts'

afterEach(closeAll)

function open() {
  const chat = startSlack()
  closeLater(() => void chat.close())
  const send = (message: Message, rest: object = {}, webhook_url = chat.webhookUrl) =>
    slack.send(channelDeps(), { webhook_url, ...rest }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

test('an alert shows its SLO, what was measured, and a link, in red', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: 200 })
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
      channel: undefined,
    },
  ])
})

test('a recovery is green, what can wait is amber, a message is grey', async () => {
  const { chat, send } = open()
  const data = someData({ alert: someAlert({ severity: 'ticket' }) })
  await send(aRecovery())
  await send(aMessage({ slo: { id: 7, data, link: 'https://nines.example/slos/7' } }))
  await send(aManualMessage())
  await send(aTestMessage())
  expect(chat.shown.map(({ colour }) => colour)).toEqual(['#2ecc71', '#e67e22', '#95a5a6', '#95a5a6'])
})

test('what is not known is not shown, and a test is of no SLO', async () => {
  const { chat, send } = open()
  await send(aManualMessage())
  await send(aTestMessage())
  expect(chat.shown.map(({ data, link }) => ({ data, link }))).toEqual([
    {
      data: { SLO: 'Checkout availability', Status: 'unknown', Target: '99.9 % over 30 d' },
      link: 'https://nines.example/slos/7',
    },
    { data: {}, link: null },
  ])
})

test('an SLI that missed its target by little is not rounded up to it', async () => {
  const { chat, send } = open()
  const data = someData({ current_value: 99.899_999 })
  await send(aMessage({ slo: { id: 7, data, link: 'https://nines.example/slos/7' } }))
  expect(chat.shown[0]?.data).toMatchObject({ SLI: '99.899 %' })
})

test('the channel of a legacy webhook is named', async () => {
  const { chat, send } = open()
  await send(aMessage(), { channel: '#alerts' })
  expect(chat.shown[0]?.channel).toBe('#alerts')
  const outcomes = [await send(aMessage(), { channel: '#nowhere' }), await send(aMessage(), { channel: '#old' })]
  expect(outcomes).toEqual([
    { outcome: 'failed', statusCode: 404, error: 'the receiver answered 404: channel_not_found' },
    { outcome: 'failed', statusCode: 410, error: 'the receiver answered 410: channel_is_archived' },
  ])
})

test('an empty subject is named after the SLO', async () => {
  const { chat, send } = open()
  await send(aMessage({ subject: ' ' }))
  expect(chat.shown[0]?.title).toBe('Checkout availability')
})
