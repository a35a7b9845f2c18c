import { closeAll } from '../../../test/support/closing.ts'
import { seeded } from '../../../test/support/seeded.ts'
import { allBreaks, shuffled, runBreaks, takeFrom } from '../../../test/chaos/rounds.ts'
import { tableOf } from '../../../test/chaos/table.ts'

const worlds = 4
const maxHoldMs = 45_000

/**
 * Runs the breaks of `test/chaos` in random order, again and again until `NINES_CHAOS_MINUTES` (5 by default) have passed, each
 * for up to 45 s, in four worlds at once. Prints each problem immediately, and a table at the end. `NINES_CHAOS_SEED` repeats an
 * order.
 */
export async function benchChaos(): Promise<void> {
  const minutes = Number(process.env['NINES_CHAOS_MINUTES'] ?? 5)
  const seed = Number(process.env['NINES_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e6))
  process.stdout.write(`chaos for ${minutes} minutes, seed ${seed}\n`)
  const random = seeded(seed)
  const endMs = performance.now() + minutes * 60_000
  let takeNext = takeFrom([])
  try {
    const outcomes = await runBreaks({
      next(fits) {
        if (performance.now() > endMs) return undefined
        const next = takeNext(fits)
        if (next) return next
        takeNext = takeFrom(shuffled(allBreaks, random))
        return takeNext(fits)
      },
      worlds,
      seed,
      maxHoldMs,
      onOutcome({ name, problems }) {
        for (const problem of problems) process.stdout.write(`${name}: ${problem}\n`)
      },
    })
    process.stdout.write(tableOf(outcomes))
  } finally {
    closeAll()
  }
}
