import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { eventually } from '../attacks/world.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'
import { metricsBody, metricsHeaders, metricsRequest, nanos, sum } from '../support/otlp.ts'
import { seeded } from '../support/seeded.ts'
import { countSentRequests } from '../support/sent-shop.ts'

/** Starts a VictoriaMetrics that names what comes by OTLP as Prometheus does, and gives its URL. Debian's Prometheus has no OTLP. */
async function startReceiver(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-otlp-'))
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = free
  await free.stop(true)
  const naming = ['usePrometheusNaming', 'promoteAllResourceAttributes=false', 'promoteScopeMetadata=false']
  const flags = [
    `-httpListenAddr=127.0.0.1:${port}`,
    '-search.latencyOffset=0s',
    `-storageDataPath=${join(dir, 'data')}`,
  ]
  const options = [...flags, ...naming.map((flag) => `-opentelemetry.${flag}`), '-loggerLevel=ERROR']
  const child = Bun.spawn([newer.victoria, ...options], { stdout: 'ignore', stderr: 'inherit' })
  closeLater(async () => {
    child.kill('SIGKILL')
    await child.exited
  })
  const url = `http://127.0.0.1:${port}`
  const ready = () => fetch(`${url}/health`).catch(() => undefined)
  return eventually(20, async () => ((await ready())?.ok ? url : undefined))
}

const units = [
  '',
  '1',
  's',
  'ms',
  'By',
  'By/s',
  '{request}',
  '{request}/s',
  '1/m',
  'm/s',
  '%',
  'Cel',
  'KiBy/h',
  'foo',
  ' s ',
  '/',
  's/',
  '/s',
  'm/{x}',
  'km/mo',
  'By/y',
]
const names = [
  'http.server.duration',
  'requests.total',
  'total',
  'a__b',

  'in_seconds',
  'ratio.used',
  '.x.',
  'per.second',
  'bytes_per_second',
  'CamelCase',
  'A-total-b',
]

/** Each unit and name in each kind of metric. */
function manyMetrics(nowMs: number): object {
  const time = { timeUnixNano: nanos(nowMs), startTimeUnixNano: nanos(nowMs - 60_000) }
  const bounds = { bucketCounts: ['1', '2', '3', '1', '1', '1'], explicitBounds: [-0.5, 0.0000001, 1, 2.5, 1e21] }
  const quantileValues = [0, 0.99, 1].map((quantile) => ({ quantile, value: 1 + quantile }))
  const ofUnits = units.map((unit, index) => ({ name: `u${index}.x`, unit }))
  const named = [...ofUnits, ...names.map((name) => ({ name, unit: 's' }))]
  return metricsRequest(
    [
      ...named.map((one) => ({ ...one, name: `g.${one.name}`, gauge: { dataPoints: [{ ...time, asDouble: 1.5 }] } })),
      ...names.map((name) => ({ name, unit: '1', gauge: { dataPoints: [{ ...time, asInt: '-3' }] } })),
      ...named.map(({ name, unit }) => sum(`c.${name}`, [[nowMs, 3]], { unit })),
      ...named.slice(2).map(({ name, unit }) => sum(`d.${name}`, [[nowMs, 3]], { unit, isMonotonic: false })),
      ...named.map((one) => ({
        ...one,
        name: `h.${one.name}`,
        histogram: { aggregationTemporality: 2, dataPoints: [{ ...time, count: '9', sum: 2.5, ...bounds }] },
      })),
      { name: 'q', unit: 's', summary: { dataPoints: [{ ...time, count: '9', sum: 3, quantileValues }] } },
    ],
    {},
  )
}

type Found = { metric: Record<string, string>; value: [number, string] }
const sortedTexts = (found: Found[]) =>
  found.map(({ metric, value }) => `${JSON.stringify(Object.entries(metric).toSorted())} ${value[1]}`).toSorted()

/** Value of an instant query of the embedded source. */
async function ask(nines: TestApp, query: string): Promise<Found[]> {
  const path = `/embedded/prometheus/api/v1/query?query=${encodeURIComponent(query)}&time=${nines.clock.now() / 1000}`
  return (await nines.call('GET', path)).body.data.result
}

