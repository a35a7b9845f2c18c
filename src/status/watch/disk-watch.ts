import type { Clock } from '../../clock.ts'
import { assertRoom, DiskFailure } from '../../db/failures/disk-failure.ts'
import type { Log } from '../../log.ts'
import type { Conditions } from './conditions.ts'

/**
 * Whether the disk takes what is written to it: from the first write that it refuses until it has room again, and while the
 * databases are not at their places.
 */
export type DiskWatch = {
  /** A write was refused, or is where a restart does not find it. */
  refused(failure: DiskFailure): void
  /** Throws what the disk refused last, while it holds: for who would say stored of what is written later. */
  assertWritable(): void
  /** Looks whether the databases are at their places and, while a problem holds, tries whether it still does; to be called every second. */
  look(): Promise<void>
}

type Deps = {
  dataDir: string
  /** By which time has passed, whatever is done to the clock. */
  stopwatch: Clock
  log: Log
  conditions: Conditions
  /** Throws `DiskFailure` where a database is not at its place. */
  assertInPlace: () => void
  /** Throws where the database cannot be written. */
  tryWriting: () => Promise<void>
  /** What waited can be written. */
  onWritable: () => void
}

const sayEveryMs = 60_000
const minRoomBytes = 1024 * 1024
const maxRoomBytes = 64 * 1024 * 1024

export function createDiskWatch(deps: Deps): DiskWatch {
  const { dataDir, stopwatch, log, conditions, assertInPlace, tryWriting, onWritable } = deps
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

  function hold(failure: DiskFailure): void {
    if (!held) begin()
    if (held && held.problem !== failure.problem) conditions.set(held.problem, null)
    held = failure
    conditions.set(failure.problem, failure.message)
  }

  /** Nobody writes for hours, it may be. */
  function lookAtPlaces(): void {
    try {
      assertInPlace()
    } catch (error) {
      if (!(error instanceof DiskFailure)) throw error
      hold(error)
    }
  }

  async function isWritable(): Promise<boolean> {
    try {
      assertInPlace() // nothing is tried in a folder that is another one
      await assertRoom(dataDir, roomBytes)
      await tryWriting()
      return true
    } catch {
      return false
    }
  }

  async function tryIt(): Promise<void> {
    lookAtPlaces()
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
      hold(failure)
      refusals += 1
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
