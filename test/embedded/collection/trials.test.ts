import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { findingsOf } from '../../../src/embedded/collection/findings.ts'
import { addUser } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const exposition = `# HELP http_requests_total Requests by code.
# TYPE http_requests_total counter
http_requests_total{code="200"} 5
http_requests_total{code="500"} 1
# TYPE latency_seconds histogram
latency_seconds_bucket{le="+Inf"} 6
latency_seconds_sum 2
latency_seconds_count 6
`

let nines: TestApp
let site: Receiver
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
  site = startReceiver(({ path, headers }) => {
    if (path !== '/metrics') return new Response('welcome')
    return headers.get('authorization') === 'Bearer s3cret'
      ? new Response(exposition)
      : new Response('', { status: 401 })
  })
})
afterEach(async () => {
  await site.close()
  await nines.close()
})

const targets = '/api/v1/embedded/targets'
const probes = '/api/v1/embedded/probes'
const auth = { bearer: { token: 's3cret' } }
const target = () => ({ name: 'site', url: `${site.url}/metrics`, auth })

describe('a target that is not stored', () => {
  test('shows its metrics, and is stored nowhere', async () => {
    const { status, body } = await nines.call('POST', `${targets}/test`, target())
    expect([status, body.ok, body.sample_count, body.family_count]).toEqual([200, true, 5, 4])
    expect(body.families.slice(0, 2)).toEqual([
      { name: 'http_requests_total', type: 'counter', help: 'Requests by code.', samples: 2 },
      { name: 'latency_seconds_bucket', type: 'histogram', help: '', samples: 1 },
    ])
    expect((await nines.call('GET', targets)).body.total).toBe(1) // nines itself
  })

  test('says at which line it is no exposition', async () => {
    site.next(() => new Response('a 1\n<html>'))
    const { body } = await nines.call('POST', `${targets}/test`, target())
    expect(body).toMatchObject({
      ok: false,
      error: 'Invalid exposition: line 2: expected a metric name',
      sample_count: 0,
    })
  })

  test.each([
    [{ url: 'ftp://a' }, 'url'],
    [{ interval_seconds: 5, timeout_seconds: 6 }, 'timeout_seconds'],
    [{ auth: { bearer: { token: '********' } } }, 'auth.bearer.token'],
    [{ labels: { __x: 'a' } }, 'labels'],
  ])('is refused as it would be when it is stored: %j', async (change, field) => {
    const { status, body } = await nines.call('POST', `${targets}/test`, { ...target(), ...change })
    expect([status, body.problems[0].field]).toEqual([400, field])
    expect(site.received).toEqual([])
  })

  test('of nines itself is for the first organization', async () => {
    const token = await nines.join('eve')
    const own = await nines.call('POST', `${targets}/test`, { name: 'a', url: 'nines:metrics' }, { token })
    expect(own.status).toBe(400)
  })
})

test('a stored target is tried with changes, which are not kept, and keeps its secrets from another host', async () => {
  await nines.call('POST', targets, target())
  const again = (body?: object) => nines.call('POST', `${targets}/2/test`, body)
  expect((await again()).body.ok).toBe(true)
  expect((await again({ auth: null })).body).toMatchObject({ ok: false, error: 'HTTP 401' })
  const moved = await again({ url: 'http://127.0.0.1:1/metrics' })
  expect([moved.status, moved.body.problems[0].field]).toEqual([400, 'auth'])
  expect((await nines.call('GET', `${targets}/2`)).body.auth).toEqual({ bearer: { token: '********' } })
})

test('a probe that is not stored shows its phases, and is refused as it would be when it is stored', async () => {
  const probe = { name: 'page', type: 'http', target: `${site.url}/` }
  const { body } = await nines.call('POST', `${probes}/test`, probe)
  expect(body).toMatchObject({ ok: true, findings: { http_status: 200, redirects: 0, body_bytes: 7 } })
  expect(body.findings.phases.map(({ phase }: { phase: string }) => phase)).toEqual([
    'resolve',
    'connect',
    'tls',
    'processing',
    'transfer',
  ])
  expect((await nines.call('GET', probes)).body.total).toBe(0)
  const bad = await nines.call('POST', `${probes}/test`, { ...probe, settings: { body_matches: '(' } })
  expect([bad.status, bad.body.problems[0].field]).toEqual([400, 'settings.body_matches'])
  await nines.call('POST', probes, probe)
  const other = await nines.call('POST', `${probes}/1/test`, { settings: { expected_status: [404] } })
  expect(other.body).toMatchObject({ ok: false, error: expect.stringContaining('200') })
  const retyped = await nines.call('POST', `${probes}/1/test`, { type: 'tcp' })
  expect([retyped.status, retyped.body.problems[0].field]).toEqual([400, 'type'])
})

test('only administrators try, and only what is their own', async () => {
  await nines.call('POST', targets, target())
  const member = await addUser(nines, 'grace', 'member')
  const other = await nines.join('eve')
  for (const token of [member, other]) {
    const { status } = await nines.call('POST', `${targets}/2/test`, {}, { token })
    expect(status).toBe(token === member ? 403 : 404)
  }
  expect((await nines.call('POST', `${targets}/test`, target(), { token: member })).status).toBe(403)
  expect(site.received).toEqual([])
})

test('how the last runs of a probe went is listed, with what it found out and when it runs next', async () => {
  await nines.call('POST', probes, {
    name: 'page',
    type: 'http',
    target: `${site.url}/`,
    interval_seconds: 5,
    timeout_seconds: 5,
  })
  for (let second = 0; second < 150; second += 1) {
    nines.clock.advance(1000)
    if (second === 145) site.next(() => new Response('', { status: 503 }))
    nines.app.collector.tick()
    await nines.app.collector.drain()
  }
  const { health } = (await nines.call('GET', `${probes}/1`)).body
  expect(health.recent).toHaveLength(20)
  expect(health.recent.filter(({ ok }: { ok: boolean }) => !ok)).toHaveLength(1)
  expect(health.findings.phases).toHaveLength(5)
  expect(Date.parse(health.next_at) - Date.parse(health.last_at)).toBe(5000)
})

test('the records of a name are read off the samples, and the certificate is added', () => {
  const reading = (name: string, value: number, label?: [string, string]) => ({
    labels: [['__name__', name] as const, ...(label ? [label] : [])],
    value,
  })
  const certificate = { fingerprint: 'ab', issuer: 'ca', names: [], startsAt: 1, expiresAt: 1_800_000_000, seenAt: 2 }
  const samples = [
    reading('probe_dns_duration_seconds', 0.2, ['phase', 'request']),
    reading('probe_dns_duration_seconds', 0.1, ['phase', 'resolve']),
    reading('probe_dns_answer_rrs', 3),
    reading('probe_ssl_earliest_cert_expiry', 1_800_000_000),
    reading('probe_tls_version_info', 1, ['version', 'TLS 1.3']),
    reading('probe_http_status_code', 0),
  ]
  const found = findingsOf({ samples, certificate })
  expect(found).toEqual({
    phases: [
      { phase: 'resolve', seconds: 0.1 },
      { phase: 'request', seconds: 0.2 },
    ],
    httpStatus: null,
    redirects: null,
    bodyBytes: null,
    tlsVersion: 'TLS 1.3',
    certificate,
    records: 3,
  })
})
