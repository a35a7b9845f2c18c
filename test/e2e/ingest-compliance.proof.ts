/**
 * Requests of the receiver's part of https://github.com/prometheus/compliance (remotewrite/receiver), by the names of its tests, in
 * remote write 2.0 unless they say otherwise. What nines does not do as they expect:
 *
 * - Native histograms (`TestHistograms` and all tests with them) are refused with 400 by the name of their series, since nines does not
 *   store them, and never dropped in silence; floats of the same request are stored. `TestHistograms/bad_count_histogram` is refused as
 *   expected.
 * - Exemplars (`TestExemplars` and all tests with them) are not stored. Their requests are accepted, and
 *   `X-Prometheus-Remote-Write-Exemplars-Written: 0` says so, as the specification demands.
 * - A created timestamp is accepted, and no zero is stored at it: the specification leaves that to receivers.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../support/app.ts'
import { writeBody, writeHeaders, type WrittenSeries } from '../support/remote-write.ts'

let nines: TestApp
async function open() {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
}
const close = () => nines.close()

const now = () => nines.clock.now()
const sendBody = (body: Uint8Array, headers: Record<string, string> = writeHeaders[2]) =>
  nines.call('POST', '/api/v1/write', body, { headers })
const send = (...series: WrittenSeries[]) => sendBody(writeBody(2, series))

/** Status of an answer, and how many samples, histograms and exemplars it says were written. */
const written = ({ status, headers }: Answer) => [
  status,
  ...['samples', 'histograms', 'exemplars'].map((what) => headers.get(`x-prometheus-remote-write-${what}-written`)),
]
const stored = (samples: number): (string | number)[] => [204, String(samples), '0', '0']
const refused = (samples: number): (string | number)[] => [400, String(samples), '0', '0']

const sample = (
  labels: Record<string, string>,
  value: number | 'stale' = 1,
  more: Partial<WrittenSeries> = {},
): WrittenSeries => ({ labels, samples: [[now(), value]], ...more })
const up = (port: number) => ({ __name__: 'up', job: 'testjob', instance: `localhost:${port}` })
const unnamed = (port: number) => ({ job: 'testjob', instance: `localhost:${port}` })

describe.each<number | 'stale'>([1, 'stale', NaN, Infinity, -Infinity])('the value %p', (value) => {
  beforeAll(open)
  beforeEach(() => nines.clock.advance(1000)) // each test sends samples that are not stored yet
  afterAll(close)

  test.each<[string, Record<string, string>, (string | number)[]]>([
    ['simple metric', { __name__: 'up' }, stored(1)],
    ['simple metric with multiple labels', up(9090), stored(1)],
    ['simple metric with newlines', { ...up(9090), job: 'test\njob\n' }, stored(1)],
    ['simple metric with dots', { __name__: 'resource.cpu.usage', 'job.name': 'testjob' }, stored(1)],
    ['simple metric with spaces', { __name__: 'resource cpu usage', 'job name': 'testjob' }, stored(1)],
    ['simple metric without name label', unnamed(9090), refused(0)],
    ['empty metric', {}, refused(0)],
  ])('TestSingleMetric: %s', async (_, labels, expected) => {
    expect(written(await send(sample(labels, value)))).toEqual(expected)
  })

  test('TestMultipleMetrics', async () => {
    const all = (...labels: Record<string, string>[]) => send(...labels.map((one) => sample(one, value)))
    expect(written(await all(up(9090), up(9091), up(9092), up(9093)))).toEqual(stored(4))
    expect(written(await all(unnamed(9090), unnamed(9091), unnamed(9092), unnamed(9093)))).toEqual(refused(0))
    expect(written(await all(unnamed(9090), up(9091), up(9092), up(9093)))).toEqual(refused(3))
  })
})

