import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { loopbackCertificate } from '../../support/loopback-certificate.ts'
import { probeCertificates } from '../../support/probe-certificates.ts'
import { answering, tryHttp } from '../../support/probe-world.ts'
import { tlsServer, trustProbeAuthority } from '../../support/tls-server.ts'

afterEach(closeAll)

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const goodUntil = Date.UTC(2125, 0, 1) / 1000
const expiredAt = Date.UTC(2021, 0, 1) / 1000
const selfSignedUntil = Date.UTC(2126, 9, 28, 11, 18, 16) / 1000
const { expired, authority, good } = probeCertificates

test('a good certificate is a success, and its expiry is reported', async () => {
  trustProbeAuthority()
  const port = await tlsServer({ answer })
  const { success, error, samples } = await tryHttp(`https://probe.example:${port}/`)
  expect({ success, error }).toEqual({ success: true, error: null })
  expect(samples).toMatchObject({
    probe_http_ssl: 1,
    probe_ssl_earliest_cert_expiry: goodUntil,
    probe_ssl_last_chain_expiry_timestamp_seconds: goodUntil,
    'probe_tls_version_info version=TLS 1.3': 1,
  })
  expect(samples['probe_http_duration_seconds phase=tls']).toBeGreaterThan(0)
})

const cases = [
  ['expired', { cert: expired }, 'probe.example', 'TLS failure: the certificate has expired', expiredAt],
  ['for another host', {}, 'other.example', 'TLS failure: the certificate is for another host', goodUntil],
  ['self-signed', loopbackCertificate, '127.0.0.1', 'TLS failure: the certificate is self-signed', selfSignedUntil],
] as const

describe.each(cases)('a certificate that is %s', (_, options, host, error, expiry) => {
  test('is a failure whose expiry is reported, and nothing is sent to that server', async () => {
    trustProbeAuthority()
    const heard: string[] = []
    const port = await tlsServer({ answer, heard: (text) => heard.push(text), ...options })
    const tried = await tryHttp(`https://${host}:${port}/`, { headers: { 'X-Key': 'secret' } })
    expect(tried).toMatchObject({ success: false, error })
    expect(tried.samples).toMatchObject({
      probe_success: 0,
      probe_http_ssl: 0,
      probe_ssl_earliest_cert_expiry: expiry,
      'probe_tls_version_info version=TLS 1.3': 1,
    })
    expect(tried.samples).not.toHaveProperty('probe_ssl_last_chain_expiry_timestamp_seconds')
    expect(heard).toEqual([])
  })

  test('is none where certificates are not to be verified', async () => {
    trustProbeAuthority()
    const port = await tlsServer({ answer, ...options })
    const tried = await tryHttp(`https://${host}:${port}/`, { verifyCertificate: false, bodyMatches: '^ok$' })
    expect(tried).toMatchObject({ success: true, error: null })
    expect(tried.samples).toMatchObject({ probe_http_ssl: 1, probe_ssl_earliest_cert_expiry: expiry })
  })
})

test('one that nobody vouches for is a failure', async () => {
  const port = await tlsServer({ answer })
  const { success, error } = await tryHttp(`https://probe.example:${port}/`)
  expect({ success, error }).toEqual({
    success: false,
    error: 'TLS failure: the certificate is from an authority that is not known here',
  })
})

test('the earliest end is that of all certificates, the last of a chain that of those that prove the first', async () => {
  trustProbeAuthority()
  const port = await tlsServer({ answer, cert: [good, expired, authority].join('\n') })
  const { samples } = await tryHttp(`https://probe.example:${port}/`)
  expect(samples).toMatchObject({
    probe_success: 1,
    probe_ssl_earliest_cert_expiry: expiredAt,
    probe_ssl_last_chain_expiry_timestamp_seconds: goodUntil,
  })
})

test('the version of TLS is reported', async () => {
  trustProbeAuthority()
  const port = await tlsServer({ answer, maxVersion: 'TLSv1.2' })
  const { samples } = await tryHttp(`https://probe.example:${port}/`)
  expect(samples).toMatchObject({ 'probe_tls_version_info version=TLS 1.2': 1 })
})

test('after a redirect to http no certificate is reported', async () => {
  trustProbeAuthority()
  const { url } = answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  const port = await tlsServer({ answer: `HTTP/1.1 301 Moved\r\nlocation: ${url}\r\ncontent-length: 0\r\n\r\n` })
  const { success, samples } = await tryHttp(`https://probe.example:${port}/`)
  expect(success).toBe(true)
  expect(samples).toMatchObject({ probe_http_redirects: 1, probe_http_ssl: 0 })
  expect(samples).not.toHaveProperty('probe_ssl_earliest_cert_expiry')
})

test('a server that does not speak TLS is a failure', async () => {
  const { port } = answering('HTTP/1.1 400 Bad Request\r\n\r\n')
  const { success, samples } = await tryHttp(`https://probe.example:${port}/`, {}, { timeoutMs: 60 })
  expect(success).toBe(false)
  expect(samples).toMatchObject({ probe_http_status_code: 0, 'probe_http_duration_seconds phase=tls': 0 })
  expect(samples).not.toHaveProperty('probe_ssl_earliest_cert_expiry')
})
