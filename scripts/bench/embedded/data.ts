import { runKit } from '../../../test/support/kit.ts'

/**
 * Dataset of fifty services, each with `metric{svc="s0000",code="200"}` and `code="500"`, over the 30 days before `endMs`, as
 * OpenMetrics text.
 */
export type Dataset = {
  name: string
  metric: string
  samples: number
  write(path: string, endMs: number): Promise<void>
}

const services = 50
const days = 30
const dayMs = 86_400_000

/** Dataset that the kit generates for query benchmarks: a sample every minute, exactly on the second. */
export const kitData: Dataset = {
  name: `kit's counters, 60 s apart`,
  metric: 's_total',
  samples: services * 2 * days * 1440,
  async write(path, endMs) {
    const options = { now: endMs / 1000, days, services, out: path }
    await runKit('gen-scale.py', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]))
  },
}

const stepMs = 15_000
const steps = (days * dayMs) / stepMs

/** Dataset as scraped: timestamps vary by some milliseconds, traffic is uneven, and errors are few and in bursts. */
export const jitteredData: Dataset = {
  name: 'counters, 15 s apart with jitter',
  metric: 'http_requests_total',
  samples: services * 2 * steps,
  async write(path, endMs) {
    const writer = Bun.file(path).writer({ highWaterMark: 2 ** 20 })
    writer.write('# TYPE http_requests counter\n')
    for (let service = 0; service < services; service += 1) {
      for (const code of ['200', '500']) {
        const name = `http_requests_total{svc="s${String(service).padStart(4, '0')}",code="${code}"}`
        let value = 0
        for (let step = 0, lines = ''; step < steps; step += 1) {
          const luck = noise(step * 7 + service)
          value += code === '200' ? 100 + service + Math.floor(80 * luck) : Math.max(0, Math.floor((luck - 0.99) * 500))
          const atMs = endMs - (steps - step) * stepMs + phase(service) + Math.floor(5 * noise(step * 3 + service))
          lines += `${name} ${value} ${atMs / 1000}\n`
          if (step % 4096 < 4095 && step < steps - 1) continue
          writer.write(lines)
          lines = ''
        }
        await writer.flush()
      }
    }
    writer.write('# EOF\n')
    await writer.end()
  },
}

/** Offset of a target's scrapes within the interval. */
const phase = (target: number) => (target * 1370) % stepMs

/** Pseudo-random number in [0, 1) that depends only on the seed. */
export function noise(seed: number): number {
  const wave = Math.sin(seed * 12.9898) * 43_758.5453
  return wave - Math.floor(wave)
}
