import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openProbe } from '../../../src/embedded/probes/settings.ts'
import type { Pinger } from '../../../src/embedded/probing/pinger.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const probes = '/api/v1/embedded/probes'
const http = { name: 'home', type: 'http', target: 'https://home.example/?a=1' }
const tcp = { name: 'db', type: 'tcp', target: 'db.example:5432' }
const icmp = { name: 'router', type: 'icmp', target: 'router.example' }
const dns = { name: 'mx', type: 'dns', target: 'home.example' }
const create = (body: object, token?: string) => nines.call('POST', probes, body, token ? { token } : {})
const change = (body: unknown) => nines.call('PUT', `${probes}/1`, body)
const failure = ({ status, body }: Answer) => [status, body.error, rulesOf(body)]
const invalid = (details: string) => [400, 'Invalid request', details]
const httpDefaults = {
  method: 'GET',
  headers: {},
  body: null,
  expected_status: [],
  body_matches: null,
  body_matches_not: null,
  body_contains: null,
  body_contains_not: null,
  header_matches: {},
  json_conditions: [],
  response_time_below_ms: null,
  auth: null,
  follow_redirects: true,
  verify_certificate: true,
}

test('a probe is created, read, listed, changed and deleted', async () => {
  const { status, body } = await create(http)
  const now = new Date(nines.clock.now()).toISOString()
  const stored = {
    id: 1,
    organization_id: 1,
    ...http,
    interval_seconds: 30,
    timeout_seconds: 10,
    labels: {},
    settings: httpDefaults,
    is_active: true,
    confirm: true,
    down_after: 2,
    health: {
      status: 'unknown',
      last_at: null,
      last_duration_ms: null,
      last_error: null,
      samples: 0,
      next_at: expect.any(String),
      recent: [],
      findings: null,
      down_since: null,
    },
    created_at: now,
    updated_at: now,
  }
  expect([status, body]).toEqual([201, stored])
  expect((await nines.call('GET', `${probes}/1`)).body).toEqual(stored)
  expect((await nines.call('GET', probes)).body).toEqual({ probes: [stored], total: 1 })
  const settings = { method: 'POST', body: '{}', expected_status: [200, 204], body_matches: 'ok$' }
  const changed = await change({ settings, labels: { site: 'b' }, type: 'http' })
  expect(changed.body).toEqual({ ...stored, labels: { site: 'b' }, settings: { ...httpDefaults, ...settings } })
  expect((await change({ name: 'other' })).body.settings).toMatchObject(settings)
  expect((await nines.call('DELETE', `${probes}/1`)).body).toEqual({ message: 'Probe deleted' })
  expect(failure(await nines.call('GET', `${probes}/1`))).toEqual([404, 'Probe not found', undefined])
})

test.each([
  [tcp, {}, { tls: false, auth: null, verify_certificate: true }],
  [tcp, { tls: true, verify_certificate: false }, { tls: true, auth: null, verify_certificate: false }],
  [dns, {}, { server: null, record_type: 'A', expected: null }],
  [
    dns,
    { server: '192.0.2.1:5353', record_type: 'MX', expected: 'mail' },
    { server: '192.0.2.1:5353', record_type: 'MX', expected: 'mail' },
  ],
])('%j has settings of its type: %j', async (probe, settings, shown) => {
  const { status, body } = await create({ ...probe, settings })
  expect([status, body.settings]).toEqual([201, shown])
})

