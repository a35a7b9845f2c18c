import type { Clock } from '../clock.ts'

type Options = {
  clock: Clock
  /** Counts milliseconds, whatever happens to the clock. */
  stopwatch: Clock
  /** A time that it has been already. */
  knownMs?: number | undefined
  /** Told once of a jump that is not believed. */
  onJump: (aheadMs: number) => void
}

const dayMs = 86_400_000

/**
 * The clock by which samples grow too old. Where the other one is more than a day ahead of the time that has passed, it
 * believes that after a day: a clock that is wrong for an hour must not make everything old. Back it goes at once.
 */
export function createCautiousClock({ clock, stopwatch, knownMs, onJump }: Options): Clock {
  let believed = { timeMs: knownMs ?? clock.now(), atMs: stopwatch.now() }
  let aheadSinceMs: number | undefined
  return {
    now() {
      const [timeMs, atMs] = [clock.now(), stopwatch.now()]
      const expectedMs = believed.timeMs + atMs - believed.atMs
      if (timeMs - expectedMs > dayMs) {
        if (aheadSinceMs === undefined) onJump(timeMs - expectedMs)
        aheadSinceMs ??= atMs
        if (atMs - aheadSinceMs < dayMs) return expectedMs
      }
      aheadSinceMs = undefined
      believed = { timeMs, atMs }
      return timeMs
    },
  }
}
