import { type Clock, dayMs } from '../clock.ts'

type Options = {
  clock: Clock
  /** Counts milliseconds, unaffected by clock changes. */
  stopwatch: Clock
  /** A time that has already passed, such as the newest stored one. */
  knownMs?: number | undefined
  /** Called once for each jump ahead that is not accepted yet. */
  onJump: (aheadMs: number) => void
}

/**
 * Clock for retention. If `clock` jumps ahead of `stopwatch` by more than a day, this clock follows only after a day, so that a
 * wrong clock does not expire everything. If `clock` is set back, this clock follows at once.
 */
export function createRetentionClock({ clock, stopwatch, knownMs, onJump }: Options): Clock {
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
