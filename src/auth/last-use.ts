import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { Log } from '../log.ts'

/** Records uses of credentials, after the response, and at most one use of each credential per interval. */
export type LastUse = {
  /**
   * Records that a credential is used now, if its last recorded use is at least the interval ago. Returns the time at which the
   * next use is due; until then the credential need not be looked up again. `writtenMs`: time of its last recorded use; null:
   * never.
   */
  note(id: number, writtenMs: number | null): number
  /** Resolves when every use seen so far has been recorded, or has failed to be. */
  drain(): Promise<void>
}

type Deps = { clock: Clock; log: Log; write: (id: number, nowMs: number) => Promise<void> }

/** `what`: kind of credential, for the log. `everyMs`: interval between two recorded uses. */
export function createLastUse({ clock, log, write }: Deps, what: string, everyMs: number): LastUse {
  const writes = createSingleFlight<void>()

  async function writeLater(id: number, nowMs: number): Promise<void> {
    await yieldToEventLoop()
    try {
      await write(id, nowMs)
    } catch (error) {
      log.error(`use of ${what} not recorded`, { id, error })
    }
  }

  return {
    note(id, writtenMs) {
      const nowMs = clock.now()
      const lastMs = writtenMs ?? -Infinity
      const isDue = Math.abs(nowMs - lastMs) >= everyMs // the clock may have been set back
      if (isDue) void writes.join(id, () => writeLater(id, nowMs))
      return (isDue ? nowMs : lastMs) + everyMs
    },
    drain: writes.drain,
  }
}
