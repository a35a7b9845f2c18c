import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import {
  encodeVersion1,
  snappyLiteral,
  writeBody,
  writeHeaders,
  type WrittenSeries,
} from '../../support/remote-write.ts'
import { shareWorkers } from '../../support/shared-workers.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', QUOTA_SERIES: '400' }, workers: shareWorkers() })
  await nines.join('ada')
})
afterEach(() => nines.close())

const path = '/api/v1/embedded/prometheus/api/v1/write'
const now = () => nines.clock.now()
const versions = [1, 2] as const

type Sent = { version?: 1 | 2; to?: string; token?: string | null; headers?: Record<string, string> }
const sendBody = (body: Uint8Array, { version = 1, to = path, headers = {}, ...more }: Sent = {}) =>
  nines.call('POST', to, body, { headers: { ...writeHeaders[version], ...headers }, ...more })
const send = (series: WrittenSeries[], sent: Sent = {}) => sendBody(writeBody(sent.version ?? 1, series), sent)

const up = (more: Record<string, string> = {}) => ({ __name__: 'up', ...more })
const one = (labels: WrittenSeries['labels'], atMs = now(), value: number | 'stale' = 1): WrittenSeries => ({
  labels,
  samples: [[atMs, value]],
})

/** Values of a selector in the last hour, by the `job` of the series. */
async function values(selector = 'up'): Promise<Record<string, string[]>> {
  const query = `query=${encodeURIComponent(`${selector}[90m]`)}&time=${now() / 1000}`
  const { body } = await nines.call('GET', `/api/v1/embedded/prometheus/api/v1/query?${query}`)
  type Found = { metric: Record<string, string>; values: [number, string][] }
  return Object.fromEntries(
    body.data.result.map(({ metric, values: all }: Found) => [metric['job'] ?? '', all.map(([, value]) => value)]),
  )
}

const writtenOf = ({ headers }: { headers: Headers }) =>
  ['samples', 'histograms', 'exemplars'].map((what) => headers.get(`x-prometheus-remote-write-${what}-written`))

