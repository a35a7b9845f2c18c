import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { goodConfigurations } from '../support/good-configurations.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let nines: TestApp
let own: string
let box: MailServer
let receiver: Receiver
/** Answers of receivers whose acknowledgements are read, by path. */
const answers: Record<string, object> = {
  '/': { id: 'a' },
  '/message': { id: 1 },
  '/1/messages.json': { status: 1 },
}

beforeAll(async () => {
  box = await startMailServer({ isOpen: true })
  receiver = startReceiver(({ path }) => Response.json(answers[path] ?? { ok: true, name: 'a', event_id: '$a' }))
  nines = await testApp({ env: { SMTP_URL: box.url, PORT: '0', MAIL_PER_ORGANIZATION_HOURLY: '0' } })
  own = nines.listen()
  await nines.join('ada')
})
afterAll(async () => {
  await nines.close()
  await box.close()
  await receiver.close()
})

const post = async (path: string, body: object) => {
  const { status, body: answer } = await nines.call('POST', `/api/v1/${path}`, body)
  if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

/** A channel of each type and format, all of which deliver to the receiver. */
const channels = () => {
  const { url } = receiver
  const { bot_chat, incident_a, incident_b, gotify, matrix, apprise, pushover } = goodConfigurations
  return {
    email: [{ to: 'ada@example.com, stranger@other.example' }],
    chat_hook_a: [{ webhook_url: `${url}/hook-a` }],
    chat_hook_b: [{ webhook_url: `${url}/hook-b` }],
    bot_chat: [{ ...bot_chat.configuration, api_url: url }],
    webhook: ['nines', 'alertmanager'].map((format) => ({ webhook_url: `${url}/webhook`, format })),
    incident_a: [{ ...incident_a.configuration, api_url: url }],
    incident_b: [{ ...incident_b.configuration, api_url: url }],
    ntfy: [{ topic: 'alerts', server_url: url }],
    teams: [{ webhook_url: `${url}/teams` }],
    gotify: [{ ...gotify.configuration, server_url: url }],
    matrix: [{ ...matrix.configuration, homeserver_url: url }],
    apprise: [{ ...apprise.configuration, api_url: url }],
    pushover: [{ ...pushover.configuration, api_url: url }],
    google_chat: [{ webhook_url: `${url}/google-chat` }],
  }
}

/** Links to nines in a text, unescaped. */
function linksIn(text: string): string[] {
  const found = text
    .replaceAll('&amp;', '&')
    .matchAll(/https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0)(?::\d+)?[^\s"'<>)\\|]*/g)
  return [...found].map(([link]) => link).filter((link) => !link.startsWith(receiver.url))
}

test('every link in every kind of message leads somewhere', async () => {
  const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  const { id: slo_id } = await post('slos', slo)
  for (const [channel_type, configurations] of Object.entries(channels())) {
    for (const [at, configuration] of configurations.entries()) {
      const { data } = await post('notifications/channels', {
        name: `${channel_type} ${at}`,
        channel_type,
        configuration,
      })
      const rule = { slo_id, channel_id: data.id, priority: 'high' }
      await post('notifications/rules', { ...rule, alert_type: 'violation' })
      await post('notifications/rules', { ...rule, alert_type: 'manual', subject: 'a', message: 'See {{link}}' })
      nines.clock.advance(6000) // ten tests a minute
      await post('notifications/test', { channel_id: data.id, subject: 'a', message: 'b' })
    }
  }
  const { link } = await post('organization/invitations', { email: 'eve@example.com' })
  await nines.join('bob') // is asked to confirm the address
  await post('auth/password-reset-request', { email: 'ada@example.com' })
  await nines.app.delivery.run()
  await nines.app.delivery.drain()
  await nines.app.mailer.drain()

  const subjects = box.mails.map(({ header }) => /^Subject: (.*)$/m.exec(header)?.[1]?.trim())
  for (const subject of ['Invitation to', 'Confirm your address', 'Choose a new password', 'Do you want alerts']) {
    expect(subjects).toContainEqual(expect.stringContaining(subject))
  }
  const paths = new Set(receiver.received.map(({ path }) => path.split('?')[0]))
  expect(paths.size).toBeGreaterThanOrEqual(6)
  const messages = [
    ...box.mails.map(({ text, header }) => `${header}\n${text}`),
    ...receiver.received.map(({ text }) => text),
  ]
  const links = new Set([link, ...messages.flatMap(linksIn)])
  const kinds = new Set([...links].map((one) => new URL(one).pathname))
  expect([...kinds].toSorted()).toEqual(
    expect.arrayContaining([
      '/confirm-email',
      '/notifications/confirm',
      '/register',
      '/reset-password',
      `/slos/${slo_id}`,
    ]),
  )
  for (const one of links) {
    expect(one).toStartWith(own)
    const { status, url } = await fetch(one)
    expect([one, status, new URL(url).origin]).toEqual([one, 200, own])
  }
})

test.each(['/', '/slos/12', '/slos/12/'])('%s is the page, with and without a body', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await nines.call(method, path, undefined, { token: null })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('x-frame-options')).toBe('DENY')
  }
})

test('what OAuth says of itself names the port that nines listens on', async () => {
  const { body } = await nines.call('GET', '/.well-known/oauth-authorization-server', undefined, { token: null })
  expect([body.issuer, body.token_endpoint]).toEqual([own, `${own}/oauth/token`])
})

test('with PUBLIC_URL links begin with that', async () => {
  const behind = await testApp({ env: { PORT: '0', PUBLIC_URL: 'https://nines.example/slo/' } })
  behind.listen()
  await behind.join('ada')
  const { body } = await behind.call('POST', '/api/v1/organization/invitations', { email: 'eve@example.com' })
  expect(body.link).toStartWith('https://nines.example/slo/register?invitation_token=')
  await behind.close()
})
