import { type Clock, dayMs } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Log } from '../log.ts'
import { readNewestMeasurement } from '../status/exposition-store.ts'
import { type BootClock, createClockRecord, createClockWatch } from '../status/watch/clock-watch.ts'

type Deps = {
  db: Database
  dataDir: string
  clock: Clock
  stopwatch: Clock
  log: Log
  bootClock?: BootClock | undefined
}

/** Checks the clock against the newest time that an earlier run stored. */
export function watchClock({ db, dataDir, bootClock, clock, stopwatch, log }: Deps) {
  const newestMs = readNewestMeasurement(db.read).then(
    ({ newestMs }) => newestMs,
    () => null, // the database was closed in the meantime
  )
  const clockRecord = createClockRecord(dataDir, clock, bootClock)
  const jumpedMs = clockRecord.jumpedMs() // read now: the record is about to be replaced
  const clockWatch = createClockWatch({ clock, stopwatch, log, newestMs, jumpedBeforeMs: () => jumpedMs })
  const onJump = (aheadMs: number) =>
    log.warn('clock is ahead: for 24 hours no rows are deleted for their age', {
      days: Math.round(aheadMs / dayMs),
    })
  /** Clock for the retention of rows: follows a clock that was set days ahead only after a day. */
  const retentionClock = newestMs.then((knownMs) =>
    createRetentionClock({ clock, stopwatch, knownMs: knownMs ?? undefined, onJump }),
  )
  return { clockWatch, clockRecord, retentionClock }
}

type RetentionOptions = {
  clock: Clock
  /** Counts milliseconds, unaffected by clock changes. */
  stopwatch: Clock
  /** A time that has already passed, such as the newest stored one. */
  knownMs?: number | undefined
  /** Called once for each jump ahead that is not accepted yet. */
  onJump: (aheadMs: number) => void
}

/**
 * Clock for retention: follows `clock`. If `clock` jumps ahead by more than a day, this clock follows only after a day: a clock
 * that is wrong for an hour must not make everything old. If `clock` is set back, this clock follows at once.
 */
export function createRetentionClock({ clock, stopwatch, knownMs, onJump }: RetentionOptions): Clock {
  let accepted = { timeMs: knownMs ?? clock.now(), stopwatchMs: stopwatch.now() }
  let aheadSinceMs: number | undefined
  return {
    now() {
      const [timeMs, stopwatchMs] = [clock.now(), stopwatch.now()]
      const expectedMs = accepted.timeMs + stopwatchMs - accepted.stopwatchMs
      if (timeMs - expectedMs > dayMs) {
        if (aheadSinceMs === undefined) onJump(timeMs - expectedMs)
        aheadSinceMs ??= stopwatchMs
        if (stopwatchMs - aheadSinceMs < dayMs) return expectedMs
      }
      aheadSinceMs = undefined
      accepted = { timeMs, stopwatchMs }
      return timeMs
    },
  }
}
