import { gzipSync } from 'node:zlib'
import { encodeJson } from '../../../src/embedded/ingest/otlp/encode-json.ts'
import { exampleMetrics, metricsBody, metricsHeaders } from '../../../test/support/otlp.ts'
import {
  encodeVersion1,
  encodeVersion2,
  snappyLiteral,
  writeBody,
  writeHeaders,
} from '../../../test/support/remote-write.ts'
import { seeded } from '../../../test/support/seeded.ts'

const atOnce = 50

/** A hostile body: random, cut, or with bytes replaced, before or after the compression. */
function hostileBody(version: 1 | 2, random: () => number): Uint8Array {
  const below = (max: number) => Math.floor(random() * max)
  const series = Array.from({ length: 1 + below(4) }, (_, index) => ({
    labels: { __name__: `m${below(3)}`, job: 'x'.repeat(below(5)), index: String(index) },
    samples: [[Date.now() - below(100_000), random()] as [number, number]],
    histograms: below(8) === 0 ? 1 : 0,
  }))
  const spoil = (bytes: Uint8Array) => {
    const spoilt = Uint8Array.from(bytes)
    for (let times = below(4); times > 0; times -= 1) spoilt[below(spoilt.length)] = below(256)
    return below(3) === 0 ? spoilt.subarray(0, below(spoilt.length)) : spoilt
  }
  const encode = version === 1 ? encodeVersion1 : encodeVersion2
  switch (below(5)) {
    case 0:
      return Uint8Array.from({ length: below(200) }, () => below(256))
    case 1:
      return spoil(writeBody(version, series))
    case 2:
      return Uint8Array.from([0xff, 0xff, 0xff, below(16), ...writeBody(version, series)]) // says to be megabytes
    case 3: // few bytes that say to be many fields
      return snappyLiteral(
        Buffer.alloc(2 + 2 * below(20_000), Buffer.from([[10, 34, 42, 26][below(4)] ?? 0, below(3)])),
      )
    default:
      return snappyLiteral(Buffer.from(spoil(encode(series))))
  }
}

/** A hostile body of OTLP: random, cut, or with bytes replaced, before or after the compression. */
function hostileMetrics(format: 'json' | 'protobuf', random: () => number): { body: Uint8Array; isGzip: boolean } {
  const below = (max: number) => Math.floor(random() * max)
  const values = () => [1, -1, '7', 'x', null, {}, [], true, 2 ** 70, '-9'.repeat(below(30)), ['a'], { values: [{}] }]
  const anyValue = () => values()[below(12)]
  const body = JSON.stringify(exampleMetrics(`${Date.now()}000000`), (name, value) => {
    const isKept = name === '' || random() > 0.03
    return isKept ? (name === 'value' && random() < 0.1 ? { [`k${below(9)}`]: anyValue() } : value) : anyValue()
  })
  const message = format === 'json' ? Buffer.from(body) : encodeOrDefault(body)
  const isGzip = below(4) === 0
  const spoil = (bytes: Uint8Array) => {
    const spoilt = Uint8Array.from(bytes)
    for (let times = below(4); times > 0; times -= 1) spoilt[below(spoilt.length)] = below(256)
    return below(3) === 0 ? spoilt.subarray(0, below(spoilt.length)) : spoilt
  }
  const pick = below(5)
  if (pick === 0) return { body: Uint8Array.from({ length: below(200) }, () => below(256)), isGzip }
  if (pick === 1) return { body: isGzip ? gzipSync(message) : message, isGzip }
  if (pick === 2) {
    const deep =
      format === 'json' ? '[{"a":'.repeat(below(5000)) : Buffer.alloc(2 * below(20_000), Buffer.from([10, 18]))
    return { body: isGzip ? gzipSync(deep) : Buffer.from(deep), isGzip }
  }
  if (pick === 3) return { body: spoil(isGzip ? gzipSync(message) : message), isGzip }
  return { body: isGzip ? gzipSync(spoil(message)) : spoil(message), isGzip }
}

/** A JSON request as protobuf; the example as it is if that is not possible. */
function encodeOrDefault(json: string): Uint8Array {
  try {
    return encodeJson(Buffer.from(json), 2 ** 20)
  } catch {
    return metricsBody(exampleMetrics(`${Date.now()}000000`), 'protobuf')
  }
}

type Hostile = { path: string; headers: Record<string, string>; body: Uint8Array }
const remoteWrites = (version: 1 | 2) => (random: () => number) => {
  return { path: '/api/v1/write', headers: writeHeaders[version], body: hostileBody(version, random) }
}
const metrics = (format: 'json' | 'protobuf') => (random: () => number) => {
  const { body, isGzip } = hostileMetrics(format, random)
  const headers = { ...metricsHeaders[format], ...(isGzip && { 'content-encoding': 'gzip' }) }
  return { path: '/v1/metrics', headers, body }
}

const formats = {
  'remote write 1.0': remoteWrites(1),
  'remote write 2.0': remoteWrites(2),
  'OTLP in JSON': metrics('json'),
  'OTLP in protobuf': metrics('protobuf'),
} satisfies Record<string, (random: () => number) => Hostile>

export type HostileFormat = keyof typeof formats

/**
 * Sends as many hostile bodies as each message says, fifty at a time, and replies with the statuses of the answers. Arguments: URL of
 * nines, token, format, seed. A process of its own, so that the heap of a test run does not slow it down.
 */
if (import.meta.main) {
  const [url = '', token = '', format = '', seed = ''] = process.argv.slice(2)
  const hostile = formats[format as HostileFormat]
  const random = seeded(Number(seed))
  const send = async () => {
    const { path, headers, body } = hostile(random)
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      body,
    })
    await answer.arrayBuffer()
    return answer.status
  }
  process.on('message', (count: number) => {
    void (async () => {
      const statuses = new Set<number>()
      for (let sent = 0; sent < count; sent += atOnce)
        for (const status of await Promise.all(Array.from({ length: atOnce }, send))) statuses.add(status)
      process.send?.([...statuses])
    })()
  })
}
