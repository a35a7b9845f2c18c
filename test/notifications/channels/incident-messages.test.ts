import { afterEach, describe, expect, test } from 'bun:test'
import { mailOf } from '../../../src/notifications/channels/email/mail.ts'
import type { Message } from '../../../src/notifications/channels/channel.ts'
import { webhook } from '../../../src/notifications/channels/webhook.ts'
import type { IncidentData, SloData } from '../../../src/notifications/notification-data.ts'
import { listTexts } from '../../../src/notifications/templates/list-texts.ts'
import { renderTexts } from '../../../src/notifications/templates/templates.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { aMessage, aRecovery, channelDeps, someAlert, someData, someIncident } from '../../support/messages.ts'
import { startReceiver } from '../../support/receiver.ts'
import { someTemplateData } from '../../support/template-data.ts'
import { contracts } from './contracts.ts'

afterEach(closeAll)

const link = 'https://nines.example/slos/7'
const budget = { error_budget_used: 95.7, error_budget_remaining: 4.3 }
const incidentLink = 'https://nines.example/incidents/81'

/** Message about an incident, with the default texts. */
function messageOf(incident: Partial<IncidentData>, data: Partial<SloData> = {}): Message {
  const slo = someData({ status: 'healthy', ...budget, ...data, incident: someIncident(incident) })
  const isOver = incident.event === 'recovered'
  const texts = renderTexts(
    { subject: null, message: null },
    someTemplateData({ event: isOver ? 'recovery' : 'alert', link }, slo),
  )
  const written = { subject: texts.subject, text: texts.message, slo: { id: 7, data: slo, link } }
  const threadKey = 'nines-test-incident-81'
  return isOver ? aRecovery({ ...written, threadKey }) : aMessage({ ...written, threadKey })
}

const recoveredAt = '2026-03-01T12:12:00.000Z'
const cost = { percent: 28, bad_seconds: null, allowed_seconds: null }
const messages: Record<string, Message> = {
  opened: messageOf({}),
  rose: messageOf({ event: 'rose' }),
  recovered: messageOf(
    { event: 'recovered', is_up: true, recovered_at: recoveredAt, cost },
    { alert: someAlert({ ended_at: recoveredAt }) },
  ),
}

const list: Message['list'] = {
  key: 'abc',
  kind: 'critical',
  link: 'https://nines.example/incidents',
  opening_id: null,
  still_failing: null,
  incidents: [1, 2].map((id) => ({
    id,
    event: 'opened',
    severity: 'critical',
    began_at: '2026-03-01T11:58:00.000Z',
    recovered_at: null,
    slo_id: id,
    slo_name: `site-${id}`,
    is_down: true,
    thread: `nines-test-incident-${id}`,
  })),
}
const { subject, message: text } = listTexts(list)
const listMessage = aMessage({ subject, text, slo: null, list, alertKey: 'nines-test-list-abc' })

/** Text that a receiver got, decoded where it is a form. */
const decoded = (body: string) => (body.startsWith('{') ? body : decodeURIComponent(body.replaceAll('+', ' ')))

describe.each(Object.entries(contracts))('%s', (_, { type, start, configuration: configurationOf }) => {
  const send = async (...all: Message[]) => {
    const receiver = start()
    closeLater(() => void receiver.close())
    const configuration = configurationOf(receiver)
    for (const message of all) {
      const outcome = await type.send(channelDeps(), configuration, message, AbortSignal.timeout(20_000))
      expect(outcome).not.toHaveProperty('error')
    }
    return decoded(receiver.received.at(-1)?.text ?? '')
  }

  test.each(Object.entries(messages))(
    'an incident that has %s leads to its page and repeats no figure',
    async (name, message) => {
      const body = await send(...(name === 'recovered' ? [messages['opened'] ?? message, message] : [message]))
      const isResolved = name === 'recovered' && type.opensIncidents
      if (!isResolved) expect(body).toContain(incidentLink)
      expect(body).not.toContain(link)
      expect(body).not.toMatch(
        /Error budget remaining|Burn rate|"?status"?: ?"healthy"|Status|:""|: ?undefined|\[object/,
      )
    },
  )

  test('a list of incidents names each and leads to the page of all', async () => {
    const body = await send(listMessage)
    expect(body).toContain('2 more SLOs are down: site-1, site-2')
    expect(body).toContain('https://nines.example/incidents')
  })
})

describe('a mail', () => {
  const options = { from: 'nines@nines.example', to: ['ada@example.com'] }

  test.each(Object.entries(messages))(
    'of an incident that has %s leads to its page and repeats no figure',
    (_, message) => {
      for (const isPlain of [false, true]) {
        const { html, text: plain } = mailOf(channelDeps(), message, { ...options, isPlain })
        expect(plain).toContain(incidentLink)
        expect(html).toContain(`<a href="${incidentLink}">Open the incident</a>`)
        expect(html).not.toMatch(/>Status<|Burn rate|Error budget remaining|href=""/)
      }
    },
  )

  test('of a list leads to the page of all', () => {
    const { html } = mailOf(channelDeps(), listMessage, { ...options, isPlain: true })
    expect(html).toContain('<a href="https://nines.example/incidents">Open the incidents</a>')
  })
})

describe('a webhook', () => {
  const payloadOf = async (message: Message, format: string) => {
    const receiver = startReceiver(() => new Response('ok'))
    closeLater(() => void receiver.close())
    const configuration = { webhook_url: receiver.url, format }
    await webhook.send(channelDeps(), configuration, message, AbortSignal.timeout(20_000))
    return receiver.received[0]?.json
  }

  test('names the incident, its event and its thread', async () => {
    expect(await payloadOf(messages['opened'] ?? aMessage(), 'nines')).toMatchObject({
      thread: 'nines-test-incident-81',
      incident: {
        id: 81,
        event: 'opened',
        severity: 'critical',
        began_at: '2026-03-01T11:58:00.000Z',
        recovered_at: null,
      },
      links: { slo: link, incident: incidentLink },
    })
  })

  test('of Alertmanager has one alert of an incident from its opening to its end, alone or in a list', async () => {
    const [opened, rose, recovered, listed] = await Promise.all([
      payloadOf(messages['opened'] ?? aMessage(), 'alertmanager'),
      payloadOf(messages['rose'] ?? aMessage(), 'alertmanager'),
      payloadOf(messages['recovered'] ?? aMessage(), 'alertmanager'),
      payloadOf(listMessage, 'alertmanager'),
    ])
    expect(opened).toMatchObject({ thread: 'nines-test-incident-81', incident: { id: 81, event: 'opened' } })
    const [{ fingerprint }] = opened.alerts
    expect([rose, recovered].map(({ alerts }) => alerts[0].fingerprint)).toEqual([fingerprint, fingerprint])
    expect(recovered.alerts[0]).toMatchObject({ status: 'resolved', endsAt: recoveredAt, generatorURL: incidentLink })
    expect(listed.alerts.map(({ labels }: { labels: { slo: string } }) => labels.slo)).toEqual(['site-1', 'site-2'])
    expect(new Set([fingerprint, ...listed.alerts.map((one: { fingerprint: string }) => one.fingerprint)]).size).toBe(3)
  })
})
