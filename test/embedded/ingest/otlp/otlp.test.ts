import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { addUser } from '../../../support/accounts.ts'
import {
  attributes,
  exampleMetrics,
  metricsBody,
  metricsHeaders,
  metricsRequest,
  nanos,
  statusText,
  sum,
} from '../../../support/otlp.ts'
import {
  begin,
  end,
  formats,
  gauge,
  nines,
  now,
  path,
  send,
  sendBody,
  sendMetrics,
  values,
} from '../../../support/otlp-nines.ts'
import { rulesOf } from '../../../support/rules-of.ts'

beforeEach(() => begin())
afterEach(end)

describe.each(formats)('OTLP in %p', (format) => {
  test.each([
    path,
    '/api/v1/otlp/v1/metrics',
    '/embedded/prometheus/api/v1/otlp/v1/metrics',
    '/api/v1/embedded/prometheus/api/v1/otlp/v1/metrics',
  ])('stores the example of opentelemetry-proto sent to %s', async (to) => {
    const answer = await send(exampleMetrics(nanos(now())), { format, to })
    expect([answer.status, answer.text]).toEqual([200, format === 'json' ? '{}' : ''])
    expect(answer.headers.get('content-type')).toStartWith(metricsHeaders[format]['content-type'])
    expect(await values('{job="my.service"}')).toEqual({
      'my_counter_total{"job":"my.service","my_counter_attr":"some value"}': ['0', '5'],
      'my_gauge_ratio{"job":"my.service","my_gauge_attr":"some value"}': ['10'],
      'my_histogram_bucket{"job":"my.service","le":"+Inf","my_histogram_attr":"some value"}': ['0', '3'],
      'my_histogram_bucket{"job":"my.service","le":"1","my_histogram_attr":"some value"}': ['0', '1'],
      'my_histogram_count{"job":"my.service","my_histogram_attr":"some value"}': ['0', '3'],
      'my_histogram_sum{"job":"my.service","my_histogram_attr":"some value"}': ['0', '3'],
    })
  })

  test('says of points that are refused how many and why, in its own format', async () => {
    const { status, text, headers } = await send(exampleMetrics(), { format })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toStartWith(metricsHeaders[format]['content-type'])
    const why = 'older than the samples that are kept (SAMPLES_RETENTION_DAYS)'
    expect(text).toContain(`my_counter_total{`)
    expect(text).toContain(why)
    if (format === 'json') expect(JSON.parse(text).partialSuccess.rejectedDataPoints).toBe('3')
    else expect(text).toContain('\b\x03\x12') // rejected_data_points: 3, and the beginning of error_message
    expect(await values('{job="my.service"}')).toEqual({})
  })

  test('is taken compressed by gzip, within its bounds', async () => {
    const body = gzipSync(metricsBody(metricsRequest([gauge({})]), format))
    expect((await sendBody(body, { format, headers: { 'content-encoding': 'gzip' } })).status).toBe(200)
    const bomb = gzipSync(Buffer.alloc(40_000_000, ' '))
    const answer = await sendBody(bomb, { format, headers: { 'content-encoding': 'gzip' } })
    const messageOf = ({ text }: { text: string }) =>
      format === 'json' ? JSON.parse(text).message : statusText(text, 3)
    expect([answer.status, messageOf(answer)]).toEqual([
      413,
      'Request body too large: body: must be at most 33554432 bytes uncompressed (INGEST_DECODED_LIMIT)',
    ])
    const cut = await sendBody(body.subarray(0, -9), { format, headers: { 'content-encoding': 'gzip' } })
    expect([cut.status, messageOf(cut)]).toEqual([400, 'Invalid OTLP metrics: body: must be compressed by gzip'])
    expect((await sendBody(body, { format, headers: { 'content-encoding': 'deflate' } })).status).toBe(415)
  })

  test('takes a large request', async () => {
    const points = Array.from({ length: 2000 }, (_, index) => ({
      asInt: String(index),
      timeUnixNano: nanos(now() - index),
      attributes: attributes({ pad: 'x'.repeat(200), series: String(index % 50) }),
    }))
    const answer = await send(metricsRequest([{ name: 'g', gauge: { dataPoints: points } }]), { format })
    expect([answer.status, answer.text]).toEqual([200, format === 'json' ? '{}' : ''])
    expect(Object.values(await values('g')).flat()).toHaveLength(2000)
  })

  test('an empty request has nothing to store', async () => {
    expect((await send({}, { format })).status).toBe(200)
    expect(
      (await send({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'x' }] }] }] }, { format })).status,
    ).toBe(200)
  })
})

