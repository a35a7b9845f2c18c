import type { Database, Db } from '../db/open.ts'
import { isDiskFailure } from '../db/failures/disk-failure.ts'
import type { Log } from '../log.ts'

/**
 * Stores the executions of calculations after their answers, within a quarter of a second, so that no caller waits for the
 * disk. If the process is killed before that, they are lost.
 */
export type ExecutionLog = {
  /** Queues an insert. False if the disk refused the last ones, too many wait, or the log is closed: the caller stores it. */
  add(insert: (trx: Db) => Promise<unknown>): boolean
  /** Resolves once all queued inserts are stored or have failed. */
  flush(): Promise<void>
  /** Closes the log, so that `add` returns false, and flushes it. */
  drain(): Promise<void>
}

const delayMs = 250
const maxWaiting = 1000

export function createExecutionLog({ db, log }: { db: Database; log: Log }): ExecutionLog {
  let waiting: ((trx: Db) => Promise<unknown>)[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<unknown> = Promise.resolve()
  let isRefused = false
  let isClosed = false

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const inserts = waiting
    waiting = []
    writing = Promise.all([writing, ...inserts.map(store)])
    await writing
  }

  async function store(insert: (trx: Db) => Promise<unknown>): Promise<void> {
    try {
      await db.groupCommit(insert)
    } catch (error) {
      if (isDiskFailure(error)) isRefused = true
      else log.error('the executions of a calculation could not be stored', { error })
    }
  }

  return {
    add(insert) {
      if (isRefused || isClosed || waiting.length >= maxWaiting) {
        isRefused = false // the caller's attempt shows whether the disk still refuses
        return false
      }
      waiting.push(insert)
      timer ??= setTimeout(() => void flush(), delayMs)
      return true
    },
    flush,
    async drain() {
      isClosed = true
      await flush()
    },
  }
}
