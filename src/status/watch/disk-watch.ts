import { type Clock, minuteMs } from '../../clock.ts'
import { assertRoom, DiskFailure, diskProblems } from '../../db/failures/disk-failure.ts'
import type { Log } from '../../log.ts'
import type { Conditions } from './conditions.ts'

/**
 * Tracks writes that the disk refuses. A problem holds from the first refused write until the disk has room again, and while
 * the databases are not at the paths where they were opened.
 */
export type DiskWatch = {
  /** Call it when a write was refused, or was stored where a restart does not find it. */
  noteRefusal(failure: DiskFailure): void
  /** Throws the current disk failure, if any: for code that reports data as stored before it is written. */
  assertWritable(): void
  /** Checks the paths of the databases and, while a problem holds, if it still does. Call it every second. */
  check(): Promise<void>
  /** Ends disk problems that held before the start, if the disk can be written now. Call it once, after the start. */
  checkStart(): Promise<void>
}

type Deps = {
  dataDir: string
  /** Clock that is unaffected by clock changes. */
  stopwatch: Clock
  log: Log
  conditions: Conditions
  /** Throws `DiskFailure` if a database is not at its path. */
  assertInPlace: () => void
  /** Throws if the database cannot be written. */
  tryWriting: () => Promise<void>
  /** Called when waiting data can be written again. */
  onWritable: () => void
}

const logIntervalMs = minuteMs
const minRoomBytes = 1024 * 1024
const maxRoomBytes = 64 * 1024 * 1024

export function createDiskWatch(deps: Deps): DiskWatch {
  const { dataDir, stopwatch, log, conditions, assertInPlace, tryWriting, onWritable } = deps
  let current: DiskFailure | undefined
  let refusals = 0
  let loggedMs = 0
  let endedMs = -Infinity
  let checking: Promise<void> | undefined
  /** Free space that ends the problem. Grows while space is used up again at once, so that the condition does not flap. */
  let roomBytes = minRoomBytes

  function begin(): void {
    const isRecurrence = stopwatch.now() - endedMs < logIntervalMs
    roomBytes = isRecurrence ? Math.min(maxRoomBytes, 2 * roomBytes) : minRoomBytes
    loggedMs = stopwatch.now()
  }

  function logRefusals(): void {
    if (!current || refusals === 0 || stopwatch.now() - loggedMs < logIntervalMs) return
    log.error('writes refused', { condition: current.problem, writes: refusals })
    loggedMs = stopwatch.now()
    refusals = 0
  }

  function setProblem(failure: DiskFailure): void {
    if (!current) begin()
    if (current && current.problem !== failure.problem) conditions.set(current.problem, null)
    current = failure
    conditions.set(failure.problem, failure.message)
  }

  /** Checks the paths of the databases, because it may be hours until a write does. */
  function checkPaths(): void {
    try {
      assertInPlace()
    } catch (error) {
      if (!(error instanceof DiskFailure)) throw error
      setProblem(error)
    }
  }

  async function isWritable(): Promise<boolean> {
    try {
      assertInPlace() // do not try to write in a replaced folder
      await assertRoom(dataDir, roomBytes)
      await tryWriting()
      return true
    } catch {
      return false
    }
  }

  async function runCheck(): Promise<void> {
    checkPaths()
    if (!current) return
    logRefusals()
    const checkedFailure = current
    if (!(await isWritable()) || current !== checkedFailure) return
    current = undefined
    refusals = 0
    endedMs = stopwatch.now()
    conditions.set(checkedFailure.problem, null)
    onWritable()
  }

  return {
    noteRefusal(failure) {
      setProblem(failure)
      refusals += 1
    },
    assertWritable() {
      if (current) throw current
    },
    async check() {
      checking ??= runCheck().finally(() => (checking = undefined))
      await checking
    },
    async checkStart() {
      if (!(await isWritable()) || current) return
      for (const problem of diskProblems) conditions.set(problem, null)
    },
  }
}
