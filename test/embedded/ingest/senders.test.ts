import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { writeBody, writeHeaders, type WrittenSeries } from '../../support/remote-write.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

const series = (instance: number, atMs = nines.clock.now()): WrittenSeries => ({
  labels: { __name__: 'up', instance: String(instance) },
  samples: [[atMs, 1]],
})
const send = (sent: WrittenSeries[], { token = nines.token(), headers = {} }: Sent = {}) =>
  nines.call('POST', '/api/v1/write', writeBody(1, sent), { token, headers: { ...writeHeaders[1], ...headers } })
type Sent = { token?: string | null; headers?: Record<string, string> }
const listed = async (token = nines.token()) =>
  (await nines.call('GET', '/api/v1/embedded/senders', undefined, { token })).body.senders

describe('a sender', () => {
  test('is listed with what it sent, by the name of its token, to its organization only', async () => {
    const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'edge', role: 'admin', scope: 'ingest' })
    const headers = { 'user-agent': 'Prometheus/3.5.0' }
    const sentAt = '2026-11-21T10:00:00.000Z'
    await send([series(1), series(2)], { token: body.token, headers })
    expect(await listed()).toEqual([
      {
        protocol: 'remote_write',
        sends_as: 'edge',
        address: 'unknown',
        user_agent: 'Prometheus/3.5.0',
        first_at: sentAt,
        last_stored_at: sentAt,
        samples: 2,
        samples_per_second: 2 / 60,
        series: 2,
        refused_requests: 0,
        last_refused_at: null,
        last_refused_reason: null,
      },
    ])
    expect(await listed(await nines.join('eve'))).toEqual([])
  })

  test('has the rate and the series of its last minutes, each series once', async () => {
    for (let second = 0; second < 1200; second += 60) {
      await send([series(1), series(second < 600 ? 2 : 3)])
      nines.clock.advance(60_000)
    }
    const [sender] = await listed()
    expect(sender).toMatchObject({ sends_as: 'ada@example.com', samples: 40, series: 2 })
    expect(sender.samples_per_second).toBeCloseTo(2 / 60, 3)
    nines.clock.advance(900_000)
    expect((await listed())[0]).toMatchObject({ samples: 40, series: 0, samples_per_second: 0 })
  })

  test('that was refused is listed with the reason in its answer', async () => {
    await send([series(1), series(2, nines.clock.now() + 3_600_000)])
    expect((await listed())[0]).toMatchObject({
      samples: 1,
      refused_requests: 1,
      last_refused_reason: expect.stringContaining('up{instance="2"}: more than 10 minutes in the future'),
    })
    await send([], { headers: { 'content-encoding': 'gzip' } })
    expect((await listed())[0]).toMatchObject({
      refused_requests: 2,
      last_refused_reason: 'Unsupported media type: Content-Encoding: must be snappy',
    })
  })

  test('without the right to send is listed as refused', async () => {
    const token = await addUser(nines, 'vic', 'viewer')
    expect((await send([series(1)], { token })).status).toBe(403)
    expect((await listed())[0]).toMatchObject({
      sends_as: 'vic@example.com',
      samples: 0,
      last_stored_at: null,
      last_refused_reason: 'Insufficient permissions: needs the role admin',
    })
  })

  test('is one of the last hundred of its organization', async () => {
    for (let n = 0; n < 101; n += 1) {
      const caller = { organizationId: 1, credential: { type: 'api_token' as const, id: n, name: `token ${n}` } }
      nines.app.senders.of(
        { ...caller, email: 'ada@example.com', origin: { ip: '::1', userAgent: '' } },
        'remote_write',
      )
    }
    const senders = await listed()
    expect([senders.length, senders[0].sends_as, senders.at(-1).sends_as]).toEqual([100, 'token 100', 'token 1'])
  })
})
