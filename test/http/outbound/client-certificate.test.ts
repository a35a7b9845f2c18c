import { afterEach, describe, expect, test } from 'bun:test'
import { withShownCertificate } from '../../../src/http/outbound/client-certificate.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { clientTls, nginxAnswering, rememberingServer, strictServer } from '../../support/client-certificates.ts'
import { closeAll } from '../../support/closing.ts'
import { outboundFailure, resolveTo } from '../../support/outbound-world.ts'

afterEach(closeAll)

const outbound = createOutbound({ deny: [], ...resolveTo('127.0.0.1') })
const ask = (port: number, tls: (typeof clientTls)['good' | 'none']) =>
  outbound.fetch(`https://receiver.example:${port}/`, { method: 'POST', body: 'x', maxBytes: 1000, tls })
const failing = async (port: number, tls: (typeof clientTls)['good' | 'none']) =>
  (await outboundFailure(ask(port, tls))).message

const ofOther = 'the client certificate nines.example of Other CA, valid until 2120-01-01'

test('a connection that is kept open is for those alone who show the same certificate', async () => {
  const url = `https://receiver.example:${await rememberingServer()}/`
  const shownBy = async (tls: (typeof clientTls)['good' | 'none']) =>
    (await outbound.fetch(url, { maxBytes: 100, tls })).body.toString()
  const { good, stranger, none } = clientTls
  const answers: string[] = []
  for (const tls of [good, none, stranger, good, none, stranger]) answers.push(await shownBy(tls))
  const [first, second, third] = answers
  expect(answers).toEqual([first, second, third, first, second, third].map(String))
  expect(new Set([first, second, third]).size).toBe(3)
  expect([first, second]).toEqual([expect.stringContaining(' nines.example'), expect.stringContaining(' nobody')])
})

describe('a server that requires a certificate', () => {
  test('answers who shows one of its authority', async () => {
    expect((await ask(await strictServer(), clientTls.good)).body.toString()).toBe('ok')
  })

  test.each([
    [
      'none',
      'TLS handshake failed; does the server speak https on this port, and does it ask for a client certificate?',
    ],
    ['stranger', `connection lost before the answer was complete; the server may have refused ${ofOther}`],
    [
      'expired',
      'connection lost before the answer was complete; the server may have refused the client certificate nines.example, which expired on 2021-06-01',
    ],
  ] as const)('fails without it: %s', async (name, message) => {
    expect(await failing(await strictServer(), clientTls[name])).toBe(message)
  })

  test('is known by the answer of nginx', async () => {
    const missing = await nginxAnswering('No required SSL certificate was sent')
    expect(await failing(missing, clientTls.none)).toBe(
      'TLS failure: the server asks for a client certificate, and got none',
    )
    const refusing = await nginxAnswering('The SSL certificate error')
    expect(await failing(refusing, clientTls.stranger)).toBe(`TLS failure: the server refused ${ofOther}`)
  })

  test('is not read into another answer 400', async () => {
    expect((await ask(await nginxAnswering('Bad Request'), clientTls.good)).status).toBe(400)
  })
})

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', `TLS failure: the server refused ${ofOther}`],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', `TLS failure: the server refused ${ofOther}`],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', `TLS handshake failed; the server may have refused ${ofOther}`],
  ['EPROTO', `TLS handshake failed; the server may have refused ${ofOther}`],
])('a connection that fails with %s names the certificate', (code, message) => {
  const error = Object.assign(new Error('failed'), { code })
  expect(withShownCertificate(error, clientTls.stranger)).toMatchObject({ message })
  expect(withShownCertificate(error, clientTls.none)).toBe(error)
})

test('an error that is about something else stays as it is', () => {
  const error = Object.assign(new Error('failed'), { code: 'ECONNREFUSED' })
  expect(withShownCertificate(error, clientTls.good)).toBe(error)
})
