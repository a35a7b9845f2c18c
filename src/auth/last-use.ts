import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { Log } from '../log.ts'

/** Records when credentials are used, after the response: of each once in a time. */
export type LastUse = {
  /**
   * Records the use of a credential now, if that is due. Returns the time until which the credential need not be looked up again:
   * as long after the last recorded use. `writtenMs`: that use; null: none.
   */
  note(id: number, writtenMs: number | null): number
  /** Resolves when every use seen so far has been recorded, or has failed to be. */
  drain(): Promise<void>
}

type Deps = { clock: Clock; log: Log; write: (id: number, nowMs: number) => Promise<void> }

/** `what`: the kind of credential, for the log. `everyMs`: time after which a use is recorded again. */
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
