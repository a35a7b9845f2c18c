import { encodeJson } from '../../src/embedded/ingest/otlp/encode-json.ts'

/** Attributes as in JSON. */
export const attributes = (of: Record<string, string>) =>
  Object.entries(of).map(([key, stringValue]) => ({ key, value: { stringValue } }))

/** Nanoseconds of a time in milliseconds, as JSON has them. */
export const nanos = (ms: number) => `${ms}000000`

type Temporality = 'delta' | 'cumulative'
const temporalities = { delta: 1, cumulative: 2 }

/** A sum with one point for each `[time, value]`. */
export function sum(name: string, points: [atMs: number, value: number][], more: SumOptions = {}): object {
  const { temporality = 'cumulative', startMs = 0, isMonotonic = true, of = {}, unit = '' } = more
  return {
    name,
    unit,
    sum: {
      aggregationTemporality: temporalities[temporality],
      isMonotonic,
      dataPoints: points.map(([atMs, asDouble]) => ({
        asDouble,
        timeUnixNano: nanos(atMs),
        startTimeUnixNano: nanos(startMs),
        attributes: attributes(of),
      })),
    },
  }
}
type SumOptions = {
  temporality?: Temporality
  startMs?: number
  isMonotonic?: boolean
  of?: Record<string, string>
  unit?: string
}

/** A request of metrics of one resource, as JSON. */
export const metricsRequest = (metrics: object[], resource: Record<string, string> = { 'service.name': 'shop' }) => ({
  resourceMetrics: [{ resource: { attributes: attributes(resource) }, scopeMetrics: [{ metrics }] }],
})

/** Body of a request in a format. */
export function metricsBody(request: object, format: 'json' | 'protobuf'): Uint8Array {
  const json = Buffer.from(JSON.stringify(request))
  return format === 'json' ? json : encodeJson(json, 2 ** 27)
}

/** Headers of a request in a format. */
export const metricsHeaders = {
  json: { 'content-type': 'application/json' },
  protobuf: { 'content-type': 'application/x-protobuf' },
} as const

/** `examples/metrics.json` of opentelemetry-proto, at a time in nanoseconds. */
export function exampleMetrics(timeUnixNano: number | string = 1544712660300000000): object {
  const point = (of: string) => ({ timeUnixNano, attributes: attributes({ [of]: 'some value' }) })
  const startTimeUnixNano = timeUnixNano
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributes({ 'service.name': 'my.service' }) },
        scopeMetrics: [
          {
            scope: {
              name: 'my.library',
              version: '1.0.0',
              attributes: attributes({ 'my.scope.attribute': 'some scope attribute' }),
            },
            metrics: [
              {
                name: 'my.counter',
                unit: '1',
                description: 'I`m a Counter',
                sum: {
                  aggregationTemporality: 1,
                  isMonotonic: true,
                  dataPoints: [{ asDouble: 5, startTimeUnixNano, ...point('my.counter.attr') }],
                },
              },
              {
                name: 'my.gauge',
                unit: '1',
                description: 'I`m a Gauge',
                gauge: { dataPoints: [{ asDouble: 10, ...point('my.gauge.attr') }] },
              },
              {
                name: 'my.histogram',
                unit: '1',
                description: 'I`m a Histogram',
                histogram: {
                  aggregationTemporality: 1,
                  dataPoints: [
                    {
                      startTimeUnixNano,
                      count: 3,
                      sum: 3,
                      bucketCounts: [1, 1, 1],
                      explicitBounds: [1],
                      min: 1,
                      max: 1,
                      ...point('my.histogram.attr'),
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  }
}

/** Message of an answer in protobuf that is a `google.rpc.Status` with this code. */
export function statusText(text: string, code: number): string {
  const bytes = Buffer.from(text)
  if (bytes[0] !== 8 || bytes[1] !== code || bytes[2] !== 18) throw new Error(`no Status ${code}: ${text}`)
  return bytes.subarray((bytes[3] ?? 0) < 128 ? 4 : 5).toString()
}