describe('the body', () => {
  test.each([
    ['{', 'body: must be well-formed JSON in UTF-8'],
    ['[]', 'body: it must be an object'],
    ['{"resourceMetrics":{}}', 'body: resourceMetrics must be an array'],
    [
      '{"resourceMetrics":[{"resource":{"attributes":[{"key":1}]}}]}',
      'body: resourceMetrics[0].resource.attributes[0].key must be a text',
    ],
    [
      '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA"}}]}]}]}',
      'body: resourceMetrics[0].scopeMetrics[0].metrics[0].sum.aggregationTemporality must be a whole number',
    ],
  ])('%s is refused with a reason', async (text, details) => {
    const { status, body } = await sendBody(Buffer.from(text))
    expect([status, body.error, rulesOf(body)]).toEqual([400, 'Invalid OTLP metrics', details])
    expect(body).toMatchObject({ code: 3, message: `Invalid OTLP metrics: ${details}` })
  })

  test.each([
    ['text', Buffer.from('no protobuf at all')],
    ['of groups', Buffer.from([11, 12])],
    ['with a field 0', Buffer.from([0, 0])],
    ['whose message is a number', Buffer.from([8, 1])],
  ])('%s is no protobuf', async (_, body) => {
    const answer = await sendBody(body, { format: 'protobuf' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/x-protobuf'])
    expect(statusText(answer.text, 3)).toStartWith('Invalid OTLP metrics: ')
  })

  test('that is cut is refused, and nothing of it is stored', async () => {
    const body = metricsBody(exampleMetrics(nanos(now())), 'protobuf').subarray(0, -1)
    expect((await sendBody(body, { format: 'protobuf' })).status).toBe(400)
    expect(nines.app.samples.usedBy(1).series).toBe(0)
  })

  test('of too many points is refused', async () => {
    const metric = (points: number) => {
      const numbers = Buffer.concat([
        Buffer.from([42, ...length(2 * points)]),
        Buffer.alloc(2 * points, Buffer.from([10, 0])),
      ])
      const scope = Buffer.concat([Buffer.from([18, ...length(numbers.length)]), numbers])
      const resource = Buffer.concat([Buffer.from([18, ...length(scope.length)]), scope])
      return Buffer.concat([Buffer.from([10, ...length(resource.length)]), resource])
    }
    expect((await sendBody(metric(500_001), { format: 'protobuf' })).status).toBe(413)
    expect((await sendBody(metric(10), { format: 'protobuf' })).status).toBe(200)
  })

  test.each([
    ['text/plain', 415],
    ['application/x-protobuf; charset=utf-8', 200],
    ['Application/JSON', 400],
  ])('of the type %s is answered with %p', async (type, status) => {
    expect((await sendBody(new Uint8Array(0), { headers: { 'content-type': type } })).status).toBe(status)
  })
})

const length = (bytes: number) => [
  (bytes % 128) | 128,
  (Math.floor(bytes / 128) % 128) | 128,
  Math.floor(bytes / 16_384) | 128,
  0,
]

describe('labels', () => {
  test('of a resource are job, instance, those that are promoted, and its target_info', async () => {
    const resource = {
      'service.name': 'shop',
      'service.namespace': 'eu',
      'service.instance.id': 'i-1',
      'deployment.environment': 'prod',
      'host.name': 'h',
    }
    await sendMetrics([gauge({ attributes: attributes({ 'a.b': '1', job: 'mine', 'k8s.pod': 'p' }) })], resource)
    expect(Object.keys(await values('{job="eu/shop"}')).toSorted()).toEqual([
      'g{"a_b":"1","deployment_environment":"prod","instance":"i-1","job":"eu/shop","k8s_pod":"p"}',
      'target_info{"deployment_environment":"prod","host_name":"h","instance":"i-1","job":"eu/shop"}',
    ])
  })

  test('are texts of values of any type', async () => {
    const of = {
      s: { stringValue: 'é' },
      b: { boolValue: true },
      i: { intValue: '-12' },
      d: { doubleValue: 0.5 },
      y: { bytesValue: 'AQI=' },
      a: { arrayValue: { values: [{ intValue: 1 }, { stringValue: 'x' }] } },
      k: {
        kvlistValue: {
          values: [
            { key: 'z', value: { boolValue: false } },
            { key: 'a', value: {} },
          ],
        },
      },
    }
    const all = Object.entries(of).map(([key, value]) => ({ key, value }))
    expect((await sendMetrics([gauge({ attributes: all })], {})).body).toEqual({})
    const expected = { a: '[1,"x"]', b: 'true', d: '0.5', i: '-12', k: '{"a":null,"z":false}', s: 'é', y: 'AQI=' }
    expect(Object.keys(await values('g'))).toEqual([`g${JSON.stringify(expected)}`])
  })
})

describe('points', () => {
  test.each([
    [
      'an exponential histogram',
      { exponentialHistogram: { dataPoints: [{}, {}] } },
      2,
      'x: exponential histograms are not supported (2 points)',
    ],
    [
      'no temporality',
      { sum: { dataPoints: [{ asInt: 1 }] } },
      1,
      'x: its aggregationTemporality must be 1 (delta) or 2 (cumulative)',
    ],
    ['no value', { gauge: { dataPoints: [{}] } }, 1, 'x: a point must have asDouble or asInt'],
    [
      'no time',
      { gauge: { dataPoints: [{ asInt: 1 }] } },
      1,
      'x{job="shop"}: older than the samples that are kept (SAMPLES_RETENTION_DAYS)',
    ],
  ])('with %s are refused one by one, and the others are kept', async (_, metric, count, why) => {
    const { status, body } = await sendMetrics([gauge({}), { name: 'x', ...metric }])
    expect([status, body.partialSuccess]).toEqual([200, { rejectedDataPoints: String(count), errorMessage: why }])
    expect(await values('g')).toEqual({ 'g{"job":"shop"}': ['1'] })
  })

  test('of a histogram beyond the quota count once', async () => {
    const bounds = Array.from({ length: 450 }, (_, index) => index)
    const point = { count: 450, bucketCounts: [0, ...bounds], explicitBounds: bounds, timeUnixNano: nanos(now()) }
    const { body } = await sendMetrics([{ name: 'h', histogram: { aggregationTemporality: 2, dataPoints: [point] } }])
    expect(body.partialSuccess.rejectedDataPoints).toBe('1')
    expect(body.partialSuccess.errorMessage).toContain('at most 400 series')
  })

  test('of a summary are its quantiles, sum and count', async () => {
    const point = {
      count: 4,
      sum: 2.5,
      timeUnixNano: nanos(now()),
      quantileValues: [
        { quantile: 0.5, value: 1 },
        { quantile: 1, value: 2 },
      ],
    }
    await sendMetrics([{ name: 's', unit: 'ms', summary: { dataPoints: [point] } }])
    expect(await values('{__name__=~"s_.*"}')).toEqual({
      's_milliseconds{"job":"shop","quantile":"0.5"}': ['1'],
      's_milliseconds{"job":"shop","quantile":"1"}': ['2'],
      's_milliseconds_count{"job":"shop"}': ['4'],
      's_milliseconds_sum{"job":"shop"}': ['2.5'],
    })
  })

  test('without a recorded value end their series', async () => {
    await sendMetrics([gauge({ timeUnixNano: nanos(now() - 1000) })])
    await sendMetrics([gauge({ flags: 1, asDouble: undefined })])
    const { body } = await nines.call('GET', `/embedded/prometheus/api/v1/query?query=g&time=${now() / 1000}`)
    expect(body.data.result).toEqual([])
    expect(await values('g')).toEqual({ 'g{"job":"shop"}': ['1'] })
  })

  test('say what they are by their metadata', async () => {
    await sendMetrics([gauge({}, { description: 'A gauge.', unit: 'By' }), sum('c', [[now(), 1]])])
    const { body } = await nines.call('GET', '/embedded/prometheus/api/v1/metadata')
    expect(body.data).toEqual({
      c_total: [{ type: 'counter', help: '', unit: '' }],
      g_bytes: [{ type: 'gauge', help: 'A gauge.', unit: 'By' }],
    })
  })
})

describe('who may send', () => {
  const newToken = async (body: object) =>
    (await nines.call('POST', '/api/v1/auth/tokens', { name: 'sdk', ...body })).body.token as string

  test('is an administrator, or a token with the scope ingest, also as a password', async () => {
    const scoped = await newToken({ role: 'admin', scope: 'ingest' })
    const basic = { headers: { authorization: `Basic ${Buffer.from(`sdk:${scoped}`).toString('base64')}` } }
    expect((await send(metricsRequest([gauge({})]), { token: scoped })).status).toBe(200)
    expect((await send(metricsRequest([gauge({})]), { token: null, ...basic })).status).toBe(200)
    const { body } = await nines.call('GET', '/api/v1/embedded/senders')
    expect(body.senders[0]).toMatchObject({
      protocol: 'otlp',
      sends_as: 'sdk',
      samples: 2,
      series: 1,
      refused_requests: 0,
    })
  })

  test('is nobody else, and the sender is listed with the reason', async () => {
    const refused = [await newToken({ role: 'member', scope: 'ingest' }), await addUser(nines, 'bob', 'member')]
    for (const token of refused) expect((await send(metricsRequest([gauge({})]), { token })).status).toBe(403)
    expect((await send(metricsRequest([gauge({})]), { token: null })).status).toBe(401)
    expect(nines.app.samples.usedBy(1).series).toBe(0)
    const { body } = await nines.call('GET', '/api/v1/embedded/senders')
    expect(body.senders[0]).toMatchObject({ protocol: 'otlp', refused_requests: 1 })
  })

  test('within a limit of its own, beyond which it is told with 503 when it may send again', async () => {
    await end()
    await begin({ INGEST_RATE_LIMIT: '1', RATE_LIMIT_PER_IP: '1' })
    const found = [await send({}), await send({})]
    expect(found.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [200, null],
      [503, '60'],
    ])
    expect((await send({})).body).toMatchObject({ code: 14, message: expect.any(String) })
    const inProtobuf = await send({}, { format: 'protobuf' })
    expect([inProtobuf.status, inProtobuf.headers.get('retry-after')]).toEqual([503, '60'])
    expect(statusText(inProtobuf.text, 14)).not.toBe('')
    expect((await nines.call('GET', '/api/v1/slos')).status).toBe(200)
  })
})
