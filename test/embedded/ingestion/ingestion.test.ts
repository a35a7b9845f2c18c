import { afterEach, beforeEach, expect, test } from 'bun:test'
import { dayMs } from '../../../src/clock.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { writeBody, writeHeaders } from '../../support/remote-write.ts'
import { shareWorkers } from '../../support/shared-workers.ts'

let nines: TestApp
let shop: Receiver
beforeEach(async () => {
  shop = startReceiver(({ path }) =>
    path === '/metrics' ? new Response('orders 7\njobs 1\n') : new Response('down', { status: 503 }),
  )
  nines = await testApp({ env: { SOURCE_URL: 'embedded', INGEST_RATE_LIMIT: '2' }, workers: shareWorkers() })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  await shop.close()
})

const read = async (token = nines.token()) =>
  (await nines.call('GET', '/api/v1/embedded/ingestion', undefined, { token })).body
const wayOf = async (way: string) => (await read()).ways.find((one: { way: string }) => one.way === way)
const call = async (path: string, body: object) => (await nines.call('POST', `/api/v1/embedded/${path}`, body)).body

/** Sends one sample by remote write. */
const write = (token: string | null, atMs = nines.clock.now()) =>
  nines.call('POST', '/api/v1/write', writeBody(1, [{ labels: { __name__: 'edge_up' }, samples: [[atMs, 1]] }]), {
    token,
    headers: { ...writeHeaders[1], 'user-agent': 'Prometheus/3.5.0' },
  })

/** Lets seconds pass with their scrapes, probes and heartbeats; no confirmation is due in them. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
    await nines.app.collector.drain()
    await nines.app.heartbeats.tick()
  }
}

test('each way has its rate, series, newest samples and last error', async () => {
  const before = await read()
  expect(before.ways.map(({ way, count }: { way: string; count: number }) => [way, count])).toEqual([
    ['target', 0],
    ['probe', 0],
    ['heartbeat', 0],
    ['remote_write', 0],
    ['otlp', 0],
  ])
  await call('targets', { name: 'shop', url: `${shop.url}/metrics`, interval_seconds: 10 })
  await call('targets', { name: 'gone', url: `${shop.url}/gone`, interval_seconds: 10 })
  await call('probes', { name: 'cart', type: 'http', target: `${shop.url}/cart`, interval_seconds: 10 })
  await call('heartbeats', { name: 'backup', period_seconds: 300 })
  await seconds(70)
  const target = await wayOf('target')
  expect(target).toMatchObject({
    count: 3, // with nines itself
    last_stored_at: expect.any(String),
    last_error: { of: 'gone', message: expect.stringContaining('503'), at: expect.any(String) },
  })
  const nines_itself = (await nines.call('GET', '/api/v1/embedded/targets/1')).body.health.samples
  expect(target.series).toBe(nines_itself + 2)
  const probe = await wayOf('probe')
  expect(probe).toMatchObject({ count: 1, last_error: { of: 'cart', message: expect.stringContaining('503') } })
  expect(probe.samples_per_second).toBeCloseTo(probe.series / 10)
  expect(await wayOf('heartbeat')).toMatchObject({
    count: 1,
    series: 2,
    samples_per_second: 2 / 60,
    last_stored_at: expect.any(String),
    last_error: null,
  })
  const { body: storage } = await nines.call('GET', '/api/v1/embedded/storage')
  const rates = await Promise.all(['target', 'probe', 'heartbeat'].map(wayOf))
  const rate = rates.reduce((sum, { samples_per_second }) => sum + samples_per_second, 0)
  expect(storage.samples_per_day).toBe(Math.round(rate * 86_400))
})

test('who was refused is listed with the reason for a day: by the limit, for a sample, without a token, at a wrong address', async () => {
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'edge', role: 'admin', scope: 'ingest' })
  expect((await write(body.token)).status).toBe(204)
  expect((await write(body.token, nines.clock.now() + 3_600_000)).status).toBe(400)
  expect((await read()).refused).toMatchObject([
    { sends_as: 'edge', last_refused_reason: expect.stringContaining('in the future') },
  ])
  expect((await write(body.token)).status).toBe(503)
  const known = {
    protocol: 'remote_write',
    sends_as: 'edge',
    address: 'unknown',
    user_agent: 'Prometheus/3.5.0',
    refused_requests: 2,
    last_refused_at: '2026-11-21T10:00:00.000Z',
    last_refused_reason: 'Rate limit exceeded: try again in 30 s',
  }
  expect((await read()).refused).toEqual([known])
  const { count, series, last_error } = await wayOf('remote_write')
  expect([count, series, last_error]).toEqual([
    1,
    1,
    { of: 'edge', message: known.last_refused_reason, at: known.last_refused_at },
  ])

  nines.clock.advance(1000)
  expect([(await write('nonsense')).status, (await write(null)).status]).toEqual([401, 401])
  nines.clock.advance(1000)
  const headers = { 'user-agent': 'curl/8.5.0' }
  await nines.call('GET', `/ping/${crypto.randomUUID()}`, undefined, { token: null, headers })
  const { refused } = await read()
  expect(refused).toEqual([
    {
      protocol: 'report',
      sends_as: null,
      address: 'unknown',
      user_agent: 'curl/8.5.0',
      refused_requests: 1,
      last_refused_at: '2026-11-21T10:00:02.000Z',
      last_refused_reason: null,
    },
    expect.objectContaining({
      protocol: 'remote_write',
      sends_as: null,
      refused_requests: 2,
      last_refused_reason: null,
    }),
    known,
  ])
  expect((await read(await nines.join('eve'))).refused).toEqual([]) // of another organization
  nines.clock.advance(dayMs + 1)
  expect(
    (await read((await nines.call('POST', '/api/v1/auth/login', login, { token: null })).body.access_token)).refused,
  ).toEqual([])
})

const login = { email: 'ada@example.com', password: 'correct horse' }
