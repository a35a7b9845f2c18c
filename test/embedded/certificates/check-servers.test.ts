import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CertificateWorld, certificateWorld, expiringIn, secureServer } from '../../support/certificate-world.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { loopbackCertificate } from '../../support/loopback-certificate.ts'

let world: CertificateWorld
beforeEach(async () => {
  world = await certificateWorld()
})
afterEach(closeAll)

const source = (port: number, name = 'prod') => ({ name, api_url: `https://127.0.0.1:${port}` })
const stored = () => world.nines.app.db.read.selectFrom('certificates').selectAll().orderBy('id').execute()
const webhook = (url: string) => ({ name: 'chat', channel_type: 'webhook', configuration: { webhook_url: url } })

test('a server is connected to once a day, whatever uses it, and hourly while its certificate expires soon', async () => {
  const server = await secureServer(expiringIn(23.5))
  await world.post('/tsdb/sources', source(server.port))
  await world.post('/tsdb/sources', source(server.port, 'the same'))
  await world.post('/notifications/channels', webhook(`https://127.0.0.1:${server.port}/hook`))
  const before = server.connections()
  const connections = () => server.connections() - before
  await world.pass()
  await world.pass()
  await world.pass(0.9)
  expect(connections()).toBe(1)
  expect(await stored()).toHaveLength(3)
  await world.pass(0.1)
  expect(connections()).toBe(2)
  await world.pass(2)
  expect(connections()).toBe(3)
  await world.pass()
  expect(connections()).toBe(3)
  await world.pass(1 / 24)
  expect(connections()).toBe(4)
  expect(world.told()).toHaveLength(1)
})

test('what is added later shares the connection of the others from then on', async () => {
  const server = await secureServer(expiringIn(100))
  await world.post('/tsdb/sources', source(server.port))
  await world.post('/tsdb/sources', { ...source(server.port, 'later'), is_active: false })
  await world.pass()
  await world.pass(0.5)
  await world.nines.app.db.write.updateTable('data_sources').set({ is_active: 1 }).execute()
  await world.pass()
  const before = server.connections()
  await world.pass(0.5)
  expect(server.connections()).toBe(before)
  await world.pass(0.5)
  expect(server.connections()).toBe(before + 1)
})

test('after a restart a server is connected to a day after the last time', async () => {
  const server = await secureServer(expiringIn(100))
  await world.post('/tsdb/sources', source(server.port))
  await world.pass()
  const before = server.connections()
  await world.restart()
  await world.pass()
  expect(server.connections()).toBe(before)
  await world.pass(1)
  expect(server.connections()).toBe(before + 1)
})

test('an address that is changed is looked at within a minute, and one without TLS has no certificate', async () => {
  const [one, other] = [await secureServer(expiringIn(100)), await secureServer(expiringIn(100, ['other.example']))]
  await world.post('/notifications/channels', webhook(`https://127.0.0.1:${one.port}/a`))
  await world.pass()
  const change = (webhook_url: string) =>
    world.nines.call('PUT', '/api/v1/notifications/channels/2', { configuration: { webhook_url } })
  expect((await change(`https://127.0.0.1:${other.port}/b`)).status).toBe(200)
  await world.pass()
  expect(await stored()).toMatchObject([{ channel_id: 2, names: '["other.example"]', previous_fingerprint: null }])
  await change('http://127.0.0.1:1/c')
  await world.pass()
  expect(await stored()).toEqual([])
})

test.each(['starttls', 'tls'] as const)('the certificate of a mail server with %s is read', async (encryption) => {
  const server = await startMailServer({ encryption, certificate: loopbackCertificate })
  closeLater(() => server.close())
  await world.post('/notifications/channels', {
    name: 'mail',
    channel_type: 'email',
    configuration: { to: 'ada@example.com', smtp_server: `127.0.0.1:${server.port}`, smtp_security: encryption },
  })
  await world.pass()
  expect(await stored()).toMatchObject([{ channel_id: 2, issuer: 'nines test', server: `127.0.0.1:${server.port}` }])
  expect(server.mails).toEqual([])
})

test('a server that does not answer, or speaks no TLS, is tried again in an hour', async () => {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void opened.push(socket.end()), data() {} },
  })
  closeLater(() => server.stop(true))
  const opened: unknown[] = []
  await world.post('/tsdb/sources', source(server.port))
  const before = opened.length
  await world.pass()
  await world.pass()
  expect(opened.length - before).toBe(1)
  await world.pass(1 / 24)
  expect(opened.length - before).toBe(2)
  expect(await stored()).toEqual([])
})

test('an address that may not be reached is not connected to', async () => {
  await world.post('/tsdb/sources', source(1))
  const { db } = world.nines.app
  await db.write.updateTable('data_sources').set({ api_url: 'https://10.0.0.1' }).where('name', '=', 'prod').execute()
  await world.pass()
  const line = world.nines.logged.find((one) => one.includes('certificate not read'))
  expect(line).toContain('the address 10.0.0.1 is private')
})
