import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { closeAll } from '../support/closing.ts'
import type { TestApp } from '../support/app.ts'
import { makeCertificate } from '../support/make-certificate.ts'
import { outboundFailure, resolveTo } from '../support/outbound-world.ts'
import { tryHttp } from '../support/probe-world.ts'
import { joinedApp } from '../support/reused-app.ts'
import { tlsServer } from '../support/tls-server.ts'
import { rulesOf } from '../support/rules-of.ts'

const validity = { fromMs: Date.parse('2020-01-01'), untilMs: Date.parse('2120-01-01') }
const house = makeCertificate({ names: ['House CA'], ...validity })
const other = makeCertificate({ names: ['Other CA'], ...validity })
const server = makeCertificate({ names: ['metrics.example'], ...validity, issuer: house })
const client = makeCertificate({ names: ['nines.example'], ...validity, issuer: house })
const shown = { ca: house.cert, certificate: client.cert, key: client.key }
const text = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`

afterEach(closeAll)

/** Port of a server at metrics.example that answers only who shows a certificate of the house. */
const strictServer = (answer = 'ok') =>
  tlsServer({
    key: server.key,
    cert: server.cert,
    ca: house.cert,
    requestCert: true,
    rejectUnauthorized: true,
    answer: text(answer),
  })

const outbound = createOutbound({ deny: [], ...resolveTo('127.0.0.1') })
const unknown = 'TLS failure: the certificate is from an authority that is not known here'

describe('a request', () => {
  test('to a server that asks for a certificate succeeds with it, and not without', async () => {
    const url = `https://metrics.example:${await strictServer()}/`
    const { body } = await outbound.fetch(url, { maxBytes: 9, tls: shown })
    expect(body.toString()).toBe('ok')
    const without = await outboundFailure(outbound.fetch(url, { maxBytes: 9, tls: { ca: house.cert } }))
    expect(['unreachable', 'lost']).toContain(without.failure)
    const { body: again } = await outbound.fetch(url, { maxBytes: 9, tls: shown })
    expect(again.toString()).toBe('ok')
  })

  test('trusts the authority that it names, for that request only, and no other', async () => {
    const port = await tlsServer({ key: server.key, cert: server.cert, answer: text('ok') })
    const url = `https://metrics.example:${port}/`
    const { status } = await outbound.fetch(url, { maxBytes: 9, tls: { ca: house.cert } })
    expect(status).toBe(200)
    expect((await outboundFailure(outbound.fetch(url, { maxBytes: 9 }))).message).toBe(unknown)
    expect((await outboundFailure(outbound.fetch(url, { maxBytes: 9, tls: { ca: other.cert } }))).message).toBe(unknown)
  })
})

describe('an HTTP probe', () => {
  test('shows its certificate and trusts its authority', async () => {
    const port = await strictServer()
    const tried = await tryHttp(`https://metrics.example:${port}/`, { auth: { tls: shown } })
    expect([tried.success, tried.error]).toEqual([true, null])
  })

  test('shows nothing to another origin that a redirect leads to', async () => {
    const to = await strictServer()
    const answer = `HTTP/1.1 302 Found\r\nlocation: https://metrics.example:${to}/\r\ncontent-length: 0\r\n\r\n`
    const from = await tlsServer({ key: server.key, cert: server.cert, answer })
    const target = `https://metrics.example:${from}/`
    const tried = await tryHttp(target, { auth: { tls: shown }, followRedirects: true })
    expect([tried.success, tried.error]).toEqual([false, unknown])
  })
})

