import { afterEach, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { teams } from '../../../../src/notifications/channels/chat/teams.ts'
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
import { startTeams } from '../../../support/receivers/teams.ts'

afterEach(closeAll)

function open() {
  const chat = startTeams()
  closeLater(() => void chat.close())
  const send = (message: Message, webhook_url = chat.webhookUrl) =>
    teams.send(channelDeps(), { webhook_url }, message, AbortSignal.timeout(5000))
  return { chat, send }
}

const sent = { outcome: 'sent', statusCode: 202 } as const
const link = 'https://nines.example/slos/7'

test('an alert is a card with its SLO, what was measured, and a link', async () => {
  const { chat, send } = open()
  expect(await send(aMessage())).toEqual(sent)
  expect(chat.shown).toEqual([
    {
      title: aMessage().subject,
      link,
      text: aMessage().text,
      data: {
        SLO: 'Checkout availability',
        Status: 'critical',
        SLI: '99.87 %',
        Target: '99.9 % over 30 d',
        'Error budget remaining': '-30 %',
        'Burn rate': '16.2 over 1 h, 20.5 over 5 min (limit 14.4)',
      },
      colour: 'attention',
    },
  ])
})

test('a recovery, what can wait, a message and a test have colours of their own', async () => {
  const { chat, send } = open()
  const data = someData({ alert: someAlert({ severity: 'ticket' }) })
  for (const message of [aRecovery(), aMessage({ slo: { id: 7, data, link } }), aManualMessage(), aTestMessage()]) {
    expect(await send(message)).toEqual(sent)
  }
  expect(chat.shown.map(({ colour }) => colour)).toEqual(['good', 'warning', 'default', 'default'])
  expect(chat.shown[3]).toMatchObject({ title: 'A test', text: 'It works.', link: null, data: {} })
})

test('a workflow that answers when it has posted is taken at its word', async () => {
  const { chat, send } = open()
  chat.next(() => new Response('posted', { status: 200 }))
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: 200 })
})
