import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, runKit } from '../../../test/support/kit.ts'
import { newer } from '../../../test/support/newer-components.ts'
import { writeBody, writeHeaders } from '../../../test/support/remote-write.ts'
import { register, startWatched } from '../attacks/watched-nines.ts'
import type { Figure } from '../goals.ts'
import { type Measured, type Receiver, send, textOf } from './send.ts'

const series = 10_000
const samplesPerBatch = 2000 // as a Prometheus sends
const [rounds, samplesPerRound] = [4, 100_000]
const sending = { shards: series / samplesPerBatch, samples: samplesPerRound }

/**
 * Measures remote write into nines beside a Prometheus 3.5 that receives the same requests, in turns: samples a second, CPU time for
 * each, and the longest stall of the event loop. The first round, in which the series are new, is not counted.
 */
export async function benchIngest(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const stop = cleanUpAtTheEnd(join(dir, 'prometheus'))
  const nines = await startWatched(join(dir, 'nines'), { SOURCE_URL: 'embedded' })
  try {
    const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), '--bin', newer.prometheus)
    const prometheus = JSON.parse(started) as { url: string; pid: number }
    const token = await register(nines.url, 'sender')
    const receiver = ({ url, pid }: { url: string; pid: number }, headers: Record<string, string>): Receiver => ({
      url: `${url}/api/v1/write`,
      pid,
      headers: { ...writeHeaders[1], ...headers },
    })
    const measured: { own: Measured; other: Measured }[] = []
    let stallMs = 0
    const startMs = Date.now() - 600_000
    for (let round = 0; round < rounds; round += 1) {
      const bodies = bodiesOf(startMs + round * 100_000)
      await nines.stallMs()
      const ofNines = await send(receiver(nines, { authorization: `Bearer ${token}` }), bodies, sending)
      const stall = await nines.stallMs()
      const other = await send(receiver(prometheus, {}), bodies, sending)
      process.stdout.write(
        `${round === 0 ? 'new series' : `round ${round}`}: ${textOf(ofNines)}, stall ${stall.toFixed(1)} ms; Prometheus ${textOf(other)}\n`,
      )
      if (round === 0) continue
      measured.push({ own: ofNines, other })
      stallMs = Math.max(stallMs, stall)
    }
    const best = (of: (one: (typeof measured)[number]) => number, pick: typeof Math.max) => pick(...measured.map(of))
    return [
      {
        what: 'remote write, samples a second',
        value: best(({ own: { perSecond } }) => perSecond, Math.max),
        unit: '/s',
        goal: { atLeast: 100_000 },
      },
      {
        what: 'remote write, CPU for a sample',
        value: best(({ own: { cpuMicros } }) => cpuMicros, Math.min),
        unit: 'µs',
        beside: { name: 'Prometheus', value: best(({ other }) => other.cpuMicros, Math.min) },
        goal: { atMost: 1.5 },
      },
      { what: 'remote write, longest stall', value: stallMs, unit: 'ms', goal: { atMost: 50 } },
    ]
  } finally {
    await nines.end()
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Requests of one round: the series one after the other, one sample of each at every second. */
function bodiesOf(startMs: number): Uint8Array[] {
  return Array.from({ length: samplesPerRound / samplesPerBatch }, (_, batch) => {
    const first = (batch * samplesPerBatch) % series
    const atMs = startMs + Math.floor((batch * samplesPerBatch) / series) * 1000
    const one = (index: number) => ({
      labels: {
        __name__: 'http_request_duration_seconds_bucket',
        code: String(200 + (index % 5)),
        handler: `/api/v1/things/${index % 50}`,
        instance: `10.0.${index % 7}.${index % 200}:9090`,
        job: 'shop',
        le: String(index % 12),
        pod: `shop-7f8d9c-${index}`,
      },
      samples: [[atMs, index + batch * 7] as [number, number]],
    })
    return writeBody(
      1,
      Array.from({ length: samplesPerBatch }, (__, at) => one(first + at)),
    )
  })
}
