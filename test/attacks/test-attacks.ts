import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import type { Suite } from './suites.ts'
import { memoryLimitBytes, openWorld, type Watched } from './world.ts'

// Bounds are generous, for a busy machine; `npm run bench attacks` prints the measured values.
const maxMs = 5000
const maxGrowthBytes = 400 * 1024 * 1024

/** Runs the attacks of a suite one after the other on one nines. */
export function testAttacks({ attacks, options }: Suite) {
  let world: Watched
  beforeAll(async () => {
    world = await openWorld(options)
  }, 30_000)
  afterAll(closeAll)

  test.each(attacks.map((attack) => [attack.name, attack] as const))(
    'others are served while %s',
    async (_name, attack) => {
      const { tookMs, failed, idleBytes, peakBytes } = await world.measureAttack(attack)
      expect({ failed, killed: world.wasKilled() }).toEqual({ failed: 0, killed: false })
      expect(Math.max(...tookMs)).toBeLessThan(maxMs)
      expect(peakBytes - idleBytes).toBeLessThan(maxGrowthBytes)
      expect(peakBytes).toBeLessThan(memoryLimitBytes)
    },
    90_000,
  )
}
