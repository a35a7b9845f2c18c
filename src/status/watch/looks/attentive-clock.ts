import type { Clock } from '../../../clock.ts'

/** Time in which somebody looked: a machine that slept, or a process that was halted, has missed nothing meanwhile. */
export type AttentiveClock = Clock & {
  /** To be called at each look, every few seconds. */
  look(): void
}

const maxGapMs = 30_000

/** Counts milliseconds of the stopwatch, of each gap between two looks 30 s at most. */
export function createAttentiveClock(stopwatch: Clock): AttentiveClock {
  let countedMs = 0
  let lookedMs = stopwatch.now()
  const now = () => countedMs + Math.min(maxGapMs, stopwatch.now() - lookedMs)
  return {
    now,
    look() {
      countedMs = now()
      lookedMs = stopwatch.now()
    },
  }
}