describe('an own store for each:', () => {
  beforeEach(open)
  afterEach(close)

  test('TestCounterWithCreatedTimestamp, TestCounterMetadataWithCreatedTimestamp', async () => {
    const labels = { __name__: 'http_requests_total', job: 'api' }
    const created = { createdMs: now() - 3_600_000 }
    expect(written(await send(sample(labels, 100, created)))).toEqual(stored(1))
    const metadata = { type: 1, help: 'Total HTTP requests', unit: 'requests' }
    expect(written(await send(sample(labels, 150, { ...created, metadata })))).toEqual(stored(1))
  })

  describe('the request', () => {
    test.each([
      ['content-type', 'application/json'],
      ['content-type', 'image/png'],
      ['content-encoding', 'gzip'],
      ['content-encoding', 'deflate'],
    ])('TestBadContentTypes, TestBadContentEncodings: %s: %s', async (name, value) => {
      const body = Uint8Array.from([48, ...writeBody(2, [sample({ __name__: 'up' })]).subarray(1)])
      expect((await sendBody(body, { ...writeHeaders[2], [name]: value })).status).toBe(415)
    })

    test('TestCorruptRequestBody', async () => {
      const body = Uint8Array.from([48, ...writeBody(2, [sample({ __name__: 'up' })]).subarray(1)])
      expect((await sendBody(body)).status).toBe(400)
    })

    const ofVersion1 = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    test('TestRW1BasicCompatibility: version 1.0 without its header', async () => {
      const body = writeBody(1, [sample(up(9090)), sample({ __name__: 'http_requests_total' }, 100)])
      expect(written(await sendBody(body, ofVersion1))).toEqual([204, null, null, null])
    })

    test('TestRW1ErrorHandling', async () => {
      const body = Uint8Array.from([255, ...writeBody(1, [sample({ __name__: 'error_test' })]).subarray(1)])
      expect((await sendBody(body, ofVersion1)).status).toBe(400)
    })
  })

  describe('metadata', () => {
    test.each<[string, string, number, string, string]>([
      ['counter_metadata', 'counter', 1, 'Total number of HTTP requests', 'requests'],
      ['gauge_metadata', 'gauge', 2, 'Current CPU usage percentage', 'percent'],
      ['histogram_metadata, of a float', 'histogram', 3, 'Request duration in seconds', 'seconds'],
      ['gauge_histogram_metadata_type', 'gaugehistogram', 4, 'Temperature distribution gauge histogram', 'celsius'],
      ['summary_metadata_type', 'summary', 5, 'Request latency summary', 'seconds'],
      ['info_metadata_type', 'info', 6, 'Build information', ''],
      ['stateset_metadata_type', 'stateset', 7, 'Node state information', ''],
      ['unspecified_metadata_type', 'unknown', 0, 'Unknown metric type', ''],
      ['metadata_no_help_no_unit', 'counter', 1, '', ''],
      ['metadata_with_special_chars', 'gauge', 2, 'Test metric with\nnewlines and "quotes"', 'bytes/sec'],
    ])('TestMetadata: %s', async (_, type, number, help, unit) => {
      const answer = await send(sample({ __name__: 'x', job: 'test' }, 1, { metadata: { type: number, help, unit } }))
      expect(written(answer)).toEqual(stored(1))
      const { body } = await nines.call('GET', '/embedded/prometheus/api/v1/metadata')
      expect(body.data).toEqual({ x: [{ type, help, unit }] })
    })

    test('TestMultipleMetadata, TestMetadataWithSamples, TestMetadataWithComplexLabels', async () => {
      const gauge = (name: string, unit: string) =>
        sample({ __name__: name, job: 'api-server', endpoint: '/api/v1/users' }, 85.5, {
          metadata: { type: 2, help: `Usage in ${unit}`, unit },
        })
      expect(written(await send(gauge('cpu_usage', 'percent'), gauge('memory_usage', 'bytes')))).toEqual(stored(2))
      const { body } = await nines.call('GET', '/embedded/prometheus/api/v1/metadata')
      expect(Object.keys(body.data).toSorted()).toEqual(['cpu_usage', 'memory_usage'])
    })

    test.each([{ job: 'test' }, { __name__: '' }])('TestMetadataValidation: of %j', async (labels) => {
      const metadata = { type: 1, help: 'Test help', unit: 'unit' }
      expect(written(await send(sample(labels, 1, { metadata })))).toEqual(refused(0))
    })

    test('TestEdgeCaseCombinations: metadata_without_data', async () => {
      const metadata = { type: 1, help: 'Orphaned metric metadata', unit: 'count' }
      expect(written(await send({ labels: { __name__: 'orphan_metric' }, metadata }))).toEqual(stored(0))
    })
  })

  describe('exemplars', () => {
    test.each<[string, Record<string, string>]>([
      ['basic_exemplar', { trace_id: 'abc123def456' }],
      ['exemplar_with_span_id', { trace_id: 'xyz789', span_id: 'span123' }],
      ['exemplar_without_trace_id', { user_id: 'user123' }],
      ['exemplar_no_labels', {}],
      ['exemplar_with_special_chars', { trace_id: 'trace-with-dashes_and_underscores.123' }],
      ['exemplar_with_unicode', { trace_id: 'unicode_trace_测试' }],
    ])('TestExemplars: %s', async (_, exemplar) => {
      const labels = { __name__: 'http_requests_total', region: '🌍' }
      expect(written(await send(sample(labels, 1, { exemplars: [exemplar] })))).toEqual(stored(1))
    })

    test('TestMultipleExemplars, TestExemplarTimestamps, mixed_timestamp_data', async () => {
      const exemplars = [{ trace_id: 'trace' }]
      const old: WrittenSeries = { labels: { __name__: 'old' }, samples: [[now() - 3_600_000, 1]], exemplars }
      const two = sample({ __name__: 'new' }, 2, { exemplars: [...exemplars, ...exemplars] })
      expect(written(await send(old, two))).toEqual(stored(2))
    })

    test.each([{ job: 'test' }, { __name__: '' }])('TestExemplarValidation: of %j', async (labels) => {
      expect(written(await send(sample(labels, 1, { exemplars: [{ trace_id: 'x' }] })))).toEqual(refused(0))
    })

    test('TestEdgeCaseCombinations: exemplars_without_data', async () => {
      const orphan = { labels: { __name__: 'orphan_metric' }, exemplars: [{ trace_id: 'orphan_trace' }] }
      expect(written(await send(orphan))).toEqual(stored(0))
    })
  })

  test('TestManySamples, TestComplexSamplesRequest, TestMultipleMetricFamiliesSamples, TestSpecialCharactersCombined', async () => {
    const all = Array.from({ length: 50 }, (_, index) =>
      sample({ __name__: `counter_metric_${index}`, environment: 'test🚀', series: `series_${index}` }, index * 100, {
        metadata: { type: 1, help: `Counter number ${index}: äöü\nand "quotes"`, unit: 'special/units' },
        exemplars: [{ trace_id: `special_trace_äöü-${index}` }],
      }),
    )
    expect(written(await send(...all))).toEqual(stored(50))
  })

  test('TestHistograms, TestMultipleHistograms, TestManyHistograms: refused by name, and floats beside them are stored', async () => {
    const answer = await send(
      { labels: { __name__: 'test_histogram' }, histograms: 1, metadata: { type: 3, help: 'x', unit: 'seconds' } },
      sample({ __name__: 'up' }),
      { labels: { __name__: 'other_histogram' }, histograms: 1, exemplars: [{ trace_id: 'x' }] },
    )
    expect(written(answer)).toEqual(refused(1))
    expect(answer.body.details).toContain('test_histogram: native histograms are not supported')
  })
})
