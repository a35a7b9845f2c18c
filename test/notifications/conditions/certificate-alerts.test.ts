import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type CertificateWorld,
  certificateWorld,
  dayMs,
  expiringIn,
  probeOf,
  secureServer,
} from '../../support/certificate-world.ts'
import { closeAll } from '../../support/closing.ts'

let world: CertificateWorld
beforeEach(async () => {
  world = await certificateWorld()
})
afterEach(closeAll)

const alerts = () => world.nines.app.db.read.selectFrom('alerts').selectAll().execute()
const certificates = async () => (await world.nines.call('GET', '/api/v1/certificates')).body.certificates

test('a certificate is one alert: it begins at 21 days, rises at 7 and at 1, and ends when it is renewed', async () => {
  const server = await secureServer(expiringIn(30))
  await world.post('/embedded/probes', probeOf(server.port))
  await world.pass()
  expect(world.told()).toEqual([])
  for (const day of [8, 9.5, 12, 20, 22.5, 23.5, 25, 28.5, 29.5, 31]) {
    await world.pass(day - (world.nines.clock.now() - startMs()) / dayMs)
  }
  expect(world.told()).toEqual([
    'alert: Warning: certificate of shop.example and 1 more expires in 20 days',
    'alert: Critical: certificate of shop.example and 1 more expires in 6 days',
    'alert: Critical: certificate of shop.example and 1 more expires in 11 hours',
  ])
  expect(world.hook.received.map(({ json }) => json.priority)).toEqual(['medium', 'high', 'critical'])
  expect(await alerts()).toMatchObject([
    { severity: 'critical', slo_id: null, ended_at: null, name: expect.stringMatching(/^condition:certificate:/) },
  ])
  expect(world.hook.open()).toHaveLength(1)
  await server.renew(expiringIn(120))
  await world.pass()
  await world.pass(0.01)
  expect(world.told().slice(3)).toEqual(['recovery: Recovered: certificate of shop.example and 1 more renewed'])
  expect(world.hook.open()).toEqual([])
  await world.pass(1)
  expect(world.told()).toHaveLength(4)
})

const startMs = () => 1_795_255_200_000

test('the message says who uses it, its names, when it expires, and what to do; its end, until when the new one is valid', async () => {
  const server = await secureServer(expiringIn(20.5))
  await world.post('/embedded/probes', probeOf(server.port))
  await world.pass()
  const listed = (await world.nines.call('GET', '/api/v1/notifications/alerts')).body.alerts
  expect(listed).toMatchObject([
    { kind: 'condition', condition: 'certificate', slo_id: null, alert_type: 'appliance_condition', notified: 1 },
  ])
  await server.renew(expiringIn(120))
  await world.pass()
  await world.pass(0.01)
  const [begin, end] = world.hook.received.map(({ json }) => json)
  expect(begin?.message).toBe(`The certificate of shop.example and 1 more expires in 20 days, on 2026-12-11 22:00 UTC.
It is used by the check Shop.
Names: shop.example, www.shop.example. Issued by shop.example.
What to do: renew it, and have its server load the new one.

http://127.0.0.1:8080/collect/probes`)
  const usedBy = [{ kind: 'probe', id: 1, name: 'Shop' }]
  const names = ['shop.example', 'www.shop.example']
  expect(begin?.condition.certificate).toEqual({
    names,
    issuer: 'shop.example',
    server: `127.0.0.1:${server.port}`,
    fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
    expires_at: '2026-12-11T22:00:00.000Z',
    used_by: usedBy,
    end: null,
  })
  expect(end?.condition.certificate).toMatchObject({
    end: { is_renewed: true, valid_until: '2027-03-21T10:00:00.000Z' },
  })
  expect(end?.message)
    .toBe(`The certificate of shop.example and 1 more was renewed: the new one is valid until 2027-03-21 10:00 UTC.

http://127.0.0.1:8080/collect/probes`)
})

