import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { isBusy } from './constraints.ts'

/** Repeats work that can be repeated while another process holds the lock of a file. */
export type LockRetry = <T>(work: () => Promise<T>) => Promise<T>

/** Time, in ms, for which a write waits for another process. */
export const lockTimeoutMs = 5000
const retryMs = 10

/**
 * Replaces SQLite's busy timeout, which blocks the event loop. Once the lock has been held for five seconds, each work is tried
 * only once, until a try succeeds.
 */
export function createLockRetry(stopwatch: Clock): LockRetry {
  let lockedSinceMs: number | undefined
  return async (work) => {
    for (;;) {
      try {
        const result = await work()
        lockedSinceMs = undefined
        return result
      } catch (error) {
        if (!isLocked(error)) throw error
        lockedSinceMs ??= stopwatch.now()
        if (stopwatch.now() - lockedSinceMs >= lockTimeoutMs) throw error
      }
      await sleep(retryMs)
    }
  }
}

const isLocked = (error: unknown) => isBusy(error) || (error instanceof Error && isBusy(error.cause))
