import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { type BootClock, type ClockRecord, createClockRecord } from '../../status/watch/clock-record.ts'
import { type ClockWatch, createClockWatch } from '../../status/watch/clock-watch.ts'
import { readLedgerHead } from '../../status/series-store.ts'

type Deps = {
  db: Database
  dataDir: string
  clock: Clock
  stopwatch: Clock
  log: Log
  bootClock?: BootClock | undefined
}

/** `newestMs`: the newest time that was stored before; null: there is none. */
export function watchClock({ db, dataDir, bootClock, ...deps }: Deps): {
  newestMs: Promise<number | null>
  clockWatch: ClockWatch
  clockRecord: ClockRecord
} {
  const newestMs = readLedgerHead(db.read).then(
    (head) => head.newestMs,
    () => null, // closed meanwhile
  )
  const clockRecord = createClockRecord(dataDir, deps.clock, bootClock)
  const beforeMs = clockRecord.jumpedMs() // now, for it is about to be replaced
  const clockWatch = createClockWatch({ ...deps, newestMs, jumpedBeforeMs: () => beforeMs })
  return { newestMs, clockWatch, clockRecord }
}
