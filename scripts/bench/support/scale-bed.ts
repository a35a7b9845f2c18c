import { runKit } from '../../../test/support/kit.ts'
import { type Bed, startBed } from './bed.ts'

/**
 * Real Prometheus with two counters for each of `services` (`s_total{svc="s0001",code="200"}`), which end at `now` (Unix
 * seconds).
 */
export type ScaleBed = Bed & { services: number }

const size = { services: 500, days: 31 } // 45 million samples

/**
 * Starts Prometheus. Its data are generated once, in the folder that NINES_SCALE_BED names: that takes two minutes, 2.2 GB of
 * disk and 2.5 GB of memory; 70 MB of disk remain in use.
 */
export function startScaleBed(): Promise<ScaleBed> {
  return startBed({
    folder: ['NINES_SCALE_BED', 'nines-scale-bed'],
    async write(out, now) {
      const options = Object.entries({ now, ...size, out })
      await runKit('gen-scale.py', ...options.flatMap(([name, value]) => [`--${name}`, String(value)]))
      return size
    },
  })
}
