import type { Clock } from '../clock.ts'
import { createCautiousClock } from '../embedded/cautious-clock.ts'
import type { Log } from '../log.ts'

type Options = { clock: Clock; stopwatch: Clock; log: Log; knownMs: number | null }

/** By what time rows are too old to be kept: not by a clock that was set days ahead, before a day has passed. */
export function createRetentionClock({ knownMs, log, ...clocks }: Options): Clock {
  const onJump = (aheadMs: number) =>
    log.warn('clock is ahead: nothing is removed for its age by it before a day has passed', {
      days: Math.round(aheadMs / 86_400_000),
    })
  return createCautiousClock({ ...clocks, knownMs: knownMs ?? undefined, onJump })
}