async function startNines(): Promise<TestApp> {
  const nines = await testApp({ env: { SOURCE_URL: 'embedded' }, startMs: Date.now() })
  closeLater(nines.close)
  await nines.join('ada')
  return nines
}

describeOnNewer('OTLP of nines and of a VictoriaMetrics', () => {
  afterAll(closeAll)

  test('make the same series of the same metrics', async () => {
    const nines = await startNines()
    const victoria = await startReceiver()
    const body = metricsBody(manyMetrics(nines.clock.now()), 'protobuf')
    const headers = metricsHeaders.protobuf
    const theirs = await fetch(`${victoria}/opentelemetry/v1/metrics`, { method: 'POST', headers, body })
    expect([theirs.status, await theirs.text()]).toEqual([200, ''])
    const ours = await nines.call('POST', '/v1/metrics', body, { headers })
    expect([ours.status, ours.text]).toEqual([200, ''])
    await fetch(`${victoria}/internal/force_flush`)
    const query = `query=${encodeURIComponent('{__name__=~".+"}')}&time=${nines.clock.now() / 1000}`
    const answer = await fetch(`${victoria}/api/v1/query?${query}`)
    const expected = sortedTexts(((await answer.json()) as { data: { result: Found[] } }).data.result)
    expect(expected.length).toBeGreaterThan(300)
    expect(sortedTexts(await ask(nines, '{__name__=~".+"}'))).toEqual(expected)
  })
})

const exporters = { JSON: JsonExporter, protobuf: ProtobufExporter } as const
const temporalities = { cumulative: AggregationTemporality.CUMULATIVE, delta: AggregationTemporality.DELTA } as const
const steps = 28
const stepMs = 15_000

describe('an OpenTelemetry SDK', () => {
  afterAll(closeAll)

  test.each([
    ['JSON', 'cumulative'],
    ['JSON', 'delta'],
    ['protobuf', 'cumulative'],
    ['protobuf', 'delta'],
  ] as const)(
    'that exports %s, %s, feeds an SLO whose events are those that were counted',
    async (format, temporality) => {
      const nines = await startNines()
      const agent = { name: 'sdk', role: 'admin', scope: 'ingest' }
      const { token } = (await nines.call('POST', '/api/v1/auth/tokens', agent)).body
      const exporter = new exporters[format]({
        url: `${nines.listen()}/v1/metrics`,
        headers: { authorization: `Bearer ${token}` },
        temporalityPreference: temporalities[temporality],
      })
      const startMs = Math.ceil(Date.now() / 60_000) * 60_000
      const nowMs = spyOn(Date, 'now').mockImplementation(() => nines.clock.now())
      closeLater(async () => nowMs.mockRestore())
      nines.clock.jump(startMs - nines.clock.now())
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
      const provider = new MeterProvider({
        readers: [reader],
        resource: resourceFromAttributes({ 'service.name': 'shop' }),
      })
      const counter = provider.getMeter('shop').createCounter('http.requests', { unit: '{request}' })
      const random = seeded(31)
      let [good, total] = [0, 0]
      for (let step = 0; step <= steps; step += 1) {
        for (const code of ['200', '500']) {
          const isQuiet = step > steps - 4 || (code === '500' && random() < 0.5) // errors are not in every export
          const more = isQuiet ? 0 : Math.floor(random() * (code === '200' ? 1000 : 20))
          if (more > 0) counter.add(more, { code })
          total += more
          if (code === '200') good += more
        }
        nines.clock.jump(stepMs)
        await provider.forceFlush()
      }
      nowMs.mockRestore()
      const { body: list } = await nines.call('GET', '/api/v1/embedded/senders')
      expect(list.senders).toMatchObject([{ protocol: 'otlp', sends_as: 'sdk', refused_requests: 0 }])
      expect(await countSentRequests(nines)).toEqual({ good, total })
      await provider.shutdown()
    },
  )
})
