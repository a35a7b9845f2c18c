import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { trustAuthorities } from '../../../src/http/outbound/authorities.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { makeCertificate, type MadeCertificate } from '../../support/make-certificate.ts'
import { outboundFailure, resolveTo } from '../../support/outbound-world.ts'
import { tlsServer } from '../../support/tls-server.ts'

const validity = { fromMs: Date.parse('2020-01-01'), untilMs: Date.parse('2120-01-01') }
const house = makeCertificate({ names: ['House CA'], ...validity })
const other = makeCertificate({ names: ['Other CA'], ...validity })

let file: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'nines-ca-'))
  const usual = getCACertificates('default')
  closeLater(() => {
    setDefaultCACertificates(usual)
    rmSync(folder, { recursive: true, force: true })
  })
  file = join(folder, 'ca.pem')
})
afterEach(closeAll)

/** Port of a server at wiki.example that answers "ok" over HTTPS, with a certificate that this authority signed. */
async function serverOf(issuer: MadeCertificate): Promise<number> {
  const { cert, key } = makeCertificate({ names: ['wiki.example'], ...validity, issuer })
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'
  return tlsServer({ key, cert: `${cert}${issuer.cert}`, answer })
}

const trusting = (authorities: { pem(): string | undefined }) =>
  createOutbound({ deny: [], authorities, ...resolveTo('127.0.0.1') })
const unknown = { failure: 'unreachable', message: expect.stringMatching(/^TLS failure: the certificate is/) }

/** True if a connection as probes and the mailer make it accepts the server's certificate. */
async function isAuthorized(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port, servername: 'wiki.example', rejectUnauthorized: false }, () => {
    resolve(socket.authorized)
    socket.destroy()
  })
  return promise
}

test('a server whose authority is in the file is reached, one of another authority is not', async () => {
  const [port, otherPort] = [await serverOf(house), await serverOf(other)]
  const before = trusting(trustAuthorities(null))
  expect(await outboundFailure(before.fetch(`https://wiki.example:${port}/`, { maxBytes: 9 }))).toEqual(unknown)
  expect(await isAuthorized(port)).toBe(false)

  writeFileSync(file, `# the house\n${house.cert}`)
  const outbound = trusting(trustAuthorities(file))
  const { status, body } = await outbound.fetch(`https://wiki.example:${port}/`, { maxBytes: 9 })
  expect([status, body.toString()]).toEqual([200, 'ok'])
  expect(await isAuthorized(port)).toBe(true)
  expect(await outboundFailure(outbound.fetch(`https://wiki.example:${otherPort}/`, { maxBytes: 9 }))).toEqual(unknown)
  expect(await isAuthorized(otherPort)).toBe(false)
})

test('an authority that is trusted does not vouch for another host', async () => {
  const port = await serverOf(house)
  writeFileSync(file, house.cert)
  const outbound = trusting(trustAuthorities(file))
  expect(await outboundFailure(outbound.fetch(`https://shop.example:${port}/`, { maxBytes: 9 }))).toEqual({
    failure: 'unreachable',
    message: 'TLS failure: the certificate is for another host',
  })
})

test('the authorities that are known without the file stay known', () => {
  const usual = getCACertificates('default')
  writeFileSync(file, `${house.cert}${other.cert}`)
  const pem = trustAuthorities(file).pem() ?? ''
  expect(usual.length).toBeGreaterThan(100)
  for (const one of usual) expect(pem).toContain(one.trim())
  expect(getCACertificates('default')).toHaveLength(usual.length + 2)
})

test('a file that changes counts from the next refresh on, and one that is broken changes nothing', async () => {
  const [port, otherPort] = [await serverOf(house), await serverOf(other)]
  writeFileSync(file, house.cert)
  const authorities = trustAuthorities(file)
  const outbound = trusting(authorities)

  writeFileSync(file, 'half a line')
  expect(authorities.refresh).toThrow(`EXTRA_CA_FILE: ${file}: must have at least one certificate in PEM`)
  expect((await outbound.fetch(`https://wiki.example:${port}/`, { maxBytes: 9 })).status).toBe(200)

  writeFileSync(file, `${other.cert}${house.cert}`)
  authorities.refresh()
  expect((await outbound.fetch(`https://wiki.example:${otherPort}/`, { maxBytes: 9 })).status).toBe(200)
  expect(await isAuthorized(otherPort)).toBe(true)

  rmSync(file)
  expect(authorities.refresh).toThrow(/^EXTRA_CA_FILE: .*ENOENT/)
  expect(await isAuthorized(otherPort)).toBe(true)
})

test.each([
  ['is empty', '', 'must have at least one certificate in PEM (-----BEGIN CERTIFICATE-----)'],
  ['has a key only', house.key, 'must have at least one certificate in PEM (-----BEGIN CERTIFICATE-----)'],
  [
    'has a broken certificate',
    `${house.cert}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`,
    'certificate 2 of 2 cannot be read',
  ],
])('a file that %s is refused', (_, text, problem) => {
  writeFileSync(file, text)
  expect(() => trustAuthorities(file)).toThrow(`EXTRA_CA_FILE: ${file}: ${problem}`)
})
