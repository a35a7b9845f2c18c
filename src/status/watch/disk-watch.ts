import type { Clock } from '../../clock.ts'
import { assertRoom, type DiskFailure } from '../../db/failures/disk-failure.ts'
import type { Log } from '../../log.ts'
import type { Conditions } from './conditions.ts'

/** Whether the disk takes what is written to it: from the first write that it refuses until it has room again. */
export type DiskWatch = {
  /** A write was refused. */
  refused(failure: DiskFailure): void
  /** Throws what the disk refused last, while it holds: for who would say stored of what is written later. */
  assertWritable(): void
  /** While it holds, tries whether it still does; to be called every second. */
  look(): Promise<void>
}

type Deps = {
  dataDir: string
  /** By which time has passed, whatever is done to the clock. */
  stopwatch: Clock
  log: Log
  conditions: Conditions
  /** Throws where the database cannot be written. */
  tryWriting: () => Promise<void>
  /** What waited can be written. */
  onWritable: () => void
}

const sayEveryMs = 60_000
const minRoomBytes = 1024 * 1024
const maxRoomBytes = 64 * 1024 * 1024

export function createDiskWatch({ dataDir, stopwatch, log, conditions, tryWriting, onWritable }: Deps): DiskWatch {
  let held: DiskFailure | undefined
  let refusals = 0
  let saidMs = 0
  let endedMs = -Infinity
  let looking: Promise<void> | undefined
  /** Grows while what is free is used up again at once, so that the condition does not come and go every second. */
  let roomBytes = minRoomBytes

  function begin(): void {
    const wasJustWell = stopwatch.now() - endedMs < sayEveryMs
    roomBytes = wasJustWell ? Math.min(maxRoomBytes, 2 * roomBytes) : minRoomBytes
    saidMs = stopwatch.now()
  }

  function say(): void {
    if (!held || refusals === 0 || stopwatch.now() - saidMs < sayEveryMs) return
    log.error('writes refused', { condition: held.problem, writes: refusals })
    saidMs = stopwatch.now()
    refusals = 0
  }

  async function isWritable(): Promise<boolean> {
    try {
      await assertRoom(dataDir, roomBytes)
      await tryWriting()
      return true
    } catch {
      return false
    }
  }

  async function tryIt(): Promise<void> {
    if (!held) return
    say()
    const before = held
    if (!(await isWritable()) || held !== before) return
    held = undefined
    refusals = 0
    endedMs = stopwatch.now()
    conditions.set(before.problem, null)
    onWritable()
  }

  return {
    refused(failure) {
      if (!held) begin()
      if (held && held.problem !== failure.problem) conditions.set(held.problem, null)
      held = failure
      refusals += 1
      conditions.set(failure.problem, failure.message)
    },
    assertWritable() {
      if (held) throw held
    },
    async look() {
      looking ??= tryIt().finally(() => (looking = undefined))
      await looking
    },
  }
}