test('probes, a source and a channel with one certificate are one alert that names them all', async () => {
  const made = expiringIn(20)
  const [one, other] = [await secureServer(made), await secureServer(made)]
  await world.post('/embedded/probes', probeOf(one.port))
  await world.post('/embedded/probes', probeOf(one.port, 'Shop again'))
  await world.post('/tsdb/sources', { name: 'prod', api_url: `https://127.0.0.1:${other.port}` })
  await world.post('/notifications/channels', {
    name: 'chat',
    channel_type: 'webhook',
    configuration: { webhook_url: `https://127.0.0.1:${other.port}/x` },
  })
  await world.pass()
  await world.pass()
  expect(world.told()).toHaveLength(1)
  expect(world.hook.received[0]?.json.message).toContain(
    'It is used by the check Shop, the check Shop again, the data source prod and the channel chat.',
  )
  expect(await certificates()).toMatchObject([{ state: 'expiring', days_left: 19, used_by: [{}, {}, {}, {}] }])
  await one.renew(expiringIn(120))
  await world.pass()
  await world.pass(0.02)
  expect(world.told()).toHaveLength(1) // the other server still has it
})

describe('across a restart', () => {
  test('nothing is sent twice, and what rose meanwhile is sent once', async () => {
    const server = await secureServer(expiringIn(20))
    await world.post('/embedded/probes', probeOf(server.port))
    await world.pass()
    await world.restart()
    await world.pass()
    expect(world.told()).toHaveLength(1)
    world.nines.clock.advance(14 * dayMs)
    await world.restart()
    await world.pass()
    await world.pass()
    expect(world.told().slice(1)).toEqual(['alert: Critical: certificate of shop.example and 1 more expires in 5 days'])
  })

  test('an alert whose server does not answer goes on, and rises', async () => {
    const server = await secureServer(expiringIn(20))
    await world.post('/embedded/probes', probeOf(server.port))
    await world.pass()
    await closeServers()
    await world.restart()
    await world.pass(14)
    expect(world.told()).toEqual([
      'alert: Warning: certificate of shop.example and 1 more expires in 19 days',
      'alert: Critical: certificate of shop.example and 1 more expires in 5 days',
    ])
    async function closeServers() {
      await world.nines.call('PUT', '/api/v1/embedded/probes/1', {
        settings: { verify_certificate: false, method: 'POST' },
      })
      server.stop()
    }
  })

  test('one that was renewed while nines was off ends', async () => {
    const server = await secureServer(expiringIn(20))
    await world.post('/embedded/probes', probeOf(server.port))
    await world.pass()
    await server.renew(expiringIn(120))
    await world.restart()
    await world.pass()
    await world.pass(0.01)
    expect(world.told().slice(1)).toEqual(['recovery: Recovered: certificate of shop.example and 1 more renewed'])
  })
})

describe('an alert of a probe', () => {
  beforeEach(async () => {
    const server = await secureServer(expiringIn(20))
    await world.post('/embedded/probes', probeOf(server.port))
    await world.pass()
    expect(world.told()).toHaveLength(1)
  })
  const ended = 'recovery: Ended: certificate of shop.example and 1 more'

  test.each([
    ['deleted', 'DELETE', undefined],
    ['paused', 'PUT', { is_active: false }],
    ['given another server', 'PUT', { target: 'https://127.0.0.1:1/' }],
  ])('that is %s ends', async (_, method, body) => {
    const { status } = await world.nines.call(method, '/api/v1/embedded/probes/1', body)
    expect(status).toBe(200)
    await world.pass()
    expect(world.told().slice(1)).toEqual([ended])
    expect(await certificates()).toEqual([])
  })

  test('that has another name, or another path, goes on', async () => {
    const { target } = (await world.nines.call('GET', '/api/v1/embedded/probes/1')).body
    await world.nines.call('PUT', '/api/v1/embedded/probes/1', { name: 'Till', target: `${target}pay` })
    await world.nines.app.certificates.run()
    await world.pass()
    expect(world.told()).toHaveLength(1)
    expect((await alerts())[0]?.reason).toContain('used by the check Till')
  })

  test('is acknowledged until it rises', async () => {
    expect((await world.nines.call('POST', '/api/v1/notifications/alerts/1/acknowledge', {})).status).toBe(200)
    await world.post('/notifications/channels', {
      name: 'second',
      channel_type: 'webhook',
      configuration: { webhook_url: world.hook.url },
    })
    await world.post('/notifications/rules', { channel_id: 2, alert_type: 'appliance_condition', notify: false })
    await world.pass()
    expect(world.told()).toHaveLength(1)
    await world.pass(13)
    expect(world.told()).toHaveLength(3)
    expect(await alerts()).toMatchObject([{ severity: 'critical', acknowledged_at: null }])
    const acknowledged_at = Math.floor(world.nines.clock.now() / 1000)
    const acknowledgement = { acknowledged_at, acknowledged_by_name: 'ada', acknowledgement_note: '' }
    await world.nines.app.db.write.updateTable('alerts').set(acknowledgement).execute()
    await world.pass(1)
    expect(world.told()).toHaveLength(3)
    await world.pass(5)
    expect(world.told()).toHaveLength(5)
  })

  test('that is sent again after its end is followed by that end', async () => {
    await world.nines.call('DELETE', '/api/v1/embedded/probes/1')
    await world.pass()
    expect((await world.nines.call('POST', '/api/v1/notifications/1/resend')).status).toBe(201)
    await world.nines.app.delivery.run()
    await world.nines.app.delivery.drain()
    expect(world.told().slice(1)).toEqual([ended, world.told()[0] ?? '', ended])
  })

  test('is kept when the clock is set back', async () => {
    world.nines.clock.jump(-100 * dayMs)
    await world.nines.app.certificates.run()
    expect(await alerts()).toMatchObject([{ ended_at: null }])
  })
})

