import { type Suite, suites } from '../../../test/attacks/suites.ts'
import { type BystanderImpact, openWorld } from '../../../test/attacks/world.ts'
import { closeAll } from '../../../test/support/closing.ts'
import { percentile } from '../support/load.ts'

const restMs = 3000

/**
 * Measures read latencies of another organization during each attack (`/health` and one SLO, alternately), compared with an
 * idle nines, and the peak memory of nines. Runs in a cgroup of 512 MiB if the machine supports it.
 */
export async function benchAttacks(): Promise<void> {
  for (const { attacks, options } of Object.values<Suite>(suites)) {
    const world = await openWorld(options)
    try {
      const idle = await world.measureIdle(restMs)
      print('idle', idle, idle)
      for (const attack of attacks) {
        const damage = await world.measureAttack(attack).catch((error: unknown) => String(error))
        if (typeof damage === 'string') process.stdout.write(`${attack.name}: ${damage}\n`)
        else print(attack.name, damage, idle)
      }
    } finally {
      closeAll()
    }
  }
}

function print(name: string, { tookMs, failed, peakBytes, seconds }: BystanderImpact, idle: BystanderImpact): void {
  const [p50, p99, max] = [50, 99, 100].map((percent) => percentile(tookMs, percent))
  const times = (percentile(tookMs, 99) / percentile(idle.tookMs, 99)).toFixed(1)
  const megabytes = (peakBytes / 1024 / 1024).toFixed(0)
  const reader = `p50 ${p50?.toFixed(1)} p99 ${p99?.toFixed(1)} (${times}x) max ${max?.toFixed(0)} ms, ${failed} failed`
  process.stdout.write(`${name}: ${reader}; peak ${megabytes} MB; ${seconds.toFixed(1)} s\n`)
}
