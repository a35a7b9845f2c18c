import { createBatchWriter } from '../db/batch-writer.ts'
import { isDiskFailure } from '../db/failures/disk-failure.ts'
import type { Database, Db } from '../db/open.ts'
import type { Log } from '../log.ts'

/**
 * Stores executions (records of the queries that were sent for a calculation) within a quarter of a second after the calculation has
 * answered, so that no caller waits for the disk. If the process is killed before that, they are lost.
 */
export type ExecutionLog = {
  /** Queues an insert. False if the disk refused earlier inserts, too many wait, or the log is closed: the caller stores it. */
  add(insert: Insert): boolean
  /** Resolves once all queued inserts are stored or have failed. */
  flush(): Promise<void>
  /** Closes the log, so that `add` returns false, and flushes it. */
  drain(): Promise<void>
}

type Insert = (trx: Db) => Promise<unknown>

const maxWaiting = 1000

export function createExecutionLog({ db, log }: { db: Pick<Database, 'groupCommit'>; log: Log }): ExecutionLog {
  const storeAll = (inserts: Insert[]) => Promise.all(inserts.map(store))
  const writer = createBatchWriter<Insert>({ write: storeAll, delayMs: 250 })
  let isRefused = false

  async function store(insert: Insert): Promise<void> {
    try {
      await db.groupCommit(insert)
    } catch (error) {
      if (isDiskFailure(error)) isRefused = true
      else log.error('executions not stored', { error })
    }
  }

  return {
    add(insert) {
      const isQueued = !isRefused && writer.size < maxWaiting && writer.add(insert)
      if (!isQueued) isRefused = false // the caller's attempt shows whether the disk still refuses
      return isQueued
    },
    flush: writer.flush,
    drain: writer.drain,
  }
}