test('servers behind one address that have the old and the new certificate in turn do not end and begin it', async () => {
  const [old, renewed] = [expiringIn(20), expiringIn(120)]
  const server = await secureServer(old)
  await world.post('/embedded/probes', probeOf(server.port))
  await world.pass()
  for (const made of [renewed, old, renewed, old]) {
    await server.renew(made)
    await world.pass()
  }
  expect(world.told()).toHaveLength(1)
})

test('one that has expired when it is first seen is critical at once, though the probe refuses it', async () => {
  const server = await secureServer(expiringIn(-20))
  await world.post('/embedded/probes', { ...probeOf(server.port), settings: {} })
  await world.pass()
  expect(world.told()).toEqual(['alert: Critical: certificate of shop.example and 1 more expired 20 days ago'])
  expect(await certificates()).toMatchObject([{ state: 'expired', days_left: -21 }])
  const { health } = (await world.nines.call('GET', '/api/v1/embedded/probes/1')).body
  expect(health.findings.certificate).toMatchObject({ state: 'expired', names: ['shop.example', 'www.shop.example'] })
  expect(health.findings.certificate.expires_at).toBe(health.findings.certificate_expires_at)
})

test('a probe that needs no certificate any more has none', async () => {
  const server = await secureServer(expiringIn(20))
  await world.post('/embedded/probes', {
    name: 'Port',
    type: 'tcp',
    target: `127.0.0.1:${server.port}`,
    settings: { tls: true, verify_certificate: false },
  })
  await world.pass()
  expect(await certificates()).toHaveLength(1)
  await world.nines.call('PUT', '/api/v1/embedded/probes/1', { settings: { tls: false } })
  await world.pass()
  expect(await certificates()).toEqual([])
})

test('another organization has alerts of its own certificates only, by a rule of its administrator', async () => {
  const token = await world.nines.join('eve')
  const channel = { name: 'eve', channel_type: 'webhook', configuration: { webhook_url: world.hook.url } }
  const { id } = await world.post('/notifications/channels', channel, token)
  await world.post('/notifications/rules', { channel_id: id, alert_type: 'appliance_condition', notify: false }, token)
  const server = await secureServer(expiringIn(20, ['eve.example']))
  await world.post('/embedded/probes', probeOf(server.port), token)
  world.nines.app.conditions.set('disk_full', 'the disk is full')
  await world.nines.app.selfMonitoring.watch()
  await world.pass()
  expect(world.told()).toEqual([
    'alert: Critical: nines: disk full',
    'alert: Warning: certificate of eve.example expires in 19 days',
  ])
  expect(await certificates()).toEqual([])
  expect(await alerts()).toMatchObject([{ name: 'condition:disk_full', organization_id: 1 }, { organization_id: 2 }])
  expect((await world.nines.call('GET', '/api/v1/certificates', undefined, { token })).body.total).toBe(1)
})