test.each<[object, string]>([
  [{ ...http, type: 'ping' }, 'type: must be http, tcp, dns or icmp'],
  [{ ...http, type: 'smtp' }, 'type: must be http, tcp, dns or icmp'],
  [{ ...http, target: 'home.example' }, 'target: must be an http(s) URL without credentials and fragment'],
  [{ ...http, target: 'http://a:b@home.example' }, 'target: must be an http(s) URL without credentials and fragment'],
  [{ ...http, target: 'nines:metrics' }, 'target: must be an http(s) URL without credentials and fragment'],
  [{ ...tcp, target: 'db.example' }, 'target: must be host:port, as in example.org:5432 or [::1]:22'],
  [{ ...tcp, target: 'db.example:0' }, 'target: must be host:port, as in example.org:5432 or [::1]:22'],
  [{ ...dns, target: 'home .example' }, 'target: must be the name to resolve, as in example.org'],
  [{ ...dns, target: 'http://home.example' }, 'target: must be the name to resolve, as in example.org'],
  ...['-f', '--help', 'a b', 'http://a', '$(id)', 'a;ls', 'fe80::1%eth0', '[::1]', 'a:1'].map(
    (target): [object, string] => [
      { ...icmp, target },
      'target: must be a host or an address, as in example.org or 192.0.2.1',
    ],
  ),
  [{ ...icmp, settings: { tls: true } }, 'settings: must be empty; not "tls"'],
  [
    { ...http, settings: { json_conditions: ['$.a == 1', '$.status = UP'] } },
    'settings.json_conditions: must each be as $.status == "UP", with ==, !=, <, <=, >, >= or contains, and texts in quotes; not $.status = UP',
  ],
  [
    { ...http, settings: { response_time_below_ms: 0 } },
    'settings.response_time_below_ms: must be a whole number from 1 to 120000',
  ],
  [{ ...http, settings: { auth: {} } }, 'settings.auth: must be an object with basic or bearer, with tls, or null'],
  [
    { ...http, settings: { auth: { bearer: { token: 'a' }, basic: { username: 'a', password: 'b' } } } },
    'settings.auth: must be basic or bearer, not both',
  ],
  [
    { ...http, settings: { auth: { bearer: { token: 'a' } }, headers: { authorization: 'b' } } },
    'settings.headers: cannot have Authorization beside settings.auth',
  ],
  [{ ...http, timeout_seconds: 40 }, 'timeout_seconds: must be at most interval_seconds, which is 30'],
  [{ ...http, settings: null }, 'settings: must be a JSON object'],
  [{ ...http, settings: [] }, 'settings: must be a JSON object'],
  [{ ...tcp, settings: { tsl: true } }, 'settings: must be some of tls, auth, verify_certificate; not "tsl"'],
  [{ ...dns, settings: { tls: true } }, 'settings: must be some of server, record_type, expected; not "tls"'],
  [
    { ...http, settings: { method: 'TRACE' } },
    'settings.method: must be one of GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH',
  ],
  [
    { ...http, settings: { expected_status: 200 } },
    'settings.expected_status: must be a list of at most 50 HTTP statuses',
  ],
  [
    { ...http, settings: { expected_status: [99] } },
    'settings.expected_status.0: must be a whole number from 100 to 599',
  ],
  [{ ...http, settings: { body: 'x' } }, 'settings.body: cannot be sent with the method GET'],
  [
    { ...http, settings: { headers: { 'X-A': 'a', 'x-a': 'b' } } },
    'settings.headers: must have each header once; capitals make no difference',
  ],
  [
    { ...http, settings: { headers: { Connection: 'x' } } },
    'settings.headers: cannot have connection, which nines sets itself',
  ],
  [
    { ...http, settings: { headers: { 'X-A': 'a\nb' } } },
    'settings.headers.X-A: must be 1 to 4096 characters of printable ASCII',
  ],
  [
    { ...dns, settings: { record_type: 'ANY' } },
    'settings.record_type: must be one of A, AAAA, CNAME, MX, NS, TXT, SRV, CAA, PTR',
  ],
  [{ ...dns, settings: { server: 'a b' } }, 'settings.server: must be a host or host:port'],
])('a probe is refused: %j', async (body, details) => {
  expect(failure(await create(body))).toEqual(invalid(details))
  expect((await nines.call('GET', probes)).body.total).toBe(0)
})

test.each(['body_matches', 'body_matches_not'])('a pattern that is none is refused as %s', async (field) => {
  const { status, body } = await create({ ...http, settings: { [field]: '(' } })
  expect([status, rulesOf(body)]).toEqual([
    400,
    expect.stringContaining(`settings.${field}: must be a regular expression`),
  ])
})

test('a pattern that is none is refused as that of a header', async () => {
  const { status, body } = await create({ ...http, settings: { header_matches: { 'X-Cache': '(' } } })
  expect([status, rulesOf(body)]).toEqual([
    400,
    expect.stringContaining('settings.header_matches.X-Cache: must be a regular expression'),
  ])
})

test('a ping is created where this machine allows it; else the answer says why, and what to do', async () => {
  let why: string | null = 'there is no `ping` on this machine: install it'
  const pinger: Pinger = { whyNot: async () => why, ping: async () => ({ rttSeconds: 0.01, hopLimit: 64 }) }
  await nines.close()
  nines = await testApp({ pinger })
  await nines.join('ada')
  const refused = await create(icmp)
  expect(failure(refused)).toEqual(
    invalid('type: must be http, tcp or dns here: there is no `ping` on this machine: install it'),
  )
  expect((await nines.call('GET', probes)).body.total).toBe(0)
  why = null
  const { status, body } = await create({ ...icmp, target: '127.0.0.1' })
  expect([status, body.type, body.settings]).toEqual([201, 'icmp', {}])
  expect((await change({ target: '::1', settings: {} })).body.target).toBe('::1')
  const tried = await nines.call('POST', `${probes}/1/test`)
  expect(tried.body).toMatchObject({ ok: true, error: null, sample_count: 9 })
  expect(tried.body.findings.phases).toContainEqual({ phase: 'rtt', duration_ms: 10 })
})