describe('what is sent', () => {
  let nines: TestApp
  beforeEach(async () => {
    nines = await joinedApp()
  })
  afterEach(() => nines.close())

  const source = { name: 'main', api_url: 'https://metrics.example/' }
  const create = (tls: object, api_url = source.api_url) =>
    nines.call('POST', '/api/v1/tsdb/sources', { ...source, api_url, auth: { tls } })

  const refused: [name: string, tls: object, field: string, sentence: string][] = [
    ['no PEM', { ca: 'house' }, 'auth.tls.ca', 'must have at least one certificate in PEM'],
    ['a key without its certificate', { key: client.key }, 'auth.tls.certificate', 'is required with key'],
    ['a certificate without its key', { certificate: client.cert }, 'auth.tls.key', 'is required with certificate'],
    [
      'the key of another certificate',
      { ...shown, key: server.key },
      'auth.tls.key',
      'must be the key of this certificate, not of another one',
    ],
    ['a key that is none', { ...shown, key: 'secret words' }, 'auth.tls.key', 'must be a private key in PEM'],
    ['nothing', {}, 'auth.tls', 'must be an object with ca'],
    // everybody in the organization sees certificates
    [
      'a certificate with its key in one text',
      { ...shown, certificate: `${client.cert}\n${client.key}` },
      'auth.tls.certificate',
      'must have certificates alone',
    ],
    ['an authority with a key', { ca: `${client.key}\n${house.cert}` }, 'auth.tls.ca', 'must have certificates alone'],
  ]
  test.each(refused)('is refused if it is %s', async (_, tls, field, sentence) => {
    const { status, body, text } = await create(tls)
    expect(status).toBe(400)
    expect(body.details).toStartWith(field)
    expect(body.details).toContain(sentence)
    expect(text).not.toContain('secret words')
  })

  test('keeps no field that is not known: it would be shown', async () => {
    const auth = { tls: { ...shown, passphrase: 'secret words' }, oauth2: { client_secret: 'secret words' } }
    const { status, text } = await nines.call('POST', '/api/v1/tsdb/sources', { ...source, auth })
    expect([status, text.includes('secret words')]).toEqual([201, false])
    const settings = { auth: { tls: { ca: house.cert, passphrase: 'secret words' } } }
    const probe = { name: 'site', type: 'http', target: 'https://metrics.example/', settings }
    expect((await nines.call('POST', '/api/v1/embedded/probes', probe)).status).toBe(400)
  })

  test('is refused for a URL without https', async () => {
    const { status, body } = await create(shown, 'http://metrics.example/')
    expect([status, rulesOf(body)]).toEqual([400, 'auth.tls: needs an https URL'])
  })

  test('is stored, and shown without the key, which stays where its mask is sent back', async () => {
    const { status, body, text: created } = await create(shown)
    expect(status).toBe(201)
    const masked = { tls: { ...shown, key: '********' } }
    expect(body.auth).toEqual(masked)
    const again = await nines.call('PUT', `/api/v1/tsdb/sources/${body.id}`, { name: 'second', auth: masked })
    expect([again.status, again.body.auth]).toEqual([200, masked])
    const moved = { api_url: 'https://elsewhere.example/', auth: masked }
    const { status: refusedMove } = await nines.call('PUT', `/api/v1/tsdb/sources/${body.id}`, moved)
    expect(refusedMove).toBe(400)
    expect(created + again.text).not.toContain(client.key.split('\n')[1] ?? '')
  })

  test('of a probe and a target follows the same rules', async () => {
    const probe = { name: 'site', type: 'http', target: 'https://metrics.example/' }
    const target = { name: 'app', url: 'https://metrics.example/metrics' }
    const [withTls, withoutHttps] = [{ tls: shown }, { tls: { ca: 'x' } }]
    const withKey = { tls: { ca: `${house.cert}${client.key}` } }
    const tcp = { name: 'port', type: 'tcp', target: 'metrics.example:443', settings: { tls: true, auth: withKey } }
    expect((await nines.call('POST', '/api/v1/embedded/probes', tcp)).body.details).toContain('certificates alone')
    const answers = [
      await nines.call('POST', '/api/v1/embedded/probes', { ...probe, settings: { auth: withTls } }),
      await nines.call('POST', '/api/v1/embedded/probes', { ...probe, settings: { auth: withoutHttps } }),
      await nines.call('POST', '/api/v1/embedded/targets', { ...target, auth: withTls }),
      await nines.call('POST', '/api/v1/embedded/targets', { ...target, auth: withoutHttps }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 201, 400])
    expect(answers.map(({ body }) => body.details?.split(' ')[0])).toEqual([
      undefined,
      'settings.auth.tls.ca:',
      undefined,
      'auth.tls.ca:',
    ])
    expect(answers[0]?.body.settings.auth.tls.key).toBe('********')
    expect(answers[2]?.body.auth.tls.key).toBe('********')
  })

  test('of a TCP probe is shown without the key, which stays while its target does', async () => {
    const probes = '/api/v1/embedded/probes'
    const probe = { name: 'db', type: 'tcp', target: 'db.example:5432', settings: { tls: true, auth: { tls: shown } } }
    const created = await nines.call('POST', probes, probe)
    const masked = { tls: true, auth: { tls: { ...shown, key: '********' } }, verify_certificate: true }
    expect([created.status, created.body.settings]).toEqual([201, masked])
    const change = (body: object) => nines.call('PUT', `${probes}/1`, body)
    expect((await change({ settings: { ...masked, verify_certificate: false } })).status).toBe(200)
    expect((await nines.call('GET', `${probes}/1`)).body.settings.auth).toEqual(masked.auth)
    const moved = await change({ target: 'other.example:5432' })
    expect([moved.status, rulesOf(moved.body)]).toEqual([
      400,
      'settings: must be sent again: stored credentials are not sent to another target',
    ])
    const withMask = await change({ target: 'other.example:5432', settings: masked })
    expect([withMask.status, withMask.body.details]).toEqual([
      400,
      expect.stringMatching(/^settings\.auth\.tls\.key: /),
    ])
    expect((await change({ settings: { tls: true } })).body.settings.auth).toBeNull()
  })

  test.each<[settings: object, details: string]>([
    [{ auth: { tls: shown } }, 'settings.auth.tls: needs settings.tls: true'],
    [{ tls: true, auth: { tls: { ...shown, key: server.key } } }, 'settings.auth.tls.key: must be the key of this'],
    [{ tls: true, auth: { tls: { ...shown, key: '********' } } }, 'settings.auth.tls.key: must be the value itself'],
    [{ tls: true, auth: { basic: { username: 'a', password: 'b' } } }, 'settings.auth'],
  ])('of a TCP probe is refused: %#', async (settings, details) => {
    const probe = { name: 'db', type: 'tcp', target: 'db.example:5432', settings }
    const { status, body } = await nines.call('POST', '/api/v1/embedded/probes', probe)
    expect([status, body.details]).toEqual([400, expect.stringContaining(details)])
  })
})
