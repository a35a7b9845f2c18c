import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attributes, metricsBody, metricsHeaders, metricsRequest, nanos } from '../../../test/support/otlp.ts'
import { writeBody, writeHeaders } from '../../../test/support/remote-write.ts'
import { register, startWatched } from '../attacks/watched-nines.ts'
import type { Figure } from '../goals.ts'
import { type Measured, send, textOf } from './send.ts'

const series = 10_000
const samplesPerBatch = 2000
const [rounds, samplesPerRound] = [4, 100_000]
const countingSinceMs = Date.now() - 3_600_000
const sending = { shards: series / samplesPerBatch, samples: samplesPerRound }

/**
 * Measures OTLP in protobuf beside remote write of the same samples into the same nines, in turns: samples a second, CPU time for
 * each, and the longest stall of the event loop. The first round, in which the series are new, is not counted.
 */
export async function benchOtlp(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const nines = await startWatched(join(dir, 'nines'), { SOURCE_URL: 'embedded' })
  try {
    const authorization = `Bearer ${await register(nines.url, 'sender')}`
    const to = (path: string, headers: Record<string, string>) => ({
      pid: nines.pid,
      url: nines.url + path,
      headers: { authorization, ...headers },
    })
    const measured: { otlp: Measured; written: Measured; stallMs: number }[] = []
    const startMs = Date.now() - 600_000
    for (let round = 0; round < rounds; round += 1) {
      const [metrics, written] = bodiesOf(startMs + round * 100_000)
      await nines.stallMs()
      const otlp = await send(to('/v1/metrics', metricsHeaders.protobuf), metrics, sending)
      const stallMs = await nines.stallMs()
      const beside = await send(to('/api/v1/write', writeHeaders[1]), written, sending)
      process.stdout.write(
        `${round === 0 ? 'new series' : `round ${round}`}: ${textOf(otlp)}, stall ${stallMs.toFixed(1)} ms; remote write ${textOf(beside)}\n`,
      )
      if (round > 0) measured.push({ otlp, written: beside, stallMs })
    }
    return [
      {
        what: 'OTLP, samples a second',
        value: Math.max(...measured.map(({ otlp }) => otlp.perSecond)),
        unit: '/s',
        goal: { atLeast: 50_000 },
      },
      {
        what: 'OTLP, CPU for a sample',
        value: Math.min(...measured.map(({ otlp }) => otlp.cpuMicros)),
        unit: 'µs',
        beside: { name: 'remote write', value: Math.min(...measured.map(({ written }) => written.cpuMicros)) },
        goal: { atMost: 4 },
      },
      {
        what: 'OTLP, longest stall',
        value: Math.max(...measured.map(({ stallMs }) => stallMs)),
        unit: 'ms',
        goal: { atMost: 50 },
      },
    ]
  } finally {
    await nines.end()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Requests of one round in both formats, each of other series: one after the other, one sample of each at every second. */
function bodiesOf(startMs: number): [metrics: Uint8Array[], written: Uint8Array[]] {
  const batches = Array.from({ length: samplesPerRound / samplesPerBatch }, (_, batch) => ({
    atMs: startMs + Math.floor((batch * samplesPerBatch) / series) * 1000,
    points: Array.from({ length: samplesPerBatch }, (__, at) => {
      const index = ((batch * samplesPerBatch) % series) + at
      return { of: labelsOf(index), value: index + batch * 7 }
    }),
  }))
  const metrics = batches.map(({ atMs, points }) => {
    const dataPoints = points.map(({ of, value }) => ({
      asDouble: value,
      timeUnixNano: nanos(atMs),
      startTimeUnixNano: nanos(countingSinceMs),
      attributes: attributes(of),
    }))
    const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints }
    return metricsBody(metricsRequest([{ name: 'http.server.requests', sum }]), 'protobuf')
  })
  const written = batches.map(({ atMs, points }) =>
    writeBody(
      1,
      points.map(({ of, value }) => ({
        labels: { __name__: 'written_requests_total', job: 'shop', ...of },
        samples: [[atMs, value] as [number, number]],
      })),
    ),
  )
  return [metrics, written]
}

function labelsOf(index: number): Record<string, string> {
  return {
    code: String(200 + (index % 5)),
    handler: `/api/v1/things/${index % 50}`,
    le: String(index % 12),
    pod: `shop-7f8d9c-${index}`,
    zone: `10.0.${index % 7}.${index % 200}:9090`,
  }
}