test('the type of a probe cannot change', async () => {
  await create(http)
  expect(failure(await change({ type: 'tcp', target: 'a:1' }))).toEqual(
    invalid('type: must be http: the type of a probe cannot change'),
  )
})

test('a name is taken in its organization, and only there', async () => {
  await create(http)
  expect(failure(await create({ ...tcp, name: 'home' }))).toEqual([
    409,
    'Probe name already in use',
    'name: must be a name that is not in use',
  ])
  expect((await create(http, await nines.join('eve'))).status).toBe(201)
})

describe('values of headers', () => {
  const headers = { Authorization: 'Bearer t0ken', Accept: 'x' }
  const masked = { Authorization: '********', Accept: '********' }
  const stored = async () => {
    const row = await nines.app.db.read.selectFrom('probes').selectAll().executeTakeFirstOrThrow()
    return JSON.parse(nines.app.seal.unseal(row.sealed_settings, 'probes.sealed_settings', row)).headers
  }

  test('are presented masked, and kept where the masks come back or nothing is sent', async () => {
    expect((await create({ ...http, settings: { headers } })).body.settings.headers).toEqual(masked)
    await change({ settings: { headers: masked, body_matches: 'x' } })
    expect(await stored()).toEqual(headers)
    await change({ target: 'https://home.example/other' })
    expect(await stored()).toEqual(headers)
    await change({ settings: { headers: { Authorization: '********' } } })
    expect(await stored()).toEqual({ Authorization: 'Bearer t0ken' })
  })

  test('do not follow to another port by themselves, which is what the answer says', async () => {
    await create({ ...http, settings: { headers } })
    expect(failure(await change({ target: 'https://home.example:8443/' }))).toEqual(
      invalid('settings: must be sent again: stored headers are not sent to a target on another port'),
    )
  })

  test('so are credentials, which are sealed and do not follow to another host either', async () => {
    const auth = { basic: { username: 'ada', password: 's3cret' } }
    const masks = { basic: { username: 'ada', password: '********' } }
    expect((await create({ ...http, settings: { auth } })).body.settings.auth).toEqual(masks)
    expect((await change({ settings: { auth: masks, body_contains: 'x' } })).body.settings.auth).toEqual(masks)
    const row = await nines.app.db.read.selectFrom('probes').selectAll().executeTakeFirstOrThrow()
    expect(row.sealed_settings).not.toContain('s3cret')
    expect(openProbe(nines.app.seal, row).settings).toMatchObject({ auth, bodyContains: 'x' })
    const target = 'https://evil.example/'
    expect(failure(await change({ target }))).toEqual(
      invalid('settings: must be sent again: stored credentials are not sent to a target on another host'),
    )
    expect(failure(await change({ target, settings: { auth: masks } }))).toEqual(
      invalid('settings.auth.basic.password: must be the value itself, not its mask: none is stored for this target'),
    )
    expect((await change({ target, settings: { auth: null } })).body.settings.auth).toBeNull()
    expect(nines.logged.join()).not.toContain('s3cret')
  })

  test('do not follow to another host by themselves', async () => {
    await create({ ...http, settings: { headers } })
    const target = 'https://evil.example/'
    expect(failure(await change({ target }))).toEqual(
      invalid('settings: must be sent again: stored headers are not sent to a target on another host'),
    )
    expect(failure(await change({ target, settings: { headers: masked } }))).toEqual(
      invalid('settings.headers.Authorization: must be the value itself, not its mask: none is stored for this target'),
    )
    expect((await change({ target, settings: { headers: { Accept: 'y' } } })).status).toBe(200)
    expect(await stored()).toEqual({ Accept: 'y' })
  })

  test('are in no log', async () => {
    await create({ ...http, settings: { headers } })
    await change({ settings: { headers: masked } })
    await change({ settings: {} })
    await nines.call('DELETE', `${probes}/1`)
    const { body } = await nines.call('GET', '/api/v1/audit-log')
    const events = body.entries.flatMap(({ event, details }: { event: string; details: object }) =>
      event.startsWith('probe_') ? [[event, details]] : [],
    )
    const shown = { id: 1, name: 'home', type: 'http', target: 'https://home.example/', is_active: true }
    expect(events).toEqual([
      ['probe_deleted', shown],
      ['probe_changed', { ...shown, settings_changed: true }],
      ['probe_changed', { ...shown, settings_changed: false }],
      ['probe_created', shown],
    ])
    expect(nines.logged.join()).not.toContain('t0ken')
  })
})
