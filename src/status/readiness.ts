import type { Clock } from '../clock.ts'
import { type Database, tryWriting } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Conditions } from './watch/conditions.ts'
import type { DiskWatch } from './watch/disk-watch.ts'

type Deps = {
  db: Database
  conditions: Conditions
  disk: Pick<DiskWatch, 'check' | 'assertWritable'>
  clock: Clock
  log: Log
  isClosing: () => boolean
}

const resultLifetimeMs = 1000

/**
 * Creates the readiness check. It throws `unavailable` while nines cannot serve: during shutdown, while the database cannot be
 * written or is not in the data folder, or while a database is damaged. Checks are not rate limited, so all requests during a
 * check, and within a second after it, share its result: a check of a locked database takes seconds.
 */
export function createReadiness({ db, conditions, disk, clock, log, isClosing }: Deps): () => Promise<void> {
  let latest: { endedMs: number | null; outcome: Promise<void> } | undefined

  async function check(): Promise<void> {
    await disk.check()
    disk.assertWritable()
    try {
      await tryWriting(db.write)
    } catch (cause) {
      log.error('database cannot be written', { error: cause })
      if (cause instanceof AppError) throw cause // its message has the reason
      throw new AppError('unavailable', 'Database cannot be written', { cause })
    }
  }

  function startCheck() {
    const outcome = check().finally(() => (started.endedMs = clock.now()))
    const started = { endedMs: null as number | null, outcome }
    return started
  }

  return async () => {
    if (isClosing()) throw new AppError('unavailable', 'Shutting down')
    const damaged = conditions.list().find(({ name }) => name === 'database_damaged')
    if (damaged) throw new AppError('unavailable', damaged.message, { details: damaged.advice })
    const isOld = latest && latest.endedMs !== null && Math.abs(clock.now() - latest.endedMs) >= resultLifetimeMs
    if (!latest || isOld) latest = startCheck()
    await latest.outcome
    disk.assertWritable() // a write refused since is known without another check
  }
}

/** True if the work ends without throwing. */
export async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}

/** Liveness of a task that runs every second. */
type Liveness = {
  /** Runs the task and returns its result. */
  watch<T>(work: () => Promise<T>): Promise<T>
  /** True if a run was started, or this was created, within the last 5 seconds and no run failed in them. */
  isAlive(): boolean
}

const recentMs = 5000

/** Creates the liveness of a task. `stopwatch` measures the seconds, unaffected by clock changes. */
export function createLiveness(stopwatch: Clock): Liveness {
  let beganMs = stopwatch.now()
  let failedMs = -Infinity
  return {
    async watch(work) {
      beganMs = stopwatch.now()
      try {
        return await work()
      } catch (error) {
        failedMs = stopwatch.now()
        throw error
      }
    },
    isAlive() {
      const isRecent = (timeMs: number) => stopwatch.now() - timeMs <= recentMs
      return isRecent(beganMs) && !isRecent(failedMs)
    },
  }
}
