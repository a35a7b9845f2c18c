import { type Clock, hourMs, isoTime } from '../../clock.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import type { Caller } from '../../http/signed-in.ts'
import type { Log } from '../../log.ts'

/** A refused request. `reason`: a sentence written by nines. */
type Refused = { method: string; route: string; reason: string | undefined }

/**
 * Records permission refusals (403) in the audit log. The first refusal per user, credential, method and route is recorded at once.
 * Repeats within the following hour are counted, and the count is recorded as one more entry, so that nobody can fill the log.
 */
export type Refusals = {
  record(caller: Caller, refused: Refused): void
  /** Writes the counts whose hour has passed, and waits until everything is written. */
  flush(): Promise<void>
  /** Writes all counts, and waits until everything is written. */
  drain(): Promise<void>
}

type RefusalCount = { caller: Caller; refused: Refused; sinceMs: number; repeats: number }
type Deps = { db: Database; clock: Clock; log: Log }

const maxCounts = 10_000

export function createRefusals({ db, clock, log }: Deps): Refusals {
  const counts = new Map<string, RefusalCount>()
  const writes = createSemaphore()

  function write(caller: Caller, details: Record<string, unknown>, onFailure = () => {}): void {
    const entry = { event: 'permission_denied', outcome: 'failure', details } as const
    const record = () => db.groupCommit((trx) => recordAudit(trx, caller, entry, clock.now()))
    writes.run(record).catch((error: unknown) => {
      log.error('permission refusal not recorded', { error })
      onFailure()
    })
  }

  function close(key: string, { caller, refused, sinceMs, repeats }: RefusalCount): void {
    counts.delete(key)
    if (repeats > 0) write(caller, { ...refused, repeats, since: isoTime(sinceMs) })
  }

  function closeAll(isOver: (one: RefusalCount) => boolean): void {
    for (const [key, one] of counts) if (isOver(one)) close(key, one)
  }

  const isPast = ({ sinceMs }: RefusalCount) => Math.abs(clock.now() - sinceMs) >= hourMs // abs: the clock may be set back

  return {
    record(caller, refused) {
      const key = JSON.stringify([caller.userId, caller.credential, refused.method, refused.route])
      const entry = counts.get(key)
      if (entry && !isPast(entry)) {
        entry.repeats += 1
        return
      }
      if (entry) close(key, entry)
      const [oldest] = counts
      if (oldest && counts.size >= maxCounts) close(...oldest)
      const first = { caller, refused, sinceMs: clock.now(), repeats: 0 }
      counts.set(key, first)
      write(caller, { ...refused }, () => (first.repeats += 1)) // if the write fails, the count includes it
    },

    async flush() {
      closeAll(isPast)
      await writes.drain()
    },

    async drain() {
      closeAll(() => true)
      await writes.drain()
    },
  }
}
