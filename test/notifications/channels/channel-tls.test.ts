import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { clientTls, nginxAnswering, strictServer } from '../../support/client-certificates.ts'
import { closeAll } from '../../support/closing.ts'
import { goodTypes } from '../../support/good-configurations.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(async () => {
  await nines.close()
  await closeAll()
})

const channels = '/api/v1/notifications/channels'
const change = (body: object) => nines.call('PUT', `${channels}/1`, body)
const create = (configuration: object, channel_type = 'webhook') =>
  nines.call('POST', channels, { name: 'on call', channel_type, configuration })
const urlOf = (port: number) => `https://localhost:${port}/hook`
const sendTest = async () => {
  const body = { channel_id: 1, subject: 'Hello', message: 'Can you hear me?' }
  const { status, body: answer } = await nines.call('POST', '/api/v1/notifications/test', body)
  return status === 200 ? 'delivered' : answer.details
}
const mask = '********'

describe('a receiver that requires a certificate', () => {
  test('gets a message of a channel that shows it', async () => {
    const heard: string[] = []
    const webhook_url = urlOf(await strictServer('ok', (text) => heard.push(text)))
    expect((await create({ webhook_url, tls: clientTls.good })).status).toBe(201)
    expect(await sendTest()).toBe('delivered')
    expect(heard[0]).toStartWith('POST /hook HTTP/1.1')
  })

  test('gets those of Slack’s format, too', async () => {
    expect((await create({ webhook_url: urlOf(await strictServer()), tls: clientTls.good }, 'slack')).status).toBe(201)
    expect(await sendTest()).toBe('delivered')
  })

  test.each([
    ['none', /does it ask for a client certificate\?$/],
    ['stranger', /may have refused the client certificate nines\.example of Other CA, valid until 2120-01-01$/],
    ['expired', /may have refused the client certificate nines\.example, which expired on 2021-06-01$/],
  ] as const)('makes a test say in words why it failed: %s', async (name, words) => {
    await create({ webhook_url: urlOf(await strictServer()), tls: clientTls[name] })
    expect(await sendTest()).toMatch(words)
  })

  test('makes a test say so if it is nginx', async () => {
    await create({
      webhook_url: urlOf(await nginxAnswering('No required SSL certificate was sent')),
      tls: clientTls.none,
    })
    expect(await sendTest()).toBe('TLS failure: the server asks for a client certificate, and got none')
  })

  test('is of an authority that the channel names, or unknown', async () => {
    await create({ webhook_url: urlOf(await strictServer()) })
    expect(await sendTest()).toBe('TLS failure: the certificate is from an authority that is not known here')
  })
})

describe('what is stored', () => {
  const webhook_url = 'https://receiver.example/hook'

  test('is shown without the key, which stays where its mask is sent back', async () => {
    const { body, text } = await create({ webhook_url: urlOf(await strictServer()), tls: clientTls.good })
    expect(body.data.configuration.tls).toEqual({ ...clientTls.good, key: mask })
    const again = await change({ name: 'renamed', configuration: body.data.configuration })
    expect([again.status, again.body.data.configuration.tls.key]).toEqual([200, mask])
    expect((await change({ name: 'once more' })).status).toBe(200)
    expect(await sendTest()).toBe('delivered')
    expect(text + again.text).not.toContain(clientTls.good.key.split('\n')[1] ?? '')
  })

  test('goes with a configuration that does not have it', async () => {
    const { body } = await create({ webhook_url, tls: clientTls.good })
    const changed = await change({ configuration: { webhook_url: body.data.configuration.webhook_url } })
    expect(changed.body.data.configuration).not.toHaveProperty('tls')
  })

  test.each(['webhook', 'slack'])('of %s is not used at another server', async (channel_type) => {
    const { body } = await create({ webhook_url, tls: clientTls.good }, channel_type)
    const configuration = { ...body.data.configuration, webhook_url: 'https://elsewhere.example/hook' }
    const { status, body: refused } = await change({ configuration })
    expect([status, refused.details]).toEqual([
      400,
      expect.stringMatching(/^configuration\.tls\.key: must be the secret itself/),
    ])
  })
})

describe('what is sent', () => {
  const webhook_url = 'https://receiver.example/hook'

  test.each<[name: string, configuration: object, rules: RegExp]>([
    [
      'for a URL without https',
      { webhook_url: 'http://a.example/', tls: clientTls.good },
      /^configuration\.tls: needs an https URL/,
    ],
    [
      'with the key of another certificate',
      { webhook_url, tls: { ...clientTls.good, key: clientTls.otherKey } },
      /^configuration\.tls\.key: must be the key of this certificate/,
    ],
    [
      'without the certificate',
      { webhook_url, tls: { key: clientTls.otherKey } },
      /^configuration\.tls\.certificate: is required/,
    ],
    ['as no PEM', { webhook_url, tls: { ca: 'house' } }, /^configuration\.tls\.ca: must have at least one certificate/],
    ['as a text', { webhook_url, tls: 'house' }, /^configuration\.tls: must be an object/],
    [
      'as a mask of nothing',
      { webhook_url, tls: { ...clientTls.good, key: mask } },
      /^configuration\.tls\.key: must be the secret/,
    ],
  ])('is refused %s', async (_, configuration, rules) => {
    const { status, body } = await create(configuration)
    expect(status).toBe(400)
    expect(rulesOf(body)).toMatch(rules)
  })

  test('is refused for mail', async () => {
    const { status, body } = await create({ to: 'a@example.com', tls: clientTls.good }, 'email')
    expect([status, rulesOf(body)]).toEqual([
      400,
      'configuration.tls: is only for channels that send to a URL; mail servers are trusted by EXTRA_CA_FILE',
    ])
  })

  test.each(goodTypes.filter(([type]) => type !== 'email'))('may be in a configuration of %s', async (type, one) => {
    const { configuration } = one
    const secured = Object.fromEntries(
      Object.entries(configuration).map(([key, value]) => [
        key,
        typeof value === 'string' ? value.replace(/^http:/, 'https:') : value,
      ]),
    )
    const { status, body } = await create({ ...secured, tls: clientTls.good }, type)
    expect([status, body.data?.configuration.tls.key]).toEqual([201, mask])
  })
})
