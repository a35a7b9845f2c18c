import type { Database, Db } from '../db/open.ts'
import { isDiskFailure } from '../db/failures/disk-failure.ts'
import type { Log } from '../log.ts'

/**
 * Stores the executions of calculations behind their answers, within a quarter of a second: the disk is waited for by
 * nobody. A kill before that loses them.
 */
export type ExecutionLog = {
  /** False where it is not taken: the disk refused the last ones, or much waits. Then the caller stores it itself. */
  add(insert: (trx: Db) => Promise<unknown>): boolean
  /** Resolves once what was added is stored, or refused. */
  flush(): Promise<void>
  /** Likewise for the last time: what comes later is stored by its caller. */
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
        isRefused = false // the caller finds out
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
