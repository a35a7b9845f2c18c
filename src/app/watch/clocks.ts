import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { createCautiousClock } from '../cautious-clock.ts'
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

/** What assesses the clock by the newest time that was stored before. */
export function watchClock({ db, dataDir, bootClock, clock, stopwatch, log }: Deps) {
  const newestMs = readLedgerHead(db.read).then(
    (head) => head.newestMs,
    () => null, // closed in the meantime
  )
  const clockRecord = createClockRecord(dataDir, clock, bootClock)
  const beforeMs = clockRecord.jumpedMs() // now, for it is about to be replaced
  const clockWatch = createClockWatch({ clock, stopwatch, log, newestMs, jumpedBeforeMs: () => beforeMs })
  const onJump = (aheadMs: number) =>
    log.warn('clock is ahead: nothing is removed for its age by it before a day has passed', {
      days: Math.round(aheadMs / 86_400_000),
    })
  /** By what time rows are too old to be kept: not by a clock that was set days ahead, before a day has passed. */
  const retentionClock = newestMs.then((knownMs) =>
    createCautiousClock({ clock, stopwatch, knownMs: knownMs ?? undefined, onJump }),
  )
  return { clockWatch, clockRecord, retentionClock }
}