describe.each(versions)('remote write %p.0', (version) => {
  test.each([path, '/api/v1/write', '/embedded/prometheus/api/v1/write'])('stores samples sent to %s', async (to) => {
    const sent = [one(up({ job: 'a' }), now() - 15_000, 3), one(up({ job: 'b' })), one(up({ job: 'a' }), now(), -0.5)]
    const answer = await send(sent, { version, to })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(writtenOf(answer)).toEqual(version === 2 ? ['3', '0', '0'] : [null, null, null])
    expect(await values()).toEqual({ a: ['3', '-0.5'], b: ['1'] })
  })

  test('keeps every value as it is, and ends a series by a stale marker', async () => {
    const kept = [NaN, Infinity, -Infinity, 5e-324, 2 ** 53]
    const samples = kept.map((value, index): [number, number] => [now() - 60_000 + index, value])
    await send([{ labels: up(), samples }, one(up(), now() - 1000, 'stale')], { version })
    expect(await values()).toEqual({ '': ['NaN', '+Inf', '-Inf', '5e-324', '9007199254740992'] })
    const { body } = await nines.call('GET', `/api/v1/embedded/prometheus/api/v1/query?query=up&time=${now() / 1000}`)
    expect(body.data.result).toEqual([])
  })

  test('takes labels in any order, of any characters, and drops empty ones', async () => {
    const labels: [string, string][] = [
      ['zone', 'tä\n"st'],
      ['empty', ''],
      ['__name__', 'resource cpu.usage'],
      ['job name', 'x'],
    ]
    expect((await send([one(labels), one(labels, now() - 1)], { version })).status).toBe(204)
    const { body } = await nines.call('GET', `/api/v1/embedded/prometheus/api/v1/series?match[]={zone!=""}`)
    expect(body.data).toEqual([{ __name__: 'resource cpu.usage', 'job name': 'x', zone: 'tä\n"st' }])
  })

  test('refuses native histograms by the name of their series, and keeps the floats', async () => {
    const answer = await send([one(up()), { labels: { __name__: 'latency', job: 'a' }, histograms: 2 }], { version })
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'Samples refused',
        details:
          'latency{job="a"}: native histograms are not supported (2 samples); 2 of 3 refused, the others are stored',
      },
    })
    expect(writtenOf(answer)).toEqual(version === 2 ? ['1', '0', '0'] : [null, null, null])
    expect(await values()).toEqual({ '': ['1'] })
  })

  test.each<[string, () => WrittenSeries, string]>([
    ['without a name', () => one({ job: 'x' }), '{job="x"}: its labels must have __name__'],
    ['with an empty name', () => one({ __name__: '', job: 'x' }), ': its labels must have __name__'],
    ['without labels', () => one({}), '{}: its labels must have __name__'],
    [
      'with a label twice',
      () =>
        one([
          ['__name__', 'x'],
          ['a', '1'],
          ['a', '1'],
        ]),
      'labels: must have a once',
    ],
    [
      'with a label without a name',
      () =>
        one([
          ['__name__', 'x'],
          ['', '1'],
        ]),
      'must have no empty name',
    ],
    ['with a long name', () => one({ __name__: 'x', ['l'.repeat(257)]: '1' }), 'must be names of at most 256'],
    ['with a long value', () => one({ __name__: 'x', l: 'v'.repeat(2049) }), 'must be at most 2048 characters in l'],
    ['with too many labels', () => one(labelsOf(64)), 'its labels must be at most 64'],
    ['of the future', () => one({ __name__: 'x' }, now() + 601_000), 'x: more than 10 minutes in the future'],
    ['of long ago', () => one({ __name__: 'x' }, 1), 'x: older than the samples that are kept'],
    ['before 1970', () => one({ __name__: 'x' }, 2 ** 64 - 4096), 'x: older than the samples that are kept'],
  ])('refuses a series %s, names it, and keeps the others', async (_, series, why) => {
    const answer = await send([one(up({ job: 'a' })), series(), one(up({ job: 'b' }))], { version })
    expect([answer.status, answer.body.error]).toEqual([400, 'Samples refused'])
    expect(answer.body.details).toContain(why)
    expect(answer.body.details).toEndWith('; 1 of 3 refused, the others are stored')
    expect(await values()).toEqual({ a: ['1'], b: ['1'] })
    expect(nines.app.samples.usedBy(1).series).toBe(why.startsWith('x: ') ? 3 : 2)
  })

  test('takes samples out of order up to an hour behind the newest of their series', async () => {
    await send([one(up(), now(), 1)], { version })
    const late = [one(up(), now() - 3_600_000, 2), one(up(), now() - 3_600_001, 3), one(up(), now() - 5000, 4)]
    const answer = await send(late, { version })
    expect(rulesOf(answer.body)).toBe(
      'up: more than an hour behind the newest sample of the series; 1 of 3 refused, the others are stored',
    )
    expect(await values()).toEqual({ '': ['2', '4', '1'] })
  })

  test('stores a request that is sent again once', async () => {
    for (let sent = 0; sent < 3; sent += 1) expect((await send([one(up(), now(), 7)], { version })).status).toBe(204)
    expect(await values()).toEqual({ '': ['7'] })
  })

  test('keeps what types of metrics the sender says', async () => {
    const metadata = { type: 1, help: 'Requests.\n"all"', unit: 'requests' }
    await send([{ ...one({ __name__: 'requests_total' }), metadata }], { version })
    const { body } = await nines.call('GET', '/api/v1/embedded/prometheus/api/v1/metadata')
    expect(body.data).toEqual({ requests_total: [{ type: 'counter', help: 'Requests.\n"all"', unit: 'requests' }] })
  })

  test('answers an empty request, which has nothing to store', async () => {
    expect((await send([], { version })).status).toBe(204)
  })

  test('refuses new series beyond the quota, and keeps samples of those that are there', async () => {
    const labels = (index: number) => up({ job: String(index) })
    await send(
      Array.from({ length: 399 }, (_, index) => one(labels(index))),
      { version },
    )
    const answer = await send(
      [one(labels(1), now() + 1), one(labels(1000)), one(labels(1001)), one(labels(2), now() + 1)],
      { version },
    )
    const quota = 'An organization may have at most 400 series in the embedded source (QUOTA_SERIES)'
    expect(rulesOf(answer.body)).toBe(`up{job="1001"}: ${quota}; 1 of 4 refused, the others are stored`)
    nines.clock.advance(1)
    expect(await values('up{job=~"[12]|100."}')).toEqual({ 1: ['1', '1'], 2: ['1', '1'], 1000: ['1'] })
  })
})

function labelsOf(count: number): Record<string, string> {
  return Object.fromEntries([['__name__', 'x'], ...Array.from({ length: count }, (_, index) => [`l${index}`, 'v'])])
}

describe('the headers', () => {
  test.each([
    ['content-type', 'application/json', 415],
    ['content-type', 'image/png', 415],
    ['content-type', 'application/x-protobuf;proto=io.prometheus.write.v3.Request', 415],
    ['content-type', 'application/x-protobuf; charset=utf-8', 204],
    ['content-type', 'application/x-protobuf;proto=prometheus.WriteRequest', 204],
    ['content-encoding', 'gzip', 415],
    ['content-encoding', 'deflate', 415],
    ['content-encoding', 'identity', 415],
    ['content-encoding', 'Snappy', 204],
  ])('%s: %s is answered with %p', async (name, value, status) => {
    const body = status === 204 ? writeBody(1, [one(up())]) : new Uint8Array([48, 1, 2])
    expect(await sendBody(body, { headers: { [name]: value } })).toMatchObject({ status })
    expect(await values()).toEqual(status === 204 ? { '': ['1'] } : {})
  })
})

