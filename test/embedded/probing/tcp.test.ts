import { afterEach, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { clientTls, strictServer } from '../../support/client-certificates.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { probeCertificates } from '../../support/probe-certificates.ts'
import { tryTcp } from '../../support/probe-world.ts'
import { tlsServer, trustProbeAuthority } from '../../support/tls-server.ts'

afterEach(closeAll)

/** Accepts connections and sends nothing. `left` resolves when the first one is closed. */
async function silent(): Promise<{ port: number; left: Promise<void> }> {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => {})
        .on('close', () => resolve())
        .resume(),
  )
  closeLater(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { port: address.port, left }
}

async function closedPort(): Promise<number> {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  server.stop(true)
  return server.port
}

const series = {
  probe_success: 1,
  probe_duration_seconds: expect.any(Number),
  probe_dns_lookup_time_seconds: expect.any(Number),
  probe_ip_protocol: 4,
  probe_ip_addr_hash: 3668918509,
  probe_failed_due_to_regex: 0,
}

test('a port that takes connections is a success, and the connection is closed', async () => {
  const { port, left } = await silent()
  expect(await tryTcp(`probe.example:${port}`)).toEqual({ success: true, error: null, samples: series })
  await left
})

test('a port that takes none is a failure', async () => {
  const tried = await tryTcp(`probe.example:${await closedPort()}`)
  expect(tried).toEqual({ success: false, error: 'connection refused', samples: { ...series, probe_success: 0 } })
})

test('with TLS the handshake is needed, and tells of the certificate', async () => {
  trustProbeAuthority()
  const port = await tlsServer()
  expect(await tryTcp(`probe.example:${port}`, { tls: true })).toEqual({
    success: true,
    error: null,
    samples: {
      ...series,
      probe_ssl_earliest_cert_expiry: Date.UTC(2125, 0, 1) / 1000,
      probe_ssl_last_chain_expiry_timestamp_seconds: Date.UTC(2125, 0, 1) / 1000,
      'probe_tls_version_info version=TLS 1.3': 1,
    },
  })
})

test.each([
  [true, 'TLS failure: the certificate has expired'],
  [false, null],
])('an expired certificate, when verifying is %p: %p', async (verifyCertificate, error) => {
  trustProbeAuthority()
  const port = await tlsServer({ cert: probeCertificates.expired })
  const tried = await tryTcp(`probe.example:${port}`, { tls: true, verifyCertificate })
  expect(tried).toMatchObject({ success: error === null, error })
  expect(tried.samples).toMatchObject({ probe_ssl_earliest_cert_expiry: Date.UTC(2021, 0, 1) / 1000 })
})

test.each([
  ['good', null],
  [
    'stranger',
    'connection lost; the server may have refused the client certificate nines.example of Other CA, valid until 2120-01-01',
  ],
  [
    'expired',
    'connection lost; the server may have refused the client certificate nines.example, which expired on 2021-06-01',
  ],
] as const)('a server that requires a certificate is shown that of the probe: %s', async (name, error) => {
  const port = await strictServer()
  const tried = await tryTcp(`receiver.example:${port}`, { tls: true, auth: { tls: clientTls[name] } })
  expect(tried).toMatchObject({ success: error === null, error })
})

test('the authority of a probe is trusted by it alone, instead of the usual ones', async () => {
  trustProbeAuthority()
  const [own, usual] = [await strictServer(), await tlsServer()]
  const settings = { tls: true, auth: { tls: clientTls.none } }
  const unknown = 'TLS failure: the certificate is from an authority that is not known here'
  expect((await tryTcp(`receiver.example:${own}`, settings)).error).toBeNull()
  expect((await tryTcp(`receiver.example:${own}`, { tls: true })).error).toBe(unknown)
  expect((await tryTcp(`probe.example:${usual}`, settings)).error).toBe(unknown)
})

test('a handshake that does not come is waited for until the time is over', async () => {
  const { port, left } = await silent()
  expect(await tryTcp(`probe.example:${port}`, { tls: true }, { timeoutMs: 60 })).toMatchObject({
    success: false,
    error: 'it took longer than 0.06 s',
  })
  await left
})

test('so is a name that is not found in time', async () => {
  let nowMs = 1000
  const lookup = () => {
    nowMs += 60
    return new Promise<string[]>(() => {})
  }
  const tried = await tryTcp('probe.example:1', {}, { lookup, timeoutMs: 60, clock: { now: () => nowMs } })
  expect(tried).toMatchObject({ error: 'it took longer than 0.06 s', samples: { probe_ip_protocol: 0 } })
  expect(tried.samples['probe_dns_lookup_time_seconds']).toBe(0.06)
})

test.each([
  ['probe.example', 'the target is not host:port'],
  ['probe.example:0', 'the target is not host:port'],
  ['127.0.0.1:22', 'the address 127.0.0.1 is denied (OUTBOUND_DENY)'],
  ['[::ffff:127.0.0.1]:22', 'the address ::ffff:7f00:1 is denied (OUTBOUND_DENY)'],
  ['0.0.0.0:22', 'the address 0.0.0.0 is denied (OUTBOUND_DENY)'],
  ['probe.example:22', 'the address of the host is denied (OUTBOUND_DENY)'],
])('%s is not connected to: %s', async (target, error) => {
  expect(await tryTcp(target, {}, { deny: ['127.0.0.0/8'] })).toMatchObject({ success: false, error })
})

test('a name without an address is a failure', async () => {
  const lookup = async () => Promise.reject(new Error('ENOTFOUND'))
  expect(await tryTcp('probe.example:22', {}, { lookup })).toMatchObject({ error: 'host name not found' })
})
