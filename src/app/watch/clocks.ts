import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { createRetentionClock } from '../retention-clock.ts'
import type { Log } from '../../log.ts'
import { type BootClock, createClockRecord, createClockWatch } from '../../status/watch/clock-watch.ts'
import { readLedgerHead } from '../../status/series-store.ts'

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
  const newestMs = readLedgerHead(db.read).then(
    (head) => head.newestMs,
    () => null, // closed in the meantime
  )
  const clockRecord = createClockRecord(dataDir, clock, bootClock)
  const beforeMs = clockRecord.jumpedMs() // read now: the record is about to be replaced
  const clockWatch = createClockWatch({ clock, stopwatch, log, newestMs, jumpedBeforeMs: () => beforeMs })
  const onJump = (aheadMs: number) =>
    log.warn('clock is ahead: nothing is removed for its age by it before a day has passed', {
      days: Math.round(aheadMs / 86_400_000),
    })
  /** Clock for the retention of rows: follows a clock that was set days ahead only after a day. */
  const retentionClock = newestMs.then((knownMs) =>
    createRetentionClock({ clock, stopwatch, knownMs: knownMs ?? undefined, onJump }),
  )
  return { clockWatch, clockRecord, retentionClock }
}