describe('a body', () => {
  test.each<[string, (body: Uint8Array) => Uint8Array]>([
    ['that is no Snappy', (body) => Uint8Array.from([48, ...body.subarray(1)])],
    ['whose length is no number', (body) => Uint8Array.from([255, 255, 255, 255, 255, 255, ...body])],
    ['that is empty', () => new Uint8Array(0)],
    ['that is cut', (body) => body.subarray(0, -1)],
    ['that holds less than it says', (body) => Uint8Array.from([(body[0] ?? 0) + 1, ...body.subarray(1)])],
    ['that holds more than it says', (body) => Uint8Array.from([(body[0] ?? 0) - 1, ...body.subarray(1)])],
    ['that is no protobuf', () => snappyLiteral(Buffer.from('no protobuf at all'))],
    ['whose message is cut', () => snappyLiteral(encodeVersion1([one(up()), one(up({ job: 'a' }))]).subarray(0, -1))],
    ['of groups', () => snappyLiteral(Buffer.from([11, 12]))],
    ['with a field 0', () => snappyLiteral(Buffer.from([0, 0]))],
  ])('%s is refused, and nothing of it is stored', async (_, spoil) => {
    const { status, body } = await sendBody(spoil(writeBody(1, [one(up())])))
    expect([status, body.error]).toEqual([400, 'Invalid remote write'])
    expect(nines.app.samples.usedBy(1).series).toBe(0)
  })

  test('that says to be too large is refused before any memory is taken for it', async () => {
    const tooLong = Buffer.concat([Buffer.from([0x80, 0x80, 0x80, 0x11]), Buffer.alloc(2_000_000)]) // 34 MiB
    const { status, body } = await sendBody(tooLong)
    expect([status, rulesOf(body)]).toEqual([
      413,
      'body: must be at most 33554432 bytes uncompressed (INGEST_DECODED_LIMIT), not 35651584',
    ])
    const promise = Buffer.from([0xff, 0xff, 0xff, 0x0f, 0, 65]) // 32 MiB of six bytes
    expect((await sendBody(promise)).status).toBe(400)
  })

  test('of more than a megabyte is uncompressed by a worker', async () => {
    const labels = (index: number) => up({ job: String(index % 50), pad: 'x'.repeat(2000) })
    const series = Array.from({ length: 1000 }, (_, index) => one(labels(index), now() - index))
    expect(encodeVersion1(series).length).toBeGreaterThan(2_000_000)
    expect((await send(series)).status).toBe(204)
    expect(Object.keys(await values())).toHaveLength(50)
    const cut = writeBody(1, series).subarray(0, -1)
    expect((await sendBody(cut)).status).toBe(400)
  })

  test('of too many series, samples or symbols is refused', async () => {
    const flood = (bytes: number[], count: number) =>
      snappyLiteral(Buffer.alloc(bytes.length * count, Buffer.from(bytes)))
    expect((await sendBody(flood([10, 0], 100_001))).status).toBe(413)
    expect(
      (
        await sendBody(
          snappyLiteral(
            Buffer.concat([Buffer.from([10, 0xc2, 0x84, 0x3d]), Buffer.alloc(1_000_002, Buffer.from([18, 0]))]),
          ),
        )
      ).status,
    ).toBe(413)
    expect((await sendBody(flood([34, 0], 1_000_001), { version: 2 })).status).toBe(413)
    expect(nines.app.samples.usedBy(1).series).toBe(0)
  })
})

describe('who may send', () => {
  const newToken = async (body: object) =>
    (await nines.call('POST', '/api/v1/auth/tokens', { name: 'agent', ...body })).body.token as string

  test('is an administrator, or a token with the scope ingest, also as a password', async () => {
    const scoped = await newToken({ role: 'admin', scope: 'ingest' })
    const basic = { headers: { authorization: `Basic ${Buffer.from(`agent:${scoped}`).toString('base64')}` } }
    expect((await send([one(up())], { token: scoped })).status).toBe(204)
    expect((await send([one(up())], { token: null, ...basic })).status).toBe(204)
    expect((await send([one(up())], { token: await newToken({ role: 'admin' }) })).status).toBe(204)
  })

  test('is nobody else', async () => {
    const refused = [await newToken({ role: 'member' }), await newToken({ role: 'member', scope: 'ingest' })]
    refused.push(await newToken({ role: 'admin', scope: 'annotate' }), await addUser(nines, 'bob', 'member'))
    for (const token of refused) expect((await send([one(up())], { token })).status).toBe(403)
    expect((await send([one(up())], { token: null })).status).toBe(401)
    expect((await send([one(up())], { token: 'nines_none' })).status).toBe(401)
    expect(nines.app.samples.usedBy(1).series).toBe(0)
  })

  test('writes for no other organization', async () => {
    const grace = await nines.join('grace')
    await send([one(up({ job: 'graces' }))], { token: grace })
    await send([one(up({ job: 'adas' }))])
    expect(await values()).toEqual({ adas: ['1'] })
  })
})
